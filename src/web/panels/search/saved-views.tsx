'use client'
import { useQuery } from '@tanstack/react-query'
import { Bookmark } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { RestSearch } from '../../../contract/search.ts'
import type { ViewScope } from '../../../domain/view-scopes.ts'
import { apiFetch } from '../../client/api.ts'
import { patientImport } from '../../client/connection.ts'
import { useCloseOutside } from '../../ui/close-outside.ts'
import { useKey } from '../../ui/keys/keys.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import type { OfferUndo } from '../../ui/undo.ts'
import { openViews, type ViewParts, viewsHash, viewsKey } from './views.ts'

export type SavedViewsProps = {
  organization: string
  /** The list: its views are separate. */
  scope: ViewScope
  /** What the list shows now, to save it. */
  current: ViewParts
  /** The query string of a view, with `?`. A view is shown if it has that of the list. */
  searchOf: (view: ViewParts) => string
  /** Loaded with the document. */
  preloaded: RestSearch[] | undefined
  /** Whether the person may share a view with the organization. */
  canShare: boolean
  offerUndo: OfferUndo
  /** The address of the page Explore with this search; undefined if it cannot ask about these rows. */
  exploreHref?: string | undefined
}

/** The saved views of a list. `preloaded` came with the document. */
function useViewList(organization: string, scope: ViewScope, preloaded: RestSearch[] | undefined): RestSearch[] {
  const { data } = useQuery({
    queryKey: viewsKey(organization, scope),
    queryFn: ({ signal }) =>
      apiFetch<RestSearch[]>(`organizations/${organization}/searches/`, { query: { scope }, signal }),
    ...(preloaded ? { initialData: preloaded } : {}),
    staleTime: 60_000,
    retry: false,
  })
  return data ?? []
}

/** The saved view that the list shows. Undefined after a change of any filter. */
export function useShownView({
  organization,
  scope,
  current,
  searchOf,
  preloaded,
}: Pick<SavedViewsProps, 'organization' | 'scope' | 'current' | 'searchOf' | 'preloaded'>): RestSearch | undefined {
  const views = useViewList(organization, scope, preloaded)
  const now = searchOf(current)
  return views.find((view) => searchOf(view) === now)
}

/** The panel with buttons to save, update and delete. It loads when somebody points at the button or opens it. */
const loadEditor = patientImport(() => import('./views-editor.tsx').then((module) => module.ViewsEditor))
const ViewsEditor = dynamic(loadEditor, { ssr: false })

/** Saved views as links that work before scripts run. Once opened, with buttons to save, update and delete. */
export function SavedViews(props: SavedViewsProps) {
  const { organization, scope, preloaded } = props
  const t = useTranslations('search.views')
  const views = useViewList(organization, scope, preloaded)
  const [wasOpened, setOpened] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const details = useRef<HTMLDetailsElement>(null)
  const shown = useShownView(props)
  const keys = useTranslations('issues.keys')
  useKey('v', keys('group'), t('key'), () => void openViews())
  useCloseOutside(details, isOpen)
  useEffect(() => {
    if (location.hash === viewsHash) openViews()
  }, [])
  return (
    <details
      ref={details}
      className="views"
      onPointerEnter={() => void loadEditor()}
      onFocus={() => void loadEditor()}
      onToggle={(event) => {
        setOpened(true)
        setOpen(event.currentTarget.open)
      }}
      // Closes on a link, when the focus leaves, or at a press elsewhere. A click on its own text keeps it open.
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
        {wasOpened ? (
          <ViewsEditor {...props} views={views} shown={shown} />
        ) : (
          <>
            {views.length === 0 ? <p className="text-ink-3">{t('none')}</p> : null}
            <ul aria-label={t('title')}>
              {views.map((view) => (
                <ViewLine key={view.id} view={view} {...props} isShown={view.id === shown?.id} />
              ))}
            </ul>
          </>
        )}
        {props.exploreHref ? (
          <Link className="link" href={props.exploreHref}>
            {t('explore')}
          </Link>
        ) : null}
      </div>
    </details>
  )
}

/** One view: its link, whom it is for, and its actions. */
export function ViewLine({
  view,
  organization,
  scope,
  searchOf,
  isShown,
  children,
}: Pick<SavedViewsProps, 'organization' | 'scope' | 'searchOf'> & {
  view: RestSearch
  isShown: boolean
  children?: ReactNode
}) {
  const t = useTranslations('search.views')
  return (
    <li className="views-line">
      <Link
        href={`/o/${organization}/${scope}${searchOf(view)}`}
        title={view.query}
        {...(isShown ? { 'aria-current': 'page' as const } : {})}
      >
        <span className="views-text">
          <PlainText text={view.name} charactersMax={64} />
        </span>
        {view.visibility === 'organization' ? <span className="chip">{t('everybody')}</span> : null}
        {view.isPinned ? <span className="chip">{t('default')}</span> : null}
      </Link>
      {children}
    </li>
  )
}
