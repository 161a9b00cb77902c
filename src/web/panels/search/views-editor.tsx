'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import type { RestSearch } from '../../../contract/search.ts'
import { opensWithView } from '../../../domain/view-scopes.ts'
import { ApiError, type ApiRequest, apiFetch } from '../../client/api.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type SavedViewsProps, ViewLine } from './saved-views.tsx'
import { partsOf, type ViewParts, viewsKey } from './views.ts'

const sentenceOf = (error: unknown, otherwise: string) => {
  if (!(error instanceof ApiError)) return otherwise
  return Object.values(error.fields).flat()[0] ?? error.message
}

/** Functions to change the organization's views. Replacing and deleting offer undo. */
function useViewChanges({
  organization,
  scope,
  offerUndo,
}: Pick<SavedViewsProps, 'organization' | 'scope' | 'offerUndo'>) {
  const t = useTranslations('search.views')
  const toast = useToast()
  const client = useQueryClient()
  const [error, setError] = useState('')
  const key = viewsKey(organization, scope)
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
  async function add(body: Pick<RestSearch, 'name' | 'visibility'> & ViewParts): Promise<boolean> {
    const done = await send({ method: 'POST', body: { scope, ...body } })
    if (done) toast({ text: t('saved', { name: body.name }), stayMs: 3000 })
    return done !== undefined
  }
  async function replace(before: RestSearch, shown: ViewParts): Promise<void> {
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
  /** Renames a view, shares it or ends that, or makes it the default. */
  async function change(
    { id, revision }: RestSearch,
    body: Partial<Pick<RestSearch, 'name' | 'visibility' | 'isPinned'>>,
  ): Promise<boolean> {
    return (
      (await send({ method: 'PUT', body: { ...body, ...(body.isPinned === undefined ? { revision } : {}) } }, id)) !==
      undefined
    )
  }
  return { error, add, replace, remove, change }
}

type Changes = ReturnType<typeof useViewChanges>

/** The name of a view as a field. Enter renames it, Escape keeps the name. */
function NameField({
  view,
  rename,
  close,
}: {
  view: RestSearch
  rename: (name: string) => Promise<boolean>
  close: () => void
}) {
  const t = useTranslations('search.views')
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name') ?? '')
    if (name === view.name || (await rename(name))) close()
  }
  return (
    <form className="views-rename" onSubmit={(event) => void submit(event)}>
      <input
        className="input"
        name="name"
        required
        maxLength={64}
        autoComplete="off"
        defaultValue={view.name}
        aria-label={t('renameNamed', { name: view.name })}
        ref={(field) => field?.focus()}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          // The panel stays open.
          event.stopPropagation()
          close()
        }}
      />
      <Button type="submit" compact>
        {t('rename')}
      </Button>
    </form>
  )
}

/** The actions of a view. Everybody may make it the default; only its editors change it. */
function ViewActs({
  view,
  isShown,
  current,
  canShare,
  canOpen,
  changes,
  edit,
}: Pick<SavedViewsProps, 'current' | 'canShare'> & {
  view: RestSearch
  isShown: boolean
  canOpen: boolean
  changes: Changes
  edit: () => void
}) {
  const t = useTranslations('search.views')
  const { name, isEditable, isPinned, visibility } = view
  const isShared = visibility === 'organization'
  const act = (label: string, title: string, run: () => void, isPressed?: boolean) => (
    <Button look="plain" compact onClick={run} aria-label={title} aria-pressed={isPressed}>
      {label}
    </Button>
  )
  return (
    <span className="views-acts">
      {canOpen
        ? act(
            t('default'),
            t('defaultNamed', { name }),
            () => void changes.change(view, { isPinned: !isPinned }),
            isPinned,
          )
        : null}
      {isEditable && !isShown
        ? act(t('replace'), t('replaceNamed', { name }), () => void changes.replace(view, current))
        : null}
      {isEditable ? act(t('rename'), t('renameNamed', { name }), edit) : null}
      {isEditable && canShare
        ? act(
            t('share'),
            t('sharedNamed', { name }),
            () => void changes.change(view, { visibility: isShared ? 'owner' : 'organization' }),
            isShared,
          )
        : null}
      {isEditable ? act(t('delete'), t('deleteNamed', { name }), () => void changes.remove(view)) : null}
    </span>
  )
}

/** The saved views with their actions, and a form that saves the shown list as a view. */
export function ViewsEditor({ views, shown, canShare, current, ...props }: ViewsEditorProps) {
  const t = useTranslations('search.views')
  const [renamed, setRenamed] = useState<string>()
  const changes = useViewChanges(props)
  const { error, add } = changes
  const { organization, scope, searchOf } = props
  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const data = new FormData(form)
    const name = String(data.get('name') ?? '')
    const visibility = data.get('shared') ? 'organization' : 'owner'
    if (await add({ name, visibility, ...current })) form.reset()
  }
  return (
    <>
      {views.length === 0 ? <p className="text-ink-3">{t('none')}</p> : null}
      <ul aria-label={t('title')}>
        {views.map((view) => {
          const line = { view, organization, scope, searchOf, isShown: view.id === shown?.id }
          if (renamed === view.id)
            return (
              <li key={view.id} className="views-line">
                <NameField
                  view={view}
                  rename={(name) => changes.change(view, { name })}
                  close={() => setRenamed(undefined)}
                />
              </li>
            )
          return (
            <ViewLine key={view.id} {...line}>
              <ViewActs
                view={view}
                isShown={line.isShown}
                current={current}
                canShare={canShare}
                canOpen={opensWithView(scope)}
                changes={changes}
                edit={() => setRenamed(view.id)}
              />
            </ViewLine>
          )
        })}
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
