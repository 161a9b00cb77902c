'use client'
import { useLocale, useTranslations } from 'next-intl'
import { memo, useMemo } from 'react'
import type { RestIssue } from '../../../contract/issues.ts'
import { withBase } from '../../base-path.ts'
import { sparkHeightPx, sparkOf, sparkWidthPx } from '../../ui/chart/bars.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { useAge, useNow } from '../../ui/time.tsx'

/** The sparkline as one path: one element per bar would be too slow for a list of 10,000 rows. */
const Spark = memo(function Spark({ stats, annotations }: { stats: RestIssue['stats']; annotations: string }) {
  const { path, barPx } = sparkOf((Object.values(stats)[0] ?? []).map((point) => point[1]))
  return (
    <svg
      aria-hidden="true"
      className="spark"
      width={sparkWidthPx}
      height={sparkHeightPx}
      viewBox={`0 0 ${sparkWidthPx} ${sparkHeightPx}`}
    >
      {annotations ? <path d={annotations} className="spark-marks" /> : null}
      <path d={path} strokeWidth={barPx} />
    </svg>
  )
})

/** Texts for all rows. Called once per list: hooks in each row would cost more than its elements. */
export function useRowWords() {
  const t = useTranslations('issues')
  const badge = useTranslations('issues.badge')
  const noise = useTranslations('noise')
  const level = useTranslations('level')
  const locale = useLocale()
  const age = useAge()
  const now = useNow()
  // `age` is a new function at each render, but its results change only with `now`.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  return useMemo(
    () => ({
      t,
      badge,
      noise,
      level,
      age,
      number: new Intl.NumberFormat(locale),
      unassigned: t('unassigned'),
      seenFirst: t('seen.first'),
      seenLast: t('seen.last'),
    }),
    [t, badge, noise, level, locale, now],
  )
}

type RowWords = ReturnType<typeof useRowWords>

/** The badges of an issue: new, regressed, escalating, unhandled, resolved, archived. */
export function Badges({ issue, badge }: { issue: RestIssue; badge: RowWords['badge'] }) {
  return (
    <>
      {issue.status === 'resolved' ? <span className="chip text-ok">{badge('resolved')}</span> : null}
      {issue.status === 'ignored' ? <span className="chip text-ink-3">{badge('archived')}</span> : null}
      {issue.status === 'unresolved' && issue.substatus === 'new' ? (
        <span className="chip text-accent">{badge('new')}</span>
      ) : null}
      {issue.status === 'unresolved' && issue.substatus === 'regressed' ? (
        <span className="chip text-warning">{badge('regressed')}</span>
      ) : null}
      {issue.status === 'unresolved' && issue.substatus === 'escalating' ? (
        <span className="chip text-error">{badge('escalating')}</span>
      ) : null}
      {issue.isUnhandled ? <span className="chip text-error">{badge('unhandled')}</span> : null}
    </>
  )
}

/** Shows that the team cannot fix the issue. The reason is visible while the row has hover or focus. */
function NoiseChip({ issue, noise }: { issue: RestIssue; noise: RowWords['noise'] }) {
  if (!issue.noise) return null
  const { kind } = issue.noise
  const why = noise(`why.${kind}`)
  return (
    <>
      <span className="chip text-ink-3" title={why}>
        {noise('chip', { kind: noise(`kind.${kind}`) })}
      </span>
      <span id={`noise-${issue.id}`} className="noise-why">
        {why}
      </span>
    </>
  )
}

/** Type and message of an issue from its metadata. Without a type: its title alone. */
export function headOf(issue: Pick<RestIssue, 'metadata' | 'title'>): { type: string; value: string } {
  const { type, value } = issue.metadata
  return type ? { type, value: value ?? '' } : { type: issue.title, value: '' }
}

type RowProps = {
  issue: RestIssue
  href: string
  index: number
  total: number
  isCursor: boolean
  isSelected: boolean
  words: RowWords
  offsetPx: number
  /** The release lines of its project on the sparkline, as a path. */
  spark?: string
}

/**
 * One row, 52 px. Uses `top` instead of a transform: each transform creates a paint layer, and scrolling then repaints
 * the window instead of only the new rows. The list handles clicks: `data-check` marks checkboxes, everything else is
 * the link.
 */
export const IssueRow = memo(function IssueRow({
  issue,
  href,
  index,
  total,
  isCursor,
  isSelected,
  words,
  offsetPx,
  spark = '',
}: RowProps) {
  const { t, badge, noise, level, age, number, unassigned, seenFirst, seenLast } = words
  const { type, value } = headOf(issue)
  const last = Date.parse(issue.lastSeen)
  const first = Date.parse(issue.firstSeen)
  const seenTitle = `${seenFirst} ${issue.firstSeen}\n${seenLast} ${issue.lastSeen}`
  const [lastAge, firstAge, count] = [age(last), age(first), number.format(Number(issue.count))]
  return (
    <li
      className="issue-row"
      style={{ top: offsetPx }}
      data-id={issue.id}
      data-cursor={isCursor || undefined}
      data-selected={isSelected || undefined}
      data-done={issue.status !== 'unresolved' || undefined}
      aria-setsize={total}
      aria-posinset={index + 1}
    >
      <span className="issue-check">
        <input
          type="checkbox"
          className="checkbox"
          data-check={issue.id}
          checked={isSelected}
          readOnly
          aria-label={t('select', { issue: issue.shortId })}
        />
      </span>
      <span className="issue-main">
        <span className="issue-line">
          <SeverityShape level={issue.level} label={level(issue.level)} />
          <a
            className="issue-link"
            href={withBase(href)}
            aria-describedby={issue.noise ? `noise-${issue.id}` : undefined}
          >
            <b className="issue-type">
              <PlainText text={type} charactersMax={120} />
            </b>
            <span className="issue-value">
              <PlainText text={value} charactersMax={300} />
            </span>
          </a>
        </span>
        <span className="issue-line issue-second">
          <code>{issue.shortId}</code>
          <span className="issue-culprit">
            <PlainText text={issue.culprit} charactersMax={200} />
          </span>
          <Badges issue={issue} badge={badge} />
          <NoiseChip issue={issue} noise={noise} />
          <span className="issue-narrow">
            {count} · {lastAge}
          </span>
        </span>
      </span>
      <span className="issue-spark">
        <Spark stats={issue.stats} annotations={spark} />
      </span>
      <span className="issue-number">{count}</span>
      <span className="issue-number issue-users">{number.format(issue.userCount)}</span>
      <span className="issue-seen" title={seenTitle}>
        <span>{lastAge}</span>
        {/* Show the age once if the issue is as old as its last event. */}
        <span className="issue-age">{firstAge === lastAge ? '' : t('old', { age: firstAge })}</span>
      </span>
      <span className="issue-assignee">
        {issue.assignedTo ? (
          <PlainText text={issue.assignedTo.name || issue.assignedTo.email} charactersMax={60} />
        ) : (
          <span className="text-ink-3">{unassigned}</span>
        )}
      </span>
    </li>
  )
})
