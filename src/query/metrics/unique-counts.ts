import type { Cell, Filter, QuestionStore, Value } from '../../store/events/question.ts'
import { both } from '../compile/measure-parts.ts'
import { groupKey } from '../group-measures.ts'
import { type Measure, ownCondition, type Reading } from './measures.ts'

// Numbers of different values. They cannot be added up from buckets: a value that is in two buckets counts once. So the
// rows of the whole windows are read, in a statement that counts them exactly.

/** The numbers of different values of the window that ends at a time, in the order of a measure's `recipes.uniques`. */
export type CountsAt = (endMs: number) => number[]

/** Ends of windows, the first and the last. */
type Ends = { fromMs: number; toMs: number }
type Deps = { events: Pick<QuestionStore, 'uniqueOfWindows'> }
type Asked = Parameters<QuestionStore['uniqueOfWindows']>[0]
type Change = { endMs: number; count: number }
type Part = { of: Value; only: Filter | undefined }

const dayMs = 86_400_000
/** Groups of one statement. Each is a condition. */
const groupsAtOnce = 100
/** Of more groups, those of all rows are read: that is one statement, however many there are. */
const groupsNamedMax = 2 * groupsAtOnce

/** Windows by their ends, the newest piece first. A statement reads the rows of one: at most twice its length. */
export function uniquePieces({ stepMs, windowMs }: Pick<Measure, 'stepMs' | 'windowMs'>, { fromMs, toMs }: Ends) {
  const lengthMs = Math.max(dayMs, windowMs)
  const pieces: Ends[] = []
  for (let lastMs = toMs; lastMs >= fromMs; lastMs -= lengthMs)
    pieces.push({ fromMs: Math.max(fromMs, lastMs - lengthMs + stepMs), toMs: lastMs })
  return pieces
}

/** The count of the last change up to a time. */
function lastCount(changes: readonly Change[], endMs: number): number {
  let [low, high] = [0, changes.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((changes[middle]?.endMs ?? 0) <= endMs) low = middle + 1
    else high = middle
  }
  return changes[low - 1]?.count ?? 0
}

const seriesKey = (part: number, group: readonly Cell[]) => `${part} ${groupKey(group)}`

/** Reads the windows that end in a range, piece by piece, the oldest first. Returns the changes of each part and group. */
async function readSeries(
  { events }: Deps,
  { scope, ...asked }: Omit<Asked, 'scope'> & { scope: Pick<Asked['scope'], 'projectIds' | 'environments'> },
  ends: Ends,
): Promise<Map<string, Change[]>> {
  const found = new Map<string, Change[]>()
  for (const { fromMs, toMs } of uniquePieces(asked, ends).toReversed()) {
    const series = await events.uniqueOfWindows({
      ...asked,
      scope: { ...scope, fromMs: fromMs - asked.windowMs, toMs },
    })
    // What has no values in this piece counts none.
    for (const changes of found.values()) changes.push({ endMs: fromMs, count: 0 })
    for (const { part, group, changes } of series) {
      const key = seriesKey(part, group)
      const own = found.get(key) ?? []
      found.set(key, own)
      own.push({ endMs: fromMs, count: lastCount(changes, fromMs) })
      for (const change of changes) if (change.endMs > fromMs && change.endMs <= toMs) own.push(change)
    }
  }
  return found
}

/** What is asked of a table for measures with the same dataset, step and window. */
const askedOf = ({ from, stepMs, windowMs }: Measure, { limits, cost, signal }: Omit<Reading, 'fromMs' | 'toMs'>) => ({
  from,
  stepMs,
  windowMs,
  limits,
  cost,
  signal,
})

/** The parts of several measures as one list: equal ones are asked once. `places`: where those of each measure are. */
function sharedParts(measures: readonly Measure[]): { parts: Part[]; places: number[][] } {
  const parts: Part[] = []
  const known = new Map<string, number>()
  const places = measures.map((measure) => {
    const condition = ownCondition(measure)
    return measure.recipes.uniques.map(({ of, only }) => {
      const part = { of, only: both(condition, only) }
      const key = JSON.stringify(part)
      const place = known.get(key) ?? parts.push(part) - 1
      known.set(key, place)
      return place
    })
  })
  return { parts, places }
}

/**
 * Reads how many different values the windows have that end in a range, ends included. Measures with the same dataset,
 * step and window share a statement. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE.
 */
export async function readUniques(
  deps: Deps,
  measures: readonly Measure[],
  { fromMs, toMs, ...reading }: Reading,
): Promise<CountsAt[]> {
  const [first] = measures
  if (!first) return []
  const isAlone = measures.length === 1
  const { parts, places } = isAlone
    ? { parts: first.recipes.uniques, places: [first.recipes.uniques.map((_, at) => at)] }
    : sharedParts(measures)
  if (parts.length === 0) return measures.map(() => () => [])
  const asked = {
    ...askedOf(first, reading),
    scope: {
      projectIds: [...new Set(measures.flatMap(({ projectIds }) => projectIds))],
      environments: isAlone ? first.environments : [],
    },
    filter: isAlone ? first.filter : undefined,
    parts,
    values: [],
  }
  const found = await readSeries(deps, asked, { fromMs, toMs })
  return places.map((own) => {
    const changes = own.map((place) => found.get(seriesKey(place, [])) ?? [])
    return (endMs) => changes.map((each) => lastCount(each, endMs))
  })
}

/**
 * Reads how many different values the windows of each group have that end in a range, ends included. The key of a group is
 * `groupKey`. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE.
 */
export async function readGroupUniques(
  deps: Deps,
  measure: Measure,
  groups: readonly (readonly Cell[])[],
  { fromMs, toMs, ...reading }: Reading,
): Promise<Map<string, CountsAt>> {
  const parts = measure.recipes.uniques
  const counts = new Map<string, CountsAt>()
  if (parts.length === 0 || groups.length === 0) return counts
  const asked = {
    ...askedOf(measure, reading),
    scope: { projectIds: measure.projectIds, environments: measure.environments },
    filter: measure.filter,
    parts,
    values: measure.groups.map(({ value }) => value),
  }
  const atOnce = groups.length > groupsNamedMax ? groups.length : groupsAtOnce
  for (let at = 0; at < groups.length; at += atOnce) {
    const some = groups.slice(at, at + atOnce)
    const only = groups.length > groupsNamedMax ? undefined : some
    const found = await readSeries(deps, { ...asked, only }, { fromMs, toMs })
    for (const group of some) {
      const changes = parts.map((_, part) => found.get(seriesKey(part, group)) ?? [])
      counts.set(groupKey(group), (endMs) => changes.map((each) => lastCount(each, endMs)))
    }
  }
  return counts
}
