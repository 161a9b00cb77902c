'use client'
import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { usePathname, useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import type { RestIssueCounts, RestSearch } from '../../../contract/search.ts'
import { apiFetch } from '../../client/api.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'
import { paramsOf } from '../search/list-params.ts'
import { openViews, shownView, viewSearch, viewsHash, viewsKey } from '../search/views.ts'
import { type Frame, projectSearch } from './frame.ts'
import type { useSelection } from './use-selection.ts'

const small = { size: 13, strokeWidth: 1.75, 'aria-hidden': true } as const
/** Rows of each list; more would push the other list out of sight. */
const rowsMax = 30

/** The saved views. The stream changes them, and both use one query. */
export function useSavedViews({ organization, views }: Frame): RestSearch[] {
  const { data } = useQuery({
    queryKey: viewsKey(organization.slug, 'issues'),
    queryFn: ({ signal }) => apiFetch<RestSearch[]>(`organizations/${organization.slug}/searches/`, { signal }),
    initialData: views,
    staleTime: 60_000,
    retry: false,
  })
  return data
}

/** The view that the stream shows now. */
export function useOpenView({ organization, projects }: Frame, views: readonly RestSearch[]): RestSearch | undefined {
  const path = usePathname()
  const search = useSearchParams()
  return path === `/o/${organization.slug}/issues`
    ? shownView(views, paramsOf(new URLSearchParams(search)), projects)
    : undefined
}

/** A count beside a row. Screen readers hear `label`. */
function Count({ count, label }: { count: number; label: string }) {
  return (
    <span className="shell-count">
      <span aria-hidden="true">{count > 9999 ? '9999+' : count}</span>
      <span className="visually-hidden">{label}</span>
    </span>
  )
}

export function ViewList({
  frame,
  views,
  open,
  counts,
}: {
  frame: Frame
  views: readonly RestSearch[]
  open: RestSearch | undefined
  counts: RestIssueCounts | undefined
}) {
  const t = useTranslations('frame')
  const base = `/o/${frame.organization.slug}/issues`
  const countOf = (id: string) => counts?.views.find((view) => view.id === id)?.count
  return (
    <section className="shell-list" aria-label={t('views')}>
      <div className="shell-heading">
        <p>{t('views')}</p>
        <Link
          href={`${base}${viewsHash}`}
          className="shell-add"
          title={t('saveView')}
          aria-label={t('saveView')}
          onClick={(event) => {
            // The list on screen is what the person wants to save.
            if (openViews()) event.preventDefault()
          }}
        >
          <Plus {...small} />
        </Link>
      </div>
      {views.length === 0 ? <p className="shell-none">{t('noView')}</p> : null}
      <ul>
        {views.slice(0, rowsMax).map((view) => {
          const count = countOf(view.id)
          return (
            <li key={view.id}>
              {/* An empty project: without any parameter the address would mean the remembered projects. */}
              <Link
                href={`${base}${viewSearch(view, frame.projects) || '?project='}`}
                className="shell-row"
                title={view.query}
                aria-current={view.id === open?.id ? 'page' : undefined}
              >
                <span className="shell-text">
                  <PlainText text={view.name} charactersMax={64} />
                </span>
                {typeof count === 'number' ? <Count count={count} label={t('viewCount', { count })} /> : null}
              </Link>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** The projects. A click filters the list on screen, or opens the issues of the project. */
export function ProjectList({
  frame,
  selection,
  counts,
}: {
  frame: Frame
  selection: ReturnType<typeof useSelection>
  counts: RestIssueCounts | undefined
}) {
  const t = useTranslations('frame')
  const path = usePathname()
  const search = useSearchParams()
  const base = `/o/${frame.organization.slug}`
  const isList = path === `${base}/issues` || path === `${base}/releases`
  const hrefOf = (slugs: readonly string[]) => {
    if (!isList) return `${base}/issues${projectSearch(slugs)}`
    const next = new URLSearchParams(search)
    next.delete('project')
    // A position in the list belongs to the old projects.
    next.delete('at')
    const text = next.toString()
    const project = slugs.length ? `project=${slugs.join(',')}` : 'project='
    return `${path}?${text ? `${text}&` : ''}${project}`
  }
  const countOf = (id: string) => counts?.projects.find((project) => project.id === id)?.unresolved
  return (
    <section className="shell-list" aria-label={t('projects')}>
      <div className="shell-heading">
        <Link href={`${base}/projects`} className="shell-heading-link">
          {t('projects')}
        </Link>
        {selection.shown.length ? (
          <Link
            href={hrefOf([])}
            onClick={() => selection.remember([])}
            className="shell-clear"
            title={t('clearProjects')}
            aria-label={t('clearProjects')}
          >
            {t('allProjects')} <X {...small} />
          </Link>
        ) : null}
        {frame.rights.createProject ? (
          <Link
            href={`${base}/projects/new`}
            className="shell-add"
            title={t('newProject')}
            aria-label={t('newProject')}
          >
            <Plus {...small} />
          </Link>
        ) : null}
      </div>
      {frame.projects.length === 0 ? <p className="shell-none">{t('noProject')}</p> : null}
      <ul>
        {frame.projects.slice(0, rowsMax).map((project, place) => {
          const count = countOf(project.id)
          const isSelected = selection.shown.includes(project.slug)
          return (
            <li key={project.id}>
              <Link
                href={hrefOf([project.slug])}
                className="shell-row"
                aria-current={isSelected ? 'true' : undefined}
                title={t('onlyProject', { name: project.name })}
                onClick={() => selection.remember([project.slug])}
              >
                <Rail place={place} />
                <span className="shell-text">
                  <PlainText text={project.slug} charactersMax={64} />
                </span>
                {count === undefined ? null : <Count count={count} label={t('unresolved', { count })} />}
              </Link>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
