import type { GroupWeek, LargeGroup } from '../store/events/downsample.ts'
import type { EventStore } from '../store/events/event-store.ts'
import { retainedMax } from '../store/events/spread.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

export type CandidateDeps = {
  meta: MetaWith<'issues.issueIdsOf' | 'issues.hashesOf' | 'retention.issuesOver'>
  events: Pick<EventStore, 'weeks' | 'largeGroups' | 'rowsByWeekOf' | 'retainedEventsOf' | 'rowsOfCut'>
}

/** Events of one issue in one week that can be evicted: `rows` events of these groups, without the kept ones. */
export type Unit = { week: string; projectId: number; issueId: number; hashes: string[]; keep: string[]; rows: number }

type IssueWeek = { week: string; projectId: number; issueId: number; rows: number }

/** Groups per query. Ordering applies within this number, because each query reads the keys of all events. */
const groupsMax = 2000
/** Units per step. Units of one week and project form one cut, which then has 1,100 ids to keep. */
const unitsMax = 50
/** Number of issues whose kept ids are cached: some 1.5 KB each. */
const cachedIssuesMax = 2000
const weekMs = 7 * 86_400_000
const startOf = (week: string) => Date.parse(`${week}T00:00:00Z`)

/**
 * Orders crowds for downsampling: by repetitions times age in weeks, highest first. So a flood of this week goes before
 * the few events of an old crowd. At equal weight the older crowd goes first.
 */
export function orderOf<T extends { week: string; rows: number }>(issueWeeks: readonly T[]): T[] {
  const newestMs = issueWeeks.reduce((most, issueWeek) => Math.max(most, startOf(issueWeek.week)), 0)
  const weight = ({ week, rows }: T) => rows * ((newestMs - startOf(week)) / weekMs + 1)
  return [...issueWeeks].sort((a, b) => weight(b) - weight(a) || startOf(a.week) - startOf(b.week))
}

/** Returns ordered crowds of issues above their kept number. A crowd counts at most what its issue can lose. */
async function weeksOfIssues(
  { meta, events }: CandidateDeps,
  issues: Map<number, number>,
  before: number,
): Promise<IssueWeek[]> {
  const hashesOf = await meta.issues.hashesOf([...issues.keys()])
  const found: GroupWeek[] = []
  for (const [projectId, some] of Map.groupBy(issues, ([, project]) => project)) {
    const hashes = some.flatMap(([id]) => hashesOf.get(id) ?? [])
    for (let start = 0; start < hashes.length; start += groupsMax)
      found.push(...(await events.rowsByWeekOf(projectId, hashes.slice(start, start + groupsMax), before)))
  }
  const owner = new Map(
    [...hashesOf].flatMap(([id, hashes]) => hashes.map((hash) => [`${issues.get(id)} ${hash}`, id])),
  )
  const issueWeeks = new Map<string, IssueWeek>()
  const totals = new Map<number, number>()
  for (const { week, projectId, groupHash, rows } of found) {
    const issueId = owner.get(`${projectId} ${groupHash}`)
    if (issueId === undefined) continue
    totals.set(issueId, (totals.get(issueId) ?? 0) + rows)
    const key = `${week} ${issueId}`
    issueWeeks.set(key, { week, projectId, issueId, rows: (issueWeeks.get(key)?.rows ?? 0) + rows })
  }
  const bounded = [...issueWeeks.values()].map((issueWeek) => ({
    ...issueWeek,
    rows: Math.min(issueWeek.rows, (totals.get(issueWeek.issueId) ?? 0) - retainedMax),
  }))
  return orderOf(bounded.filter((item) => item.rows > 0))
}

