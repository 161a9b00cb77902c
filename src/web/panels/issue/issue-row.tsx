'use client'
import '../../styles/rows.css'
import { memo } from 'react'
import type { RestIssue } from '../../../contract/issues.ts'
import { withBase } from '../../base-path.ts'
import { peakOf, type SharedScale, Trend } from '../../ui/chart/trend.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { headOf } from './issue-head.ts'
import { Hides, RowAssignee, StateWord } from './row-parts.tsx'
import type { RowWords } from './row-words.ts'

type RowProps = {
  issue: RestIssue
  href: string
  index: number
  total: number
  isCursor: boolean
  isSelected: boolean
  words: RowWords
  /** The scale of all trends in the list. */
  shared: SharedScale
  /** The place of its project in the organization's list, for the rail. -1: no rail. */
  place: number
  /** Whether the suggested owner is a button. */
  canAccept?: boolean
}

/**
 * One row, 52 px, or 72 px on a phone. Uses `top` instead of a transform: each transform creates a paint layer, and
 * scrolling then repaints the window instead of only the new rows. The style sheet knows the height of rows, so that
 * the rows of the document are in place before a script runs. The list handles clicks: `data-check` marks checkboxes,
 * `data-accept` suggested owners; other links and buttons handle themselves, everything else is the link.
 */
export const IssueRow = memo(function IssueRow({
  issue,
  href,
  index,
  total,
  isCursor,
  isSelected,
  words,
  shared,
  place,
  canAccept = false,
}: RowProps) {
  const { t, row, level, age, number, priority, seenFirst, seenLast } = words
  const { type, value } = headOf(issue)
  const last = Date.parse(issue.lastSeen)
  const first = Date.parse(issue.firstSeen)
  const seenTitle = `${seenFirst} ${issue.firstSeen}\n${seenLast} ${issue.lastSeen}`
  const [lastAge, firstAge, count] = [age(last), age(first), number.format(Number(issue.count))]
  return (
    <li
      className="issue-row"
      style={{ top: `calc(var(--row-px) * ${index})` }}
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
          {place < 0 ? null : <Rail place={place} />}
          <code title={issue.project.name}>{issue.shortId}</code>
          <StateWord issue={issue} words={words} />
          {issue.issueCategory === 'performance' ? (
            <span className="issue-state">{words.badge('performance')}</span>
          ) : null}
          <Hides issue={issue} href={href} words={words} />
          <span className="issue-culprit">
            <PlainText text={issue.culprit} charactersMax={200} />
          </span>
        </span>
      </span>
      <span className="issue-trend">
        <Trend stats={issue.stats} shared={shared} peak={number.format(peakOf(issue.stats))} />
      </span>
      <span className="issue-number">
        <b>{count}</b>
        <span className="issue-narrow">{row('events', { count: Number(issue.count) })}</span>
      </span>
      <span className="issue-number issue-users">{issue.userCount ? number.format(issue.userCount) : '–'}</span>
      <span className="issue-seen" title={seenTitle}>
        <span>{lastAge}</span>
        {/* Show the age once if the issue is as old as its last event. */}
        <span className="issue-age">{firstAge === lastAge ? '' : t('old', { age: firstAge })}</span>
      </span>
      <span className="issue-priority" data-priority={issue.priority}>
        {priority[issue.priority]}
      </span>
      <RowAssignee issue={issue} words={words} canAccept={canAccept} />
    </li>
  )
})
