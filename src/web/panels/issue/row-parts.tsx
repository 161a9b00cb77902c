'use client'
import type { RestIssue } from '../../../contract/issues.ts'
import { withBase } from '../../base-path.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { rowState } from './row-state.ts'
import type { RowWords } from './row-words.ts'

/** That the team cannot fix the issue. The reason is visible while the row has hover or focus. */
function NoiseWord({ id, noise, words }: { id: string; noise: NonNullable<RestIssue['noise']>; words: RowWords }) {
  const why = words.noise(`why.${noise.kind}`)
  return (
    <>
      <span className="issue-state" title={why}>
        {words.noise('chip', { kind: words.noise(`kind.${noise.kind}`) })}
      </span>
      <span id={`noise-${id}`} className="noise-why">
        {why}
      </span>
    </>
  )
}

/** The state word of a row. */
export function StateWord({ issue, words }: { issue: RestIssue; words: RowWords }) {
  const { row, badge } = words
  const state = rowState(issue)
  if (!state) return null
  if (state.kind === 'noise') return issue.noise ? <NoiseWord id={issue.id} noise={issue.noise} words={words} /> : null
  if (state.kind === 'times')
    return (
      <span className="issue-state" data-state="escalating" title={row('timesWhy')}>
        <span aria-hidden="true">↗ </span>
        {row('times', { times: state.times })}
      </span>
    )
  const sign = state.kind === 'regressed' ? '↺ ' : state.kind === 'escalating' ? '↗ ' : ''
  return (
    <span className="issue-state" data-state={state.kind}>
      {sign ? <span aria-hidden="true">{sign}</span> : null}
      {badge(state.kind)}
    </span>
  )
}

/** Maximum hidden errors that a row links. The others are only counted. */
const hiddenShown = 3

/** Links to the server errors that the issue's browser events hide. Their addresses differ from `href` in the id only. */
export function Hides({ issue, href, words }: { issue: RestIssue; href: string; words: RowWords }) {
  const { hides } = issue
  if (hides.length === 0) return null
  const more = hides.length - hiddenShown
  return (
    <span className="issue-hides" title={words.row('hidesWhy')}>
      {words.row('hides')}{' '}
      {hides.slice(0, hiddenShown).map(({ id, shortId }, at) => (
        <span key={id}>
          {at > 0 ? ', ' : ''}
          <a className="link" href={withBase(href.replace(`/issues/${issue.id}`, `/issues/${id}`))}>
            {shortId}
          </a>
        </span>
      ))}
      {more > 0 ? ` +${more}` : ''}
    </span>
  )
}

/** The first name, or the part of an address before the @. */
const shortName = ({ name, email }: { name: string; email: string }) => (name || email).split(/[\s@]/, 1)[0] || email

/** The assignee, or the suggested one as a button that assigns. The list handles its click (`data-accept`). */
export function RowAssignee({ issue, words, canAccept }: { issue: RestIssue; words: RowWords; canAccept: boolean }) {
  const { assignedTo, suggestedOwner } = issue
  if (assignedTo)
    return (
      <span className="issue-assignee" title={assignedTo.name || assignedTo.email}>
        <Avatar name={assignedTo.name || assignedTo.email} />
        <span className="issue-name">
          <PlainText text={shortName(assignedTo)} charactersMax={60} />
        </span>
      </span>
    )
  if (!suggestedOwner)
    return (
      <span className="issue-assignee text-ink-3">
        <Avatar name={undefined} />
        <span className="issue-name">{words.unassigned}</span>
      </span>
    )
  const full = suggestedOwner.name || suggestedOwner.email
  const why = words.row(canAccept ? 'accept' : 'suggested', { name: full, rule: suggestedOwner.rule })
  const content = (
    <>
      <Avatar name={full} isSuggested />
      <span className="issue-name">
        <PlainText text={`${shortName(suggestedOwner)}?`} charactersMax={60} />
      </span>
    </>
  )
  return canAccept ? (
    <button type="button" className="issue-assignee text-ink-3" data-accept={issue.id} title={why} aria-label={why}>
      {content}
    </button>
  ) : (
    <span className="issue-assignee text-ink-3" title={why}>
      {content}
    </span>
  )
}
