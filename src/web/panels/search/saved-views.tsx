'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Bookmark } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type FormEvent, useRef, useState } from 'react'
import type { RestSearch } from '../../../contract/search.ts'
import { ApiError, type ApiRequest, apiFetch } from '../../client/api.ts'
import { Button } from '../../ui/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { OfferUndo } from '../../ui/undo.ts'
import type { ListParams, ProjectName } from './list-params.ts'
import { partsOf, shownView, viewOf, viewSearch } from './views.ts'

type Props = {
  organization: string
  params: ListParams
  projects: readonly ProjectName[]
  /** Loaded with the document. */
  preloaded: RestSearch[] | undefined
  /** Whether the person may share a view with the organization. */
  canShare: boolean
  offerUndo: OfferUndo
}

const sentenceOf = (error: unknown, otherwise: string) => {
  if (!(error instanceof ApiError)) return otherwise
  return Object.values(error.fields).flat()[0] ?? error.message
}

/** The saved views of an organization. `preloaded` came with the document. */
function useViewList(organization: string, preloaded: RestSearch[] | undefined): RestSearch[] {
  const { data } = useQuery({
    queryKey: ['searches', organization],
    queryFn: ({ signal }) => apiFetch<RestSearch[]>(`organizations/${organization}/searches/`, { signal }),
    ...(preloaded ? { initialData: preloaded } : {}),
    staleTime: 60_000,
    retry: false,
  })
  return data ?? []
}

/** The saved view that the list shows. Undefined after a change of any filter. */
export function useShownView(
  organization: string,
  params: ListParams,
  projects: readonly ProjectName[],
  preloaded: RestSearch[] | undefined,
): RestSearch | undefined {
  return shownView(useViewList(organization, preloaded), params, projects)
}

/** The organization's views and functions to change them. Replacing and deleting offer undo. */
function useViews({ organization, preloaded, offerUndo }: Pick<Props, 'organization' | 'preloaded' | 'offerUndo'>) {
  const t = useTranslations('search.views')
  const toast = useToast()
  const client = useQueryClient()
  const [error, setError] = useState('')
  const key = ['searches', organization]
  const path = `organizations/${organization}/searches/`
  const views = useViewList(organization, preloaded)
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
  return { views, error, add, replace, remove }
}

/** Saved views as links that work before scripts run, with buttons to save, update and delete. */
export function SavedViews({ params, projects, canShare, ...props }: Props) {
  const t = useTranslations('search.views')
  const { views, error, add, replace, remove } = useViews(props)
  const details = useRef<HTMLDetailsElement>(null)
  const shown = shownView(views, params, projects)

  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const data = new FormData(form)
    const name = String(data.get('name') ?? '')
    const visibility = data.get('shared') ? 'organization' : 'owner'
    if (await add({ name, visibility, ...viewOf(params, projects) })) form.reset()
  }
  return (
    <details
      ref={details}
      className="views"
      // Closes on a link or when the focus leaves. A click on other text keeps it open.
      onClick={(event) => {
        if (details.current && event.target instanceof Element && event.target.closest('a'))
          details.current.open = false
      }}
      onBlur={(event) => {
        const to = event.relatedTarget
        if (details.current && to && !details.current.contains(to)) details.current.open = false
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !details.current?.open) return
        details.current.open = false
        details.current.querySelector('summary')?.focus()
      }}
    >
      <summary className="popup-button views-name">
        <Bookmark size={13} strokeWidth={1.75} aria-hidden="true" />
        {shown ? t('title') : t('open')}
      </summary>
      <div className="views-panel">
        {views.length === 0 ? <p className="text-ink-3">{t('none')}</p> : null}
        <ul aria-label={t('title')}>
          {views.map((view) => (
            <ViewLine
              key={view.id}
              view={view}
              href={`/o/${props.organization}/issues${viewSearch(view, projects)}`}
              isShown={view.id === shown?.id}
              replace={() => void replace(view, viewOf(params, projects))}
              remove={() => void remove(view)}
            />
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
      </div>
    </details>
  )
}

/** One view: its link, its owner, and its actions. */
function ViewLine({
  view,
  href,
  isShown,
  replace,
  remove,
}: {
  view: RestSearch
  href: string
  isShown: boolean
  replace: () => void
  remove: () => void
}) {
  const t = useTranslations('search.views')
  return (
    <li className="views-line">
      <Link href={href} title={view.query} {...(isShown ? { 'aria-current': 'page' as const } : {})}>
        <span className="views-text">
          <PlainText text={view.name} charactersMax={64} />
        </span>
        {view.visibility === 'organization' ? <span className="chip">{t('everybody')}</span> : null}
      </Link>
      {view.isEditable ? (
        <span className="views-acts">
          {isShown ? null : (
            <Button look="plain" compact onClick={replace} aria-label={t('replaceNamed', { name: view.name })}>
              {t('replace')}
            </Button>
          )}
          <Button look="plain" compact onClick={remove} aria-label={t('deleteNamed', { name: view.name })}>
            {t('delete')}
          </Button>
        </span>
      ) : null}
    </li>
  )
}
