import { MishapError } from '../../base/errors.ts'
import type { Plan } from '../../contract/explore/explore.ts'
import { groupFieldsMax, stepMinutesOf, windowMinutesMax } from '../../domain/alerts/metric-rules.ts'
import type { Dataset } from '../../domain/datasets.ts'
import type { Asked, Cost, Filter, Limits } from '../../store/events/question.ts'
import type { PlanView } from '../compile/dataset.ts'
import { fieldsOfDataset } from '../compile/datasets.ts'
import type { ValueField } from '../compile/fields.ts'
import { ledgerQuestions, type RowQuestions } from '../compile/ledger.ts'
import {
  type Bucket,
  both,
  bucketOf,
  createMerging,
  type Part,
  type Recipes,
  recipesOf,
} from '../compile/measure-parts.ts'
import { compilePlan } from '../compile/question.ts'
import type { CompileDeps, QueryDeps } from '../issues/issue.ts'

/** The number that a rule watches: one series or formula of a plan, over a window that moves by steps. */
export type Measure = {
  dataset: Dataset
  from: Asked
  projectIds: number[]
  environments: string[]
  filter: Filter | undefined
  withCut: boolean
  /** What each group is watched by. Empty: the rule watches one number. */
  groups: readonly GroupField[]
  recipes: Recipes
  /** Twice the window has about twice the value. */
  isCount: boolean
  stepMs: number
  windowMs: number
}

/** A field of groups. `slugs`: its numbers are those of projects. */
type GroupField = Pick<ValueField, 'name' | 'value'> & { slugs?: Readonly<Record<number, string>> }

type MeasuredPlan = { plan: Plan; of: string; windowMinutes: number }

const wrong = (field: string, sentence: string) => new MishapError('VALIDATION', { fields: { [field]: [sentence] } })
const minuteMs = 60_000

/** Throws VALIDATION for a window that no rule can have. */
function demandWindow({ plan: { dataset }, windowMinutes }: MeasuredPlan): void {
  if (!Number.isInteger(windowMinutes) || windowMinutes < 1 || windowMinutes > windowMinutesMax)
    throw wrong('windowMinutes', `A whole number from 1 to ${windowMinutesMax}.`)
  const step = stepMinutesOf(dataset, windowMinutes)
  if (windowMinutes % step > 0)
    throw wrong('windowMinutes', `A window of this length is a multiple of ${step} minutes.`)
}

/**
 * Compiles what a rule watches. Throws VALIDATION (names the wrong part) and QUERY_*: a plan with rows or
 * shares is not one number.
 */
export async function compileMeasure(
  deps: CompileDeps,
  view: Omit<PlanView, 'range'>,
  { plan, of, windowMinutes }: MeasuredPlan,
): Promise<Measure> {
  demandWindow({ plan, of, windowMinutes })
  if (plan.groupBy.length > groupFieldsMax) throw wrong('plan', `At most ${groupFieldsMax} fields of groups.`)
  // A plan has no range. That of the search is only for its own times, such as timestamp:>-1h.
  const range = { fromMs: 0, toMs: deps.clock.now(), period: 'range' }
  const compiled = await compilePlan(deps, fieldsOfDataset(plan.dataset), { ...view, range }, plan, 'series')
  if (compiled.having.length > 0)
    throw wrong('plan', 'A condition on a function does not belong to the filter. It is the threshold.')
  const at = compiled.measures.findIndex(({ name }) => name === of)
  if (at < 0) throw wrong('of', `${JSON.stringify(of.slice(0, 50))} is no series or formula of the plan.`)
  const aggregates = compiled.measures.map(({ aggregate }) => aggregate)
  const recipes = recipesOf(aggregates, at)
  const isOfValues = recipes.uniques.length > 0 || recipes.parts.some(({ merge }) => merge === 'bins')
  if (plan.dataset === 'outcomes' && isOfValues)
    throw wrong('of', 'Percentiles and different values of outcomes cannot be watched.')
  return {
    dataset: plan.dataset,
    from: compiled.dataset.from,
    projectIds: view.projects.map(({ id }) => id),
    environments: view.environments,
    filter: compiled.filter,
    withCut: compiled.withCut,
    groups: compiled.fields.map(({ name, value, project }) => ({
      name,
      value,
      ...(project === 'slug' ? { slugs: Object.fromEntries(view.projects.map(({ id, slug }) => [id, slug])) } : {}),
    })),
    recipes,
    isCount: ['count', 'samples', 'failureCount', 'sum'].includes(aggregates[at]?.fn ?? ''),
    stepMs: stepMinutesOf(plan.dataset, windowMinutes) * minuteMs,
    windowMs: windowMinutes * minuteMs,
  }
}

/** Buckets of one step by their start, by time of receipt. A bucket without rows is not there. */
export type Buckets = Map<number, Bucket>

/** Stores that measures are read from. */
export type MeasureDeps = Pick<QueryDeps, 'events' | 'meta'>
/** A range of times of receipt, and what its query may use. */
export type Reading = {
  fromMs: number
  toMs: number
  limits: Limits
  cost?: Cost | undefined
  signal?: AbortSignal | undefined
}

/** The questions over a dataset. */
export const questionsOf = (deps: MeasureDeps, dataset: Dataset): RowQuestions =>
  dataset === 'outcomes' ? ledgerQuestions(deps.meta) : deps.events

