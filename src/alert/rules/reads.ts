import { isOutage } from '../../base/errors.ts'
import type { QueryDeps } from '../../query/issues/issue.ts'
import { type Buckets, firstRowsMs, type Measure, readBuckets, readUniques } from '../../query/metrics/measures.ts'
import type { Limits } from '../../store/events/question.ts'
import { createGrouped, readGrouped } from './grouped.ts'
import { groupedState } from './groups.ts'
import { rangeToRead, referencesToRead, type WatchedRule } from './watched.ts'

type Deps = Pick<QueryDeps, 'clock' | 'events' | 'meta'>
type Due = { watched: WatchedRule; measure: Measure; ends: readonly number[] }

/** A range that a rule must read, and where it belongs. */
type Task = { watched: WatchedRule; measure: Measure; fromMs: number; toMs: number; into: Buckets }

/**
 * Aggregates of one statement. The engine analyzes a statement in a time that grows faster than its length: of 1,000 rules
 * with two aggregates each, statements of 100 took the least time.
 */
const partsMax = 100
const hourMs = 3_600_000

/** Whether the store does not answer at all: then all rules wait. Another failure is one of the question. */
/** Groups tasks so that each group is one statement. */
function statementsOf(tasks: readonly Task[]): Task[][] {
  const alike = Map.groupBy(tasks, ({ measure: { dataset, stepMs, withCut }, fromMs, toMs }) =>
    [dataset, stepMs, withCut, fromMs, toMs].join(' '),
  )
  return [...alike.values()].flatMap((group) => {
    const statements: Task[][] = []
    let parts = partsMax
    for (const task of group) {
      const own = task.measure.recipes.parts.length
      if (parts + own > partsMax) {
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

/** Reads the buckets of tasks in one statement. If it fails, each half is read alone, down to the rule whose fault it is. */
async function readTasks(deps: Deps, tasks: readonly Task[], limits: Limits, failures: Failures): Promise<void> {
  const [first] = tasks
  if (!first) return
  try {
    const found = await readBuckets(
      deps,
      tasks.map(({ measure }) => measure),
      { fromMs: first.fromMs, toMs: first.toMs, limits },
    )
    for (const [at, { into }] of tasks.entries())
      for (const [startMs, bucket] of found[at] ?? []) into.set(startMs, bucket)
  } catch (error) {
    if (isOutage(error)) throw error
    if (tasks.length === 1) {
      failures.set(first.watched, error)
      return
    }
    const half = Math.ceil(tasks.length / 2)
    await readTasks(deps, tasks.slice(0, half), limits, failures)
    await readTasks(deps, tasks.slice(half), limits, failures)
  }
}

/** Reads counts of different values, which are asked for each rule. */
async function readCounts(deps: Deps, { watched, measure, ends }: Due, limits: Limits): Promise<void> {
  const [first, last] = [ends[0], ends.at(-1)]
  if (measure.recipes.uniques.length === 0 || first === undefined || last === undefined) return
  watched.uniques = await readUniques(deps, measure, { fromMs: first, toMs: last, limits })
  const references = await Array.fromAsync(referencesToRead(watched, ends), async ({ fromMs, toMs }) => ({
    toMs,
    fromMs,
    countsAt: await readUniques(deps, measure, { fromMs: fromMs + measure.windowMs, toMs, limits }),
  }))
  if (references.length === 0) return
  watched.referenceUniques = (endMs) =>
    references.find(({ fromMs, toMs }) => endMs > fromMs && endMs <= toMs)?.countsAt(endMs) ??
    measure.recipes.uniques.map(() => 0)
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
  const tasks = plain.flatMap(({ watched, measure, ends }): Task[] => {
    const about = { watched, measure }
    return [
      { ...about, ...rangeToRead(watched, ends), into: watched.buckets },
      ...referencesToRead(watched, ends).map((range) => ({ ...about, ...range, into: watched.referenceBuckets })),
    ]
  })
  for (const statement of statementsOf(tasks.filter(({ fromMs, toMs }) => fromMs < toMs)))
    await readTasks(deps, statement, limits, failures)
  await readFirst(deps, due, limits)
  for (const each of due) {
    try {
      if (each.measure.groups.length > 0) await readOfGroups(deps, each, limits)
      else await readCounts(deps, each, limits)
    } catch (error) {
      if (isOutage(error)) throw error
      failures.set(each.watched, error)
    }
  }
  return failures
}
