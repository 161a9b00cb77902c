import { isOutage } from '../../base/errors.ts'
import type { QueryDeps } from '../../query/issues/issue.ts'
import { type Buckets, firstRowsMs, type Measure, readBuckets } from '../../query/metrics/measures.ts'
import { type CountsAt, readUniques } from '../../query/metrics/unique-counts.ts'
import type { Limits } from '../../store/events/question.ts'
import { createGrouped, readGrouped } from './grouped.ts'
import { groupedState } from './groups.ts'
import { noCounts, rangeToRead, referenceEnds, referencesToRead, type WatchedRule } from './watched.ts'

type Deps = Pick<QueryDeps, 'clock' | 'events' | 'meta'>
type Due = { watched: WatchedRule; measure: Measure; ends: readonly number[] }

/** A range that a rule must read. */
type Task = { watched: WatchedRule; measure: Measure; fromMs: number; toMs: number }
/** Where its buckets belong. */
type BucketTask = Task & { into: Buckets }
/** Windows by their first and last end, and where their numbers of different values belong. */
type CountTask = Task & { put(countsAt: CountsAt): void }

/**
 * Aggregates of one statement. The engine analyzes a statement in a time that grows faster than its length: of 1,000 rules
 * with two aggregates each, statements of 100 took the least time.
 */
const partsMax = 100
/**
 * The same for numbers of different values: 100 rules over an hour of 300 errors/s took 5.1 s of CPU in statements of 25,
 * 5.6 s in statements of 50, and 17.2 s alone.
 */
const uniquesMax = 25
const hourMs = 3_600_000

/** Groups tasks that are alike, so that each group is one statement of so many parts at most. */
function statementsOf<Own extends Task>(
  tasks: readonly Own[],
  keyOf: (measure: Measure) => string,
  { max, partsOf }: { max: number; partsOf: (measure: Measure) => readonly unknown[] },
): Own[][] {
  const alike = Map.groupBy(tasks, ({ measure, fromMs, toMs }) => `${keyOf(measure)} ${fromMs} ${toMs}`)
  return [...alike.values()].flatMap((group) => {
    const statements: Own[][] = []
    let parts = max
    for (const task of group) {
      const own = partsOf(task.measure).length
      if (parts + own > max) {
        statements.push([])
        parts = 0
      }
      parts += own
      statements.at(-1)?.push(task)
    }
    return statements
  })
}

/** Why the queries of some rules failed. */
type Failures = Map<WatchedRule, unknown>

/** Reads tasks in one statement. If it fails, each half is read alone, down to the rule whose fault it is. */
async function readTasks<Own extends Task>(
  tasks: readonly Own[],
  read: (tasks: readonly Own[]) => Promise<void>,
  failures: Failures,
): Promise<void> {
  const [first] = tasks
  if (!first) return
  try {
    await read(tasks)
  } catch (error) {
    if (isOutage(error)) throw error
    if (tasks.length === 1) {
      failures.set(first.watched, error)
      return
    }
    const half = Math.ceil(tasks.length / 2)
    await readTasks(tasks.slice(0, half), read, failures)
    await readTasks(tasks.slice(half), read, failures)
  }
}

const measuresOf = (tasks: readonly Task[]) => tasks.map(({ measure }) => measure)
const rangeOf = ([first]: readonly Task[]) => ({ fromMs: first?.fromMs ?? 0, toMs: first?.toMs ?? 0 })

/** Reads the buckets of rules. */
async function readAllBuckets(deps: Deps, due: readonly Due[], limits: Limits, failures: Failures): Promise<void> {
  const tasks = due.flatMap(({ watched, measure, ends }): BucketTask[] => {
    const about = { watched, measure }
    return [
      { ...about, ...rangeToRead(watched, ends), into: watched.buckets },
      ...referencesToRead(watched, ends).map((range) => ({ ...about, ...range, into: watched.referenceBuckets })),
    ]
  })
  const statements = statementsOf(
    tasks.filter(({ fromMs, toMs }) => fromMs < toMs),
    ({ dataset, stepMs, withCut }) => [dataset, stepMs, withCut].join(' '),
    { max: partsMax, partsOf: ({ recipes }) => recipes.parts },
  )
  const read = async (own: readonly BucketTask[]) => {
    const found = await readBuckets(deps, measuresOf(own), { ...rangeOf(own), limits })
    for (const [at, { into }] of own.entries())
      for (const [startMs, bucket] of found[at] ?? []) into.set(startMs, bucket)
  }
  for (const statement of statements) await readTasks(statement, read, failures)
}

