'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Bookmark } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type FormEvent, useRef, useState } from 'react'
import type { RestSearch } from '../../protocol/rest-search.ts'
import { ApiError, apiFetch } from '../api.ts'
import { Button } from '../ui/controls.tsx'
import { Link } from '../ui/link.tsx'
import { PlainText } from '../ui/plain-text.tsx'
import { useToast } from '../ui/toast.tsx'
import type { ProjectName, StreamParams } from './stream-query.ts'
import { shownView, viewOf, viewSearch } from './views.ts'

type Props = {
  organization: string
  params: StreamParams
  projects: readonly ProjectName[]
  /** Those that came with the document. */
  given: RestSearch[] | undefined
  /** Whether the person may make a view everybody's. */
  canShare: boolean
}

/** Views of an organization: the list, and changes of it through the API. */
function useViews(organization: string, given: RestSearch[] | undefined) {
  const client = useQueryClient()
  const key = ['searches', organization]
  const path = `organizations/${organization}/searches/`
  const { data } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => apiFetch<RestSearch[]>(path, { signal }),
    ...(given ? { initialData: given } : {}),
    staleTime: 60_000,
    retry: false,
  })
  const change = async (method: 'POST' | 'PUT' | 'DELETE', id: string, body?: unknown) => {
    await apiFetch(`${path}${id ? `${id}/` : ''}`, { method, ...(body === undefined ? {} : { body }) })
    await client.invalidateQueries({ queryKey: key })
  }
  return { views: data ?? [], change }
}

const sentenceOf = (error: unknown, otherwise: string) => {
  if (!(error instanceof ApiError)) return otherwise
  return Object.values(error.fields).flat()[0] ?? error.message
}

/** Saved views as links, which work before any script runs; saving, bringing up to date and deleting them. */
export function SavedViews({ organization, params, projects, given, canShare }: Props) {
  const t = useTranslations('search.views')
  const toast = useToast()
  const { views, change } = useViews(organization, given)
  const [error, setError] = useState('')
  const details = useRef<HTMLDetailsElement>(null)
  const shown = shownView(views, params, projects)

  async function act(work: Promise<void>, said: string): Promise<boolean> {
    try {
      await work
      setError('')
      toast({ text: said, stayMs: 3000 })
      return true
    } catch (failure) {
      setError(sentenceOf(failure, t('failed')))
      return false
    }
  }
  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const data = new FormData(form)
    const name = String(data.get('name') ?? '')
    const visibility = data.get('shared') ? 'organization' : 'owner'
    if (await act(change('POST', '', { name, visibility, ...viewOf(params, projects) }), t('saved', { name })))
      form.reset()
  }
  return (
    <details
      ref={details}
      className="views"
      // Closed with the address, and when the focus goes elsewhere; a click on nothing in particular leaves it open.
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
      <summary className="input views-name">
        <Bookmark size={13} strokeWidth={1.75} aria-hidden="true" />
        {shown ? <PlainText text={shown.name} charactersMax={24} /> : t('title')}
      </summary>
      <div className="views-panel">
        {views.length === 0 ? <p className="text-ink-3">{t('none')}</p> : null}
        <ul aria-label={t('title')}>
          {views.map((view) => (
            <ViewLine
              key={view.id}
              view={view}
              href={`/o/${organization}/issues${viewSearch(view, projects)}`}
              isShown={view.id === shown?.id}
              replace={() =>
                void act(
                  change('PUT', view.id, { ...viewOf(params, projects), revision: view.revision }),
                  t('saved', { name: view.name }),
                )
              }
              remove={() => void act(change('DELETE', view.id), t('deleted', { name: view.name }))}
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

/** One view: where it leads, whose it is, and what may be done with it. */
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
        <PlainText text={view.name} charactersMax={64} />
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
