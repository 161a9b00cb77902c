import type { RuleBranch } from '../../query/alerts/rule-filter.ts'
import type { QueryDeps } from '../../query/issues/issue.ts'

/** An issue whose filter is checked, with the event that it is about; '' for its events of the last day. */
type Subject = { issueId: number | null; projectId: number; eventId: string; atMs: number }

type Deps = Pick<QueryDeps, 'events' | 'meta'>

const dayMs = 86_400_000
/** An event can wait so long between receipt and commit. */
const lagMs = 8 * dayMs

const isFree = ({ issue, event }: RuleBranch): boolean => issue === undefined && event === undefined

/** Whether the event of a subject, or a recent event of its issue, meets a condition on events. */
async function hasEvent(
  { events, meta }: Deps,
  { event }: RuleBranch,
  { issueId, projectId, eventId, atMs }: Subject & { issueId: number },
): Promise<boolean> {
  if (!event) return true
  const hashes = (await meta.issues.hashesOf([issueId])).get(issueId) ?? []
  const rows = await events.groupRows({
    from: 'events',
    scope: {
      projectIds: [projectId],
      environments: [],
      fromMs: atMs - (eventId === '' ? dayMs : lagMs),
      toMs: atMs + dayMs,
    },
    by: 'received',
    filter: {
      op: 'and',
      of: [
        event,
        { op: 'event', of: { op: 'groups', hashes } },
        ...(eventId === ''
          ? []
          : [
              {
                op: 'event' as const,
                of: { op: 'field' as const, field: 'event_id' as const, match: 'is' as const, value: eventId },
              },
            ]),
      ],
    },
    withCut: false,
    values: [],
    aggregates: [{ fn: 'samples' }],
    having: [],
    order: [],
    max: 1,
    offset: 0,
  })
  return Number(rows[0]?.[0] ?? 0) > 0
}

/**
 * Returns whether a subject meets the filter of a rule. One without an issue meets only a filter without conditions. Throws
 * QUERY_TIMEOUT, STORE_UNAVAILABLE.
 */
export async function meetsFilter(deps: Deps, branches: readonly RuleBranch[], subject: Subject): Promise<boolean> {
  const { issueId } = subject
  for (const branch of branches) {
    if (!branch.projectIds.includes(subject.projectId)) continue
    if (isFree(branch)) return true
    if (issueId === null) continue
    if (branch.issue && !(await deps.meta.issues.issueStarts([issueId], branch.issue)).has(issueId)) continue
    if (await hasEvent(deps, branch, { ...subject, issueId })) return true
  }
  return false
}
