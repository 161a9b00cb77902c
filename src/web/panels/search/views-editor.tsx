'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import type { RestSearch } from '../../../contract/search.ts'
import { ApiError, type ApiRequest, apiFetch } from '../../client/api.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type SavedViewsProps, ViewLine } from './saved-views.tsx'
import { partsOf, viewOf } from './views.ts'

const sentenceOf = (error: unknown, otherwise: string) => {
  if (!(error instanceof ApiError)) return otherwise
  return Object.values(error.fields).flat()[0] ?? error.message
}

/** Functions to change the organization's views. Replacing and deleting offer undo. */
function useViewChanges({ organization, offerUndo }: Pick<SavedViewsProps, 'organization' | 'offerUndo'>) {
  const t = useTranslations('search.views')
  const toast = useToast()
  const client = useQueryClient()
  const [error, setError] = useState('')
  const key = ['searches', organization]
  const path = `organizations/${organization}/searches/`
  /** Runs one call. Returns undefined after a failure and sets `error`. */
  async function send(request: ApiRequest, id = ''): Promise<{ view: RestSearch | undefined } | undefined> {
    try {
      const view = await apiFetch<RestSearch | undefined>(`${path}${id ? `${id}/` : ''}`, request)
      setError('')
      return { view }
    } catch (failure) {
      setError(sentenceOf(failure, t('failed')))
      return undefined
    } finally {
      // Also after a failure: somebody else may have changed the view first.
      await client.invalidateQueries({ queryKey: key })
    }
  }
  async function add(body: Pick<RestSearch, 'name' | 'visibility'> & ReturnType<typeof viewOf>): Promise<boolean> {
    const done = await send({ method: 'POST', body })
    if (done) toast({ text: t('saved', { name: body.name }), stayMs: 3000 })
    return done !== undefined
  }
  async function replace(before: RestSearch, shown: ReturnType<typeof viewOf>): Promise<void> {
    const { id, name } = before
    const put = (parts: typeof shown, revision: number) => send({ method: 'PUT', body: { ...parts, revision } }, id)
    const now = (await put(shown, before.revision))?.view
    if (now) offerUndo(t('saved', { name }), () => void put(partsOf(before), now.revision))
  }
  async function remove(view: RestSearch): Promise<void> {
    const { id, name, visibility, revision } = view
    if (await send({ method: 'DELETE', query: { revision } }, id))
      offerUndo(t('deleted', { name }), () => void add({ name, visibility, ...partsOf(view) }))
  }
  return { error, add, replace, remove }
}

/** The saved views with buttons to update and delete them, and a form that saves the shown list as a view. */
export function ViewsEditor({ views, shown, canShare, params, projects, ...props }: ViewsEditorProps) {
  const t = useTranslations('search.views')
  const { error, add, replace, remove } = useViewChanges(props)
  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const data = new FormData(form)
    const name = String(data.get('name') ?? '')
    const visibility = data.get('shared') ? 'organization' : 'owner'
    if (await add({ name, visibility, ...viewOf(params, projects) })) form.reset()
  }
  return (
    <>
      {views.length === 0 ? <p className="text-ink-3">{t('none')}</p> : null}
      <ul aria-label={t('title')}>
        {views.map((view) => (
          <ViewLine
            key={view.id}
            view={view}
            organization={props.organization}
            projects={projects}
            isShown={view.id === shown?.id}
          >
            {view.isEditable ? (
              <span className="views-acts">
                {view.id === shown?.id ? null : (
                  <Button
                    look="plain"
                    compact
                    onClick={() => void replace(view, viewOf(params, projects))}
                    aria-label={t('replaceNamed', { name: view.name })}
                  >
                    {t('replace')}
                  </Button>
                )}
                <Button
                  look="plain"
                  compact
                  onClick={() => void remove(view)}
                  aria-label={t('deleteNamed', { name: view.name })}
                >
                  {t('delete')}
                </Button>
              </span>
            ) : null}
          </ViewLine>
        ))}
      </ul>
      <form className="views-save" onSubmit={(event) => void save(event)}>
        <label>
          {t('save')}
          <input className="input" name="name" required maxLength={64} autoComplete="off" placeholder={t('name')} />
        </label>
        {canShare ? (
          <label className="flex items-center gap-2">
            <input type="checkbox" className="checkbox" name="shared" /> {t('shared')}
          </label>
        ) : null}
        {error ? (
          <p role="alert" className="text-small text-error">
            {error}
          </p>
        ) : null}
        <Button type="submit" look="main" compact>
          {t('saveAction')}
        </Button>
      </form>
    </>
  )
}
type ViewsEditorProps = SavedViewsProps & {
  views: readonly RestSearch[]
  /** The view that the list shows. Undefined after a change of any filter. */
  shown: RestSearch | undefined
}