/** The windows of a rule whose different values are counted: those that it judges, and those that it compares with. */
function countTasks({ watched, measure, ends }: Due): CountTask[] {
  const [fromMs, toMs] = [ends[0], ends.at(-1)]
  if (fromMs === undefined || toMs === undefined) return []
  watched.uniques = noCounts
  const current: CountTask = {
    watched,
    measure,
    fromMs,
    toMs,
    put: (countsAt) => {
      watched.uniques = countsAt
    },
  }
  const ranges = referenceEnds(watched, ends)
  if (ranges.length === 0) return [current]
  const found: { fromMs: number; toMs: number; countsAt: CountsAt }[] = []
  watched.referenceUniques = (endMs) =>
    found.find((range) => endMs >= range.fromMs && endMs <= range.toMs)?.countsAt(endMs) ?? []
  const references = ranges.map((range) => ({
    watched,
    measure,
    ...range,
    put: (countsAt: CountsAt) => found.push({ ...range, countsAt }),
  }))
  return [current, ...references]
}

/** Counts the different values of rules. Those with the same dataset, step and window share statements. */
async function readAllCounts(deps: Deps, due: readonly Due[], limits: Limits, failures: Failures): Promise<void> {
  const tasks = due.filter(({ measure }) => measure.recipes.uniques.length > 0).flatMap(countTasks)
  const statements = statementsOf(tasks, ({ dataset, stepMs, windowMs }) => [dataset, stepMs, windowMs].join(' '), {
    max: uniquesMax,
    partsOf: ({ recipes }) => recipes.uniques,
  })
  const read = async (own: readonly CountTask[]) => {
    const found = await readUniques(deps, measuresOf(own), { ...rangeOf(own), limits })
    for (const [at, { put }] of own.entries()) put(found[at] ?? noCounts)
  }
  for (const statement of statements) await readTasks(statement, read, failures)
}

/** Reads what a rule by groups needs. Its groups are its own, so it shares no statement. */
async function readOfGroups(deps: Deps, { watched, measure, ends }: Due, limits: Limits): Promise<void> {
  watched.grouped ??= createGrouped(measure, watched.condition, () => watched.firstMs)
  await readGrouped(deps, watched.grouped, ends, groupedState(watched.state), { limits })
}

/** Asks when the first rows came, once an hour for rules over the same projects. */
async function readFirst(deps: Deps, due: readonly Due[], limits: Limits): Promise<void> {
  const nowMs = deps.clock.now()
  const known = new Map<string, Promise<number | null>>()
  for (const { watched, measure } of due) {
    if (watched.condition.threshold.type === 'fixed' || watched.firstAskedMs > nowMs - hourMs) continue
    const key = `${measure.dataset} ${measure.projectIds.join(' ')}`
    const asked = known.get(key) ?? firstRowsMs(deps, measure, nowMs, limits)
    known.set(key, asked)
    watched.firstMs = await asked
    watched.firstAskedMs = nowMs
  }
}

/**
 * Reads what rules need to judge their windows, in as few statements as they allow. Returns the rules whose queries failed,
 * with the reason. Throws STORE_UNAVAILABLE.
 */
export async function readWindows(deps: Deps, due: readonly Due[], limits: Limits): Promise<Failures> {
  const failures: Failures = new Map()
  const plain = due.filter(({ measure }) => measure.groups.length === 0)
  await readAllBuckets(deps, plain, limits, failures)
  await readFirst(deps, due, limits)
  const readable = plain.filter(({ watched }) => !failures.has(watched))
  await readAllCounts(deps, readable, limits, failures)
  for (const each of due.filter(({ measure }) => measure.groups.length > 0)) {
    try {
      await readOfGroups(deps, each, limits)
    } catch (error) {
      if (isOutage(error)) throw error
      failures.set(each.watched, error)
    }
  }
  return failures
}
