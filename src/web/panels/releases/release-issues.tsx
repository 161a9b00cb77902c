'use client'
import '../../styles/issues.css'
import '../../styles/releases.css'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import type { MouseEvent } from 'react'
import type { RestIssue } from '../../../contract/issues.ts'
import { TrendHead, useSharedScale } from '../../ui/chart/trend.tsx'
import { Link } from '../../ui/link.tsx'
import { IssueRow } from '../issue/issue-row.tsx'
import { useRowWords } from '../issue/row-words.ts'
import type { Range } from '../search/range.ts'

/** A few issues as rows of the stream, with a link to all `hits` of them (null: unknown) at `streamPath`. */
export function ReleaseIssues({
  base,
  label,
  rows,
  hits,
  streamPath,
  places,
  range,
}: {
  /** Base path of the organization's pages. */
  base: string
  label: string
  rows: readonly RestIssue[]
  hits: number | null
  streamPath: string
  /** The place of each project in the organization, by slug. */
  places: Readonly<Record<string, number>>
  /** The range of the counts. */
  range: Range
}) {
  const t = useTranslations('releases.page')
  const columns = useTranslations('issues.column')
  const ranges = useTranslations('issues.range.short')
  const router = useRouter()
  const words = useRowWords()
  const shared = useSharedScale(rows)
  function click(event: MouseEvent<HTMLUListElement>): void {
    if (!(event.target instanceof Element) || event.target.closest('.issue-hides a')) return
    const id = event.target.closest('[data-id]')?.getAttribute('data-id')
    if (!id || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    router.push(`${base}/issues/${id}`)
  }
  return (
    <>
      <div className="release-issue-columns">
        <span aria-hidden="true">{columns('issue')}</span>
        <TrendHead range={range.kind === 'relative' ? ranges(range.period) : ranges('absolute')} rows={rows} />
        <span aria-hidden="true">{columns('events')}</span>
        <span aria-hidden="true">{columns('users')}</span>
      </div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: rows are links, the list enlarges the click area */}
      <ul
        className="issue-list release-issues"
        aria-label={label}
        style={{ height: `calc(var(--row-px) * ${rows.length})` }}
        onClick={click}
      >
        {rows.map((issue, index) => (
          <IssueRow
            key={issue.id}
            issue={issue}
            href={`${base}/issues/${issue.id}`}
            index={index}
            total={hits ?? -1}
            isCursor={false}
            isSelected={false}
            words={words}
            shared={shared}
            place={places[issue.project.slug] ?? 0}
          />
        ))}
      </ul>
      <p className="mt-2">
        <Link className="link" href={streamPath}>
          {hits === null ? t('restInStream') : t('inStream', { count: hits })}
        </Link>
      </p>
    </>
  )
}
