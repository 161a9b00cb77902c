import { createHash } from 'node:crypto'
import { inGroup } from '../store/events/groups.ts'
import type { Cell } from '../store/events/question.ts'
import { type Bucket, both, bucketOf } from './compile/measure-parts.ts'
import { type Buckets, type Measure, type MeasureDeps, questionsOf, type Reading } from './metrics/measures.ts'

/** Groups that are read of each bucket. A window ranks its groups by these, so they are twice what a rule watches. */
export const rankedMax = 200
/** Groups of one statement. Each is a condition. */
const groupsAtOnce = 100
/** A group with a longer text is not watched: the state of a rule has each of its groups. */
const textMax = 500

/** The largest groups of one bucket, by key. */
export type RankedBucket = { groups: number; rows: Map<string, { cells: Cell[]; bucket: Bucket }> }

/** The key of a group. */
export const groupKey = (cells: readonly Cell[]): string => JSON.stringify(cells)

/** A short id of a group: the first half of a hash of its key, as texts of groups can be long. */
export const groupId = (cells: readonly Cell[]): string =>
  createHash('sha256').update(groupKey(cells)).digest('hex').slice(0, 24)

/** Whether a bucket has groups that were not read. */
export const isTruncated = ({ groups }: RankedBucket): boolean => groups > rankedMax

const askedOf = ({ from, projectIds, environments, withCut, groups, recipes, stepMs }: Measure, reading: Reading) => {
  const { fromMs, toMs, ...options } = reading
  return {
    from,
    scope: { projectIds, environments, fromMs, toMs },
    by: 'received' as const,
    withCut,
    values: groups.map(({ value }) => value),
    aggregates: recipes.parts.map(({ aggregate }) => aggregate),
    bucketMs: stepMs,
    ...options,
  }
}

/**
 * Reads the groups with most rows of each bucket between two times of receipt. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE.
 */
export async function readRanked(
  deps: MeasureDeps,
  measure: Measure,
  reading: Reading,
): Promise<Map<number, RankedBucket>> {
  const found = new Map<number, RankedBucket>()
  if (reading.fromMs >= reading.toMs) return found
  const rows = await questionsOf(deps, measure.dataset).largestOfBuckets({
    ...askedOf(measure, reading),
    filter: measure.filter,
    max: rankedMax,
  })
  for (const { startMs, group, cells, groups } of rows) {
    const ranked = found.get(startMs) ?? { groups, rows: new Map() }
    found.set(startMs, ranked)
    if (group.some((cell) => typeof cell === 'string' && cell.length > textMax)) continue
    ranked.rows.set(groupKey(group), { cells: group, bucket: bucketOf(measure.recipes.parts, cells) })
  }
  return found
}

/** Reads all buckets of these groups between two times of receipt, by group. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE. */
export async function readGroups(
  deps: MeasureDeps,
  measure: Measure,
  groups: readonly Cell[][],
  reading: Reading,
): Promise<Map<string, Buckets>> {
  const found = new Map<string, Buckets>(groups.map((cells) => [groupKey(cells), new Map()]))
  if (reading.fromMs >= reading.toMs) return found
  for (let at = 0; at < groups.length; at += groupsAtOnce) {
    const rows = await questionsOf(deps, measure.dataset).seriesOfRows({
      ...askedOf(measure, reading),
      filter: measure.filter,
      only: groups.slice(at, at + groupsAtOnce),
    })
    for (const { startMs, group, cells } of rows)
      found.get(groupKey(group))?.set(startMs, bucketOf(measure.recipes.parts, cells))
  }
  return found
}

/** The measure of one group alone. */
export const measureOfGroup = (measure: Measure, cells: readonly Cell[]): Measure => ({
  ...measure,
  filter: both(
    measure.filter,
    inGroup(
      measure.groups.map(({ value }) => value),
      cells,
    ),
  ),
  groups: [],
})

/** What the name of a group depends on. `slugs`: the numbers of a field are ids of projects, and have these slugs. */
export type GroupNames = { groups: readonly { slugs?: Readonly<Record<number, string>> }[] }

/** The values of a group as people read them, such as `/checkout, web`. A project that is gone has its id. */
export const groupName = ({ groups }: GroupNames, cells: readonly Cell[]): string =>
  groups
    .map(({ slugs }, at) => {
      const cell = cells[at] ?? null
      if (cell === null || cell === '') return '(none)'
      return typeof cell === 'number' && slugs ? (slugs[cell] ?? String(cell)) : String(cell)
    })
    .join(', ')

const quoted = (text: string): string => `"${text.replace(/[\\"*]/g, '\\$&')}"`

/** The search text that leaves out one group, such as `!route:"/health"`. */
export function filterWithout({ groups }: Pick<Measure, 'groups'>, cells: readonly Cell[]): string {
  const terms = groups.map(({ name, slugs }, at) => {
    const cell = cells[at] ?? null
    if (cell === null || cell === '') return `has:${name}`
    if (typeof cell === 'number') return `!${name}:${slugs?.[cell] ?? cell}`
    return `!${name}:${typeof cell === 'string' ? quoted(cell) : cell}`
  })
  return terms.length > 1 ? `(${terms.join(' OR ')})` : (terms[0] ?? '')
}