/** Yields issues whose groups have more events than the kept number, heaviest first. */
async function* heavy(deps: CandidateDeps, before: number): AsyncGenerator<IssueWeek[]> {
  const { meta, events } = deps
  const newest = (await events.weeks()).at(-1)
  if (newest === undefined) return
  for (let after: LargeGroup | undefined; ; ) {
    const groups = await events.largeGroups({ before, newest, max: groupsMax, ...(after ? { after } : {}) })
    if (groups.length === 0) return
    after = groups.at(-1)
    const issueOf = await meta.issues.issueIdsOf(groups)
    const issues = new Map<number, number>()
    for (const { projectId, groupHash } of groups) {
      const id = issueOf.get(`${projectId}:${groupHash}`)
      if (id !== undefined) issues.set(id, projectId)
    }
    yield await weeksOfIssues(deps, issues, before)
  }
}

/** Yields issues that spread over several groups, none of which is above the kept number. */
async function* scattered(deps: CandidateDeps, before: number): AsyncGenerator<IssueWeek[]> {
  const { meta } = deps
  for (let after = 0; ; ) {
    const { last, issues } = await meta.retention.issuesOver(retainedMax, after, groupsMax)
    if (last === undefined) return
    after = last
    const hashesOf = await meta.issues.hashesOf(issues.map((issue) => issue.id))
    const several = issues.filter(({ id }) => (hashesOf.get(id)?.length ?? 0) > 1)
    if (several.length > 0)
      yield await weeksOfIssues(deps, new Map(several.map(({ id, projectId }) => [id, projectId])), before)
  }
}

/** Returns the kept ids of an issue. Caches the most recent issues. */
function createRetainedIds({ meta, events }: CandidateDeps, before: number) {
  const cache = new Map<number, { hashes: string[]; keep: string[] }>()
  return async (issueId: number, projectId: number) => {
    const hashes = (await meta.issues.hashesOf([issueId])).get(issueId) ?? []
    const found = cache.get(issueId) ?? {
      hashes,
      keep: (await events.retainedEventsOf(projectId, hashes, before)).keep,
    }
    const [oldest] = cache.keys()
    if (cache.size >= cachedIssuesMax && oldest !== undefined) cache.delete(oldest)
    cache.set(issueId, found)
    return found
  }
}

/**
 * Yields all evictable events before a position in order, some units at a time. Skips units whose events are all kept.
 * Reads lazily and holds some thousand issues at most.
 */
export async function* downsampleCandidates(deps: CandidateDeps, before: number): AsyncGenerator<Unit[]> {
  const retainedOf = createRetainedIds(deps, before)
  for (const pages of [heavy, scattered])
    for await (const issueWeeks of pages(deps, before))
      for (let start = 0; start < issueWeeks.length; start += unitsMax) {
        const units: Unit[] = []
        for (const issueWeek of issueWeeks.slice(start, start + unitsMax))
          units.push({ ...issueWeek, ...(await retainedOf(issueWeek.issueId, issueWeek.projectId)) })
        const rows = new Map<string, number>()
        for (const [key, some] of groupsOf(units))
          for (const row of await deps.events.rowsOfCut(cutOf(some, before)))
            rows.set(`${key} ${row.groupHash}`, row.rows)
        const counted = units.map((unit) => ({
          ...unit,
          rows: unit.hashes.reduce((sum, hash) => sum + (rows.get(`${keyOf(unit)} ${hash}`) ?? 0), 0),
        }))
        const some = counted.filter((unit) => unit.rows > 0)
        if (some.length > 0) yield some
      }
}

const keyOf = ({ week, projectId }: Unit) => `${week} ${projectId}`

/** Groups units by week and project, in the order of their first unit. */
export const groupsOf = (units: readonly Unit[]): Map<string, Unit[]> => Map.groupBy(units, keyOf)

/** Returns the cut for units of one project and week. Throws if `units` is empty. */
export function cutOf(units: readonly Unit[], before: number) {
  const [first] = units
  if (!first) throw new Error('a cut of nothing')
  const { week, projectId } = first
  return {
    week,
    before,
    projectId,
    hashes: units.flatMap((unit) => unit.hashes),
    keep: units.flatMap((unit) => unit.keep),
  }
}
