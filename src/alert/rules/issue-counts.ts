import { beforeMs } from '../../domain/alerts/metric-rules.ts'
import type { QueryDeps } from '../../query/issues/issue.ts'
import type { Aggregate, Filter, Value } from '../../store/events/question.ts'
import type { Counted, WindowTrigger } from './issue.ts'
import { queryLimits } from './query-limits.ts'

/** Events that are counted: rules with the same part share the queries. */
export type CountedPart = { projectIds: number[]; environments: string[]; event: Filter | undefined }

type Range = { fromMs: number; toMs: number }
type Deps = Pick<QueryDeps, 'events' | 'meta'>

/** Groups that are looked at in one step, those with most events. A minute with more is a flood of new issues. */
const groupsMax = 2000

const group: Value[] = [
  { of: 'number', column: 'projectId' },
  { of: 'id', column: 'group' },
]
const samples: Aggregate = { fn: 'samples' }
const people: Aggregate = { fn: 'unique', of: { of: 'id', column: 'user' } }

/** The condition of a part, and of groups if they are given. */
export const groupFilter = (event: Filter | undefined, hashes?: string[]): Filter => ({
  op: 'and',
  of: [...(event ? [event] : []), ...(hashes ? [{ op: 'event' as const, of: { op: 'groups' as const, hashes } }] : [])],
})

/** Asks the events that came in a range of time of receipt, by group. */
const askGroups = (
  { events }: Deps,
  { projectIds, environments, event }: CountedPart,
  range: Range,
  { only, aggregate = samples }: { only?: string[]; aggregate?: Aggregate } = {},
) =>
  events.groupRows({
    from: 'events',
    scope: { projectIds, environments, ...range },
    by: 'received',
    filter: groupFilter(event, only),
    withCut: false,
    values: group,
    aggregates: [aggregate],
    having: [],
    order: [{ at: 2, descending: true }],
    max: groupsMax,
    offset: 0,
    limits: queryLimits,
  })

/** Counts of issues in windows. Each window is asked once, for all issues and rules of a part. */
export type Counts = {
  issueIds: number[]
  /** Throws QUERY_TIMEOUT, STORE_UNAVAILABLE. */
  counted(trigger: WindowTrigger): Promise<Map<number, Counted>>
  earlier(trigger: Extract<WindowTrigger, { type: 'rate' }>): Promise<Map<number, Counted>>
}

/** Counts of issues at the end of a step. `issues`: their groups, by `${projectId}:${hash}`. */
function countsOf(
  deps: Deps,
  part: CountedPart,
  issues: ReadonlyMap<string, number>,
  { endMs, stepMs }: { endMs: number; stepMs: number },
): Counts {
  const hashes = [...new Set([...issues.keys()].map((key) => key.slice(key.indexOf(':') + 1)))]
  const asked = new Map<string, Promise<Map<number, number>>>()
  const read = async (range: Range, isPeople: boolean) => {
    const sums = new Map<number, number>()
    const options = { only: hashes, aggregate: isPeople ? people : samples }
    for (const [projectId, hash, count] of await askGroups(deps, part, range, options)) {
      const issueId = issues.get(`${projectId}:${hash}`)
      if (issueId === undefined) continue
      const sum = sums.get(issueId) ?? 0
      // One person can be in several groups of an issue, so the largest group is a sure minimum.
      sums.set(issueId, isPeople ? Math.max(sum, Number(count)) : sum + Number(count))
    }
    return sums
  }
  const at = (toMs: number, { type, windowMinutes }: WindowTrigger) => {
    const fromMs = toMs - windowMinutes * 60_000
    const key = `${fromMs} ${toMs} ${type === 'users'}`
    const answer = asked.get(key) ?? read({ fromMs, toMs }, type === 'users')
    asked.set(key, answer)
    return answer
  }
  const both = async (trigger: WindowTrigger, shiftMs: number): Promise<Map<number, Counted>> => {
    const now = await at(endMs - shiftMs, trigger)
    const before = await at(endMs - stepMs - shiftMs, trigger)
    return new Map([...now].map(([id, count]) => [id, { now: count, before: before.get(id) ?? 0 }]))
  }
  return {
    issueIds: [...new Set(issues.values())],
    counted: (trigger) => both(trigger, 0),
    earlier: (trigger) => both(trigger, beforeMs[trigger.before]),
  }
}

async function groupsOf({ meta }: Deps, projectOf: ReadonlyMap<number, number>): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const [issueId, hashes] of await meta.issues.hashesOf([...projectOf.keys()]))
    for (const hash of hashes) found.set(`${projectOf.get(issueId)}:${hash}`, issueId)
  return found
}

/** The counts of one issue at a moment. */
export async function countsOfIssue(
  deps: Deps,
  part: CountedPart,
  { id, projectId }: { id: number; projectId: number },
  at: { endMs: number; stepMs: number },
): Promise<Counts> {
  return countsOf(deps, part, await groupsOf(deps, new Map([[id, projectId]])), at)
}

/** The counts of all issues that had events in the step that ends at `endMs`. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE. */
export async function countsOfStep(
  deps: Deps,
  part: CountedPart,
  at: { endMs: number; stepMs: number },
): Promise<Counts> {
  const touched = (await askGroups(deps, part, { fromMs: at.endMs - at.stepMs, toMs: at.endMs })).map(
    ([projectId, groupHash]) => ({ projectId: Number(projectId), groupHash: String(groupHash) }),
  )
  const ids = await deps.meta.issues.issueIdsOf(touched)
  const projectOf = new Map([...ids].map(([key, id]) => [id, Number(key.slice(0, key.indexOf(':')))]))
  return countsOf(deps, part, await groupsOf(deps, projectOf), at)
}
