import type { Crowd, LargeGroup } from '../store/events/downsample.ts'
import type { EventStore } from '../store/events/event-store.ts'
import { keptMax } from '../store/events/spread.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'

export type ThinnableDeps = {
  meta: Pick<MetaStore, 'issueIdsOf' | 'hashesOf' | 'issuesOver'>
  events: Pick<EventStore, 'weeks' | 'largeGroups' | 'crowdsOf' | 'keepersOf' | 'rowsOfCut'>
}

/** Events of one issue in one week that may go: `rows` of them, all of these groups but for those that are kept. */
export type Unit = { week: string; projectId: number; issueId: number; hashes: string[]; keep: string[]; rows: number }

type IssueCrowd = { week: string; projectId: number; issueId: number; rows: number }

/** Groups in one question. The order holds among so many: each question reads the keys of all events. */
const groupsMax = 2000
/** Units that are told at once: those of a week and project make one cut, which then has 1,100 ids that are kept. */
const unitsMax = 50
/** Issues whose kept ids are remembered: some 1.5 KB each. */
const keptIssuesMax = 2000
const weekMs = 7 * 86_400_000
const startOf = (week: string) => Date.parse(`${week}T00:00:00Z`)

/**
 * Crowds in the order in which they are downsampled: repetitions times age in weeks, most first. A flood of this week
 * goes before the few events of an old crowd. Of two equal crowds the older goes first.
 */
export function orderOf<T extends { week: string; rows: number }>(crowds: readonly T[]): T[] {
  const newestMs = crowds.reduce((most, crowd) => Math.max(most, startOf(crowd.week)), 0)
  const weight = ({ week, rows }: T) => rows * ((newestMs - startOf(week)) / weekMs + 1)
  return [...crowds].sort((a, b) => weight(b) - weight(a) || startOf(a.week) - startOf(b.week))
}

/** Crowds of issues that have more than they keep, in their order; of each no more counts than the issue may lose in all. */
async function crowdsOfIssues(
  { meta, events }: ThinnableDeps,
  issues: Map<number, number>,
  before: number,
): Promise<IssueCrowd[]> {
  const hashesOf = meta.hashesOf([...issues.keys()])
  const found: Crowd[] = []
  for (const [projectId, some] of Map.groupBy(issues, ([, project]) => project)) {
    const hashes = some.flatMap(([id]) => hashesOf.get(id) ?? [])
    for (let start = 0; start < hashes.length; start += groupsMax)
      found.push(...(await events.crowdsOf(projectId, hashes.slice(start, start + groupsMax), before)))
  }
  const owner = new Map(
    [...hashesOf].flatMap(([id, hashes]) => hashes.map((hash) => [`${issues.get(id)} ${hash}`, id])),
  )
  const crowds = new Map<string, IssueCrowd>()
  const totals = new Map<number, number>()
  for (const { week, projectId, groupHash, rows } of found) {
    const issueId = owner.get(`${projectId} ${groupHash}`)
    if (issueId === undefined) continue
    totals.set(issueId, (totals.get(issueId) ?? 0) + rows)
    const key = `${week} ${issueId}`
    crowds.set(key, { week, projectId, issueId, rows: (crowds.get(key)?.rows ?? 0) + rows })
  }
  const bounded = [...crowds.values()].map((crowd) => ({
    ...crowd,
    rows: Math.min(crowd.rows, (totals.get(crowd.issueId) ?? 0) - keptMax),
  }))
  return orderOf(bounded.filter((item) => item.rows > 0))
}

/** Issues of the groups that have more than is kept, the heaviest first. */
async function* heavy(deps: ThinnableDeps, before: number): AsyncGenerator<IssueCrowd[]> {
  const { meta, events } = deps
  const newest = (await events.weeks()).at(-1)
  if (newest === undefined) return
  for (let after: LargeGroup | undefined; ; ) {
    const groups = await events.largeGroups({ before, newest, max: groupsMax, ...(after ? { after } : {}) })
    if (groups.length === 0) return
    after = groups.at(-1)
    const issueOf = meta.issueIdsOf(groups)
    const issues = new Map<number, number>()
    for (const { projectId, groupHash } of groups) {
      const id = issueOf.get(`${projectId}:${groupHash}`)
      if (id !== undefined) issues.set(id, projectId)
    }
    yield await crowdsOfIssues(deps, issues, before)
  }
}

/** Issues whose events lie scattered over several groups, none of which has more than is kept. */
async function* scattered(deps: ThinnableDeps, before: number): AsyncGenerator<IssueCrowd[]> {
  const { meta } = deps
  for (let after = 0; ; ) {
    const { last, issues } = meta.issuesOver(keptMax, after, groupsMax)
    if (last === undefined) return
    after = last
    const hashesOf = meta.hashesOf(issues.map((issue) => issue.id))
    const several = issues.filter(({ id }) => (hashesOf.get(id)?.length ?? 0) > 1)
    if (several.length > 0)
      yield await crowdsOfIssues(deps, new Map(several.map(({ id, projectId }) => [id, projectId])), before)
  }
}

/** What an issue keeps, remembered for the issues that were asked for last. */
function createKept({ meta, events }: ThinnableDeps, before: number) {
  const known = new Map<number, { hashes: string[]; keep: string[] }>()
  return async (issueId: number, projectId: number) => {
    const hashes = meta.hashesOf([issueId]).get(issueId) ?? []
    const found = known.get(issueId) ?? { hashes, keep: (await events.keepersOf(projectId, hashes, before)).keep }
    const [oldest] = known.keys()
    if (known.size >= keptIssuesMax && oldest !== undefined) known.delete(oldest)
    known.set(issueId, found)
    return found
  }
}

/**
 * All that may be thinned of the events before a position, in its order, some units at a time; those of which everything
 * is kept are never among them, and at its end there is nothing left. Reads as it is asked; holds some thousand issues,
 * however many there are.
 */
export async function* thinnable(deps: ThinnableDeps, before: number): AsyncGenerator<Unit[]> {
  const keptOf = createKept(deps, before)
  for (const pages of [heavy, scattered])
    for await (const crowds of pages(deps, before))
      for (let start = 0; start < crowds.length; start += unitsMax) {
        const units: Unit[] = []
        for (const crowd of crowds.slice(start, start + unitsMax))
          units.push({ ...crowd, ...(await keptOf(crowd.issueId, crowd.projectId)) })
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

/** Units of one project and week together, in the order of the first of each. */
export const groupsOf = (units: readonly Unit[]): Map<string, Unit[]> => Map.groupBy(units, keyOf)

/** The cut that takes these units of one project and week. Throws where there are none. */
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