/** The condition of one measure among others in the same statement. */
export function ownCondition({ projectIds, environments, filter }: Measure): Filter | undefined {
  const ofEnvironments: Filter | undefined =
    environments.length === 0
      ? undefined
      : {
          op: 'or',
          of: environments.map((text) => ({
            op: 'match',
            value: { of: 'text', column: 'environment' },
            match: 'is',
            text,
          })),
        }
  return both({ op: 'projects', ids: projectIds }, ofEnvironments, filter)
}

/** Parts of several measures as one list: equal ones are asked once. `places`: where those of each measure are. */
function sharedParts(measures: readonly Measure[]): { parts: Part[]; places: number[][] } {
  const parts: Part[] = []
  const known = new Map<string, number>()
  const places = measures.map((measure) => {
    const condition = ownCondition(measure)
    return measure.recipes.parts.map(({ aggregate, merge }) => {
      const part: Part = { aggregate: { ...aggregate, only: both(condition, aggregate.only) }, merge }
      const key = JSON.stringify(part)
      const place = known.get(key) ?? parts.push(part) - 1
      known.set(key, place)
      return place
    })
  })
  return { parts, places }
}

/**
 * Reads the buckets of measures of one dataset and step between two times of receipt, in one statement: the conditions of
 * each are in its aggregates. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE.
 */
export async function readBuckets(
  deps: MeasureDeps,
  measures: readonly Measure[],
  { fromMs, toMs, ...options }: Reading,
): Promise<Buckets[]> {
  const [first] = measures
  if (!first || fromMs >= toMs) return measures.map(() => new Map())
  const isAlone = measures.length === 1
  const { parts, places } = isAlone
    ? { parts: first.recipes.parts, places: [first.recipes.parts.map((_, at) => at)] }
    : sharedParts(measures)
  const rows = await questionsOf(deps, first.dataset).seriesOfRows({
    from: first.from,
    scope: {
      projectIds: [...new Set(measures.flatMap(({ projectIds }) => projectIds))],
      environments: isAlone ? first.environments : [],
      fromMs,
      toMs,
    },
    by: 'received',
    filter: isAlone ? first.filter : undefined,
    withCut: first.withCut,
    values: [],
    aggregates: parts.map(({ aggregate }) => aggregate),
    only: [],
    bucketMs: first.stepMs,
    ...options,
  })
  const found: Buckets[] = measures.map(() => new Map())
  for (const { startMs, cells } of rows) {
    const bucket = bucketOf(parts, cells)
    // A statement of many rules has a row for each step in which any of them has rows.
    for (const [at, own] of places.entries()) {
      const [count = 0] = own
      if (isAlone || (bucket[count] ?? 0) !== 0)
        found[at]?.set(
          startMs,
          own.map((place) => bucket[place] ?? null),
        )
    }
  }
  return found
}

/** The value of a window, and how many rows it has. */
export type WindowValue = { value: number | null; rows: number }

/**
 * Returns a function that measures the window that ends at a time. Windows that follow each other are measured by what
 * comes and goes.
 */
export function createWindows(
  { recipes, stepMs, windowMs }: Measure,
  buckets: Buckets,
  uniquesAt: (endMs: number) => readonly number[],
): (endMs: number) => WindowValue {
  let merging = createMerging(recipes.parts)
  let [fromMs, toMs] = [0, 0]
  return (endMs) => {
    const startMs = endMs - windowMs
    if (startMs < fromMs || startMs >= toMs) {
      merging = createMerging(recipes.parts)
      fromMs = startMs
      toMs = startMs
    }
    for (; fromMs < startMs; fromMs += stepMs) merging.drop(fromMs)
    for (; toMs < endMs; toMs += stepMs) {
      const bucket = buckets.get(toMs)
      if (bucket) merging.add(toMs, bucket)
    }
    const merged = merging.merged()
    const [rows] = merged
    return { value: recipes.valueOf(merged, uniquesAt(endMs), windowMs), rows: typeof rows === 'number' ? rows : 0 }
  }
}

/** Hours that are asked whether they have rows: those of the weekly pattern, and a back-test before it. */
const oldestHours = 45 * 24

/**
 * Returns the start of the first hour in which rows of the dataset came, of the last 45 days. Null: none came. Throws
 * QUERY_TIMEOUT, STORE_UNAVAILABLE.
 */
export async function firstRowsMs(
  deps: MeasureDeps,
  { dataset, from, projectIds }: Pick<Measure, 'dataset' | 'from' | 'projectIds'>,
  nowMs: number,
  limits: Limits,
): Promise<number | null> {
  const hourMs = 3_600_000
  const rows = await questionsOf(deps, dataset).seriesOfRows({
    from,
    scope: { projectIds, environments: [], fromMs: Math.floor(nowMs / hourMs - oldestHours) * hourMs, toMs: nowMs },
    by: 'received',
    filter: undefined,
    withCut: false,
    values: [],
    aggregates: [{ fn: 'samples' }],
    only: [],
    bucketMs: hourMs,
    limits,
  })
  return rows[0]?.startMs ?? null
}

/** Returns how many stored rows came between two times, but over 7 days after their own time, whatever the series. */
export async function lateRows(
  deps: MeasureDeps,
  { dataset, from, projectIds, environments, filter }: Measure,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<number> {
  if (dataset === 'outcomes') return 0
  const [row] = await deps.events.groupRows({
    from,
    scope: { projectIds, environments, fromMs, toMs },
    by: 'late',
    filter,
    withCut: false,
    values: [],
    aggregates: [{ fn: 'samples' }],
    having: [],
    order: [],
    max: 1,
    offset: 0,
  })
  return Number(row?.[0] ?? 0)
}
