'use client'
import '../../styles/issues.css'
import '../../styles/releases.css'
import { useRouter } from 'next/navigation'
import { useLocale, useTranslations } from 'next-intl'
import { type MouseEvent, type ReactNode, useEffect, useRef, useState, useTransition } from 'react'
import { releasePath } from '../../client/release-path.ts'
import { buttonClass } from '../../ui/forms/controls.tsx'
import { useKey } from '../../ui/keys/keys.tsx'
import { Link } from '../../ui/link.tsx'
import { HealthColumns, NoHealth } from '../release-health/health-cells.tsx'
import type { ProjectName } from '../search/list-params.ts'
import { changedSearch, type ReleaseParams, releasesPerPage } from './params.ts'
import { ReleaseFilters, useSearchChange } from './release-filters.tsx'
import { ReleaseRow, type ShownRelease } from './release-row.tsx'
import { useNewReleases } from './use-news.ts'

type ListProps = {
  organization: string
  params: ReleaseParams
  /** The query string that the server read, without `?`. */
  search: string
  projects: readonly ProjectName[]
  environments: string[] | undefined
  rows: readonly ShownRelease[]
  /** Total of matching releases. */
  hits: number
  more: boolean
  /** Whether the events store was unavailable: event counts are missing. */
  away: boolean
  /** When the server loaded the list, ms. */
  asOfMs: number
  /** Shown when there are no rows. */
  children: ReactNode
}

/** The selected row and the keys that act on it. */
function useCursor(rows: readonly ShownRelease[], open: (row: ShownRelease) => void) {
  const t = useTranslations('releases.keys')
  const [cursor, setCursor] = useState<string | null>(null)
  const at = rows.findIndex((row) => row.version === cursor)
  const group = t('group')
  const move = (step: number) => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))]
    if (next) setCursor(next.version)
  }
  const focused = rows[at]
  useKey('j', group, t('down'), () => move(1))
  useKey('k', group, t('up'), () => move(-1))
  useKey('ArrowDown', group, t('down'), () => move(1))
  useKey('ArrowUp', group, t('up'), () => move(-1))
  useKey('o', group, t('open'), () => focused && open(focused))
  useKey('Enter', group, t('open'), (event) => {
    // A focused link or button handles Enter itself.
    if (event.target instanceof HTMLElement && event.target.closest('a, button, select, summary')) event.target.click()
    else if (focused) open(focused)
  })
  return [at, setCursor] as const
}

function Columns({ range, hasHealth }: { range: string; hasHealth: boolean }) {
  const t = useTranslations('releases')
  return (
    <div className="release-columns" aria-hidden="true">
      <span>{t('release')}</span>
      <span>{t('made')}</span>
      <span className="release-number">{t('newIssues')}</span>
      <span className="release-number">
        {t('events')} · {range}
      </span>
      {hasHealth ? <HealthColumns /> : null}
      <span>{t('commits')}</span>
      <span>{t('deploys')}</span>
      <span>{t('artifacts')}</span>
    </div>
  )
}

function Pages({ base, search, at, more }: { base: string; search: string; at: number; more: boolean }) {
  const t = useTranslations('releases')
  const to = (offset: number) =>
    base + changedSearch(new URLSearchParams(search), { at: offset > 0 ? String(offset) : null })
  return (
    <nav className="release-pages" aria-label={t('title')}>
      {at > releasesPerPage ? (
        <Link className="link" href={to(0)}>
          {t('newest')}
        </Link>
      ) : null}
      {at > 0 ? (
        <Link className="link" href={to(Math.max(0, at - releasesPerPage))}>
          {t('newer')}
        </Link>
      ) : null}
      {more ? (
        <Link className="link" href={to(at + releasesPerPage)}>
          {t('older')}
        </Link>
      ) : null}
    </nav>
  )
}

/** The release list with search, filters and keys. The server renders the rows again for each URL. */
export function ReleaseList(props: ListProps) {
  const { organization, params, rows, search, hits, away } = props
  const t = useTranslations('releases')
  const ranges = useTranslations('issues.range.short')
  const locale = useLocale()
  const router = useRouter()
  const [isPending, change] = useSearchChange()
  const [refreshing, start] = useTransition()
  const list = useRef<HTMLUListElement>(null)
  const refresh = () => start(() => router.refresh())
  const open = (row: ShownRelease) => router.push(releasePath(organization, row.version))
  const [at, setCursor] = useCursor(rows, open)
  const newReleases = useNewReleases({ organization, params, rows, projects: props.projects, asOfMs: props.asOfMs })
  useEffect(() => {
    list.current?.querySelectorAll('[data-version]')[at]?.scrollIntoView({ block: 'nearest' })
  }, [at])

  function click(event: MouseEvent<HTMLUListElement>): void {
    if (!(event.target instanceof Element) || event.target.closest('a')) return
    const version = event.target.closest('[data-version]')?.getAttribute('data-version')
    const row = rows.find((candidate) => candidate.version === version)
    if (!row || window.getSelection()?.toString()) return
    setCursor(row.version)
    open(row)
  }
  const { range } = params
  const hasHealth = rows.some((row) => row.health !== undefined)
  return (
    <div className="stream releases">
      <div className="stream-head">
        <h1>{t('title')}</h1>
        <span className="text-ink-3">{t('count', { count: hits })}</span>
        {rows.length > 1 ? (
          <Link className={buttonClass({ compact: true }, 'ml-auto')} href={`/o/${organization}/releases/compare`}>
            {t('compare')}
          </Link>
        ) : null}
      </div>
      <ReleaseFilters
        organization={organization}
        params={params}
        projects={props.projects}
        environments={props.environments}
        change={change}
        refresh={refresh}
      />
      {rows.length > 0 ? (
        <Columns range={range.kind === 'relative' ? ranges(range.period) : ranges('absolute')} hasHealth={hasHealth} />
      ) : null}
      {newReleases > 0 ? (
        <button type="button" className="stream-news" onClick={refresh}>
          {t('news', { count: newReleases })}
        </button>
      ) : null}
      {away ? (
        <div className="stream-away" role="status">
          {t('away')}
        </div>
      ) : null}
      {rows.length === 0 ? (
        props.children
      ) : (
        // biome-ignore lint/a11y/useKeyWithClickEvents: rows have links, the list enlarges the click area
        <ul
          ref={list}
          className="release-list"
          aria-label={t('title')}
          aria-busy={isPending || refreshing}
          data-dimmed={isPending || undefined}
          onClick={click}
        >
          {rows.map((row, index) => (
            <ReleaseRow
              key={row.version}
              organization={organization}
              row={row}
              isCursor={index === at}
              locale={locale}
            />
          ))}
        </ul>
      )}
      {rows.length > 0 && !hasHealth && !away ? <NoHealth /> : null}
      <Pages base={`/o/${organization}/releases`} search={search} at={params.at} more={props.more} />
    </div>
  )
}
