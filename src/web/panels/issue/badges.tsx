import type { RestIssue } from '../../../contract/issues.ts'
import type { RowWords } from './row-words.ts'

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
      {issue.issueCategory === 'performance' ? <span className="chip">{badge('performance')}</span> : null}
      {issue.isUnhandled ? <span className="chip text-error">{badge('unhandled')}</span> : null}
    </>
  )
}
