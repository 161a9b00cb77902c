import type { Plan, PlanAnswer } from '../../contract/explore/explore.ts'
import type { Aggregate, Cell } from '../../store/events/question.ts'
import type { RetentionDays } from '../../store/events/table.ts'
import { bucketMsOf } from '../compile/buckets.ts'
import type { PlanView } from '../compile/dataset.ts'
import { fieldsOfDataset } from '../compile/datasets.ts'
import { shownCell } from '../compile/fields.ts'
import { groupedSeries } from '../compile/grouped-series.ts'
import { ledgerQuestions, type RowQuestions } from '../compile/ledger.ts'
import { limitsBefore, type Scanned, withinLimits } from '../compile/limits.ts'
import { type Compiled, columnsOf, compilePlan, shownNumber } from '../compile/question.ts'
import { scopeBefore, scopeOfView, slugsOf } from '../compile/scope.ts'
import { storedSince } from '../compile/stored-since.ts'
import { type CheckDeps, checkOnly, type QueryDeps } from '../issues/issue.ts'

/** Whoever answers questions over rows: the events store, or the ledger. */
type RowDeps = Pick<QueryDeps, 'clock'> & { events: RowQuestions }

/** `config`: what retention has deleted cannot be compared with. */
export type PlanDeps = QueryDeps & { config: RetentionDays }

type RunOptions = {
  shape: 'table' | 'series'
  /** Length of the buckets of a series. Default: about 120 buckets. */
  intervalMs?: number | undefined
  signal?: AbortSignal | undefined
}

/** Stored rows that match and what they stand for, after the measures of each group. */
const totals: readonly Aggregate[] = [{ fn: 'allSamples' }, { fn: 'allCount' }]

type Totals = { samples: number | null; count: number | null }

function metaOf(
  { range }: PlanView,
  {
    scanned: { scope, partial, cost },
    totals: { samples, count },
    more,
  }: Pick<Answered, 'scanned' | 'totals' | 'more'>,
  elapsedMs: number,
): PlanAnswer['meta'] {
  return {
    fromMs: range.fromMs,
    toMs: range.toMs,
    scannedFromMs: scope.fromMs,
    partial,
    samples,
    // Weights are fractions of 32 bits, so equal sums can differ a little.
    sampled: samples !== null && count !== null && count > samples * 1.0001,
    more,
    rowsRead: cost.rows,
    bytesRead: cost.bytes,
    elapsedMs: Math.round(elapsedMs),
  }
}

type Answered = Pick<PlanAnswer, 'rows' | 'series'> & { scanned: Scanned; totals: Totals; more: boolean }

/** The start of the stored rows. Undefined: the plan asks for no comparison. */
type Since = number | undefined

/** Rows with the columns of a plan, the newest first without an order. */
async function listed(deps: RowDeps, view: PlanView, plan: Plan, compiled: Compiled, { signal }: RunOptions) {
  const { dataset, fields, filter, order } = compiled
  const [first] = order
  const isNewest = !first || (first.descending && fields[first.at]?.value.of === 'time')
  const from = dataset.from
  const asked = { from, scope: scopeOfView(view), reads: isNewest ? ('newest' as const) : compiled.reads, signal }
  const { answer, scanned } = await withinLimits(deps.events, asked, (scope, options) =>
    deps.events.listRows({
      from,
      scope,
      filter,
      values: fields.map(({ value }) => value),
      order,
      max: plan.limit + 1,
      offset: 0,
      ...options,
    }),
  )
  const slugOf = slugsOf(view.projects)
  const rows = answer
    .slice(0, plan.limit)
    .map((cells) => fields.map((field, at) => shownCell(field, cells[at] ?? null, slugOf)))
  return { rows, series: [], scanned, totals: { samples: null, count: null }, more: answer.length > plan.limit }
}

/** Groups with their measures, as the store answers them, and those of the period before. */
async function grouped(deps: RowDeps, view: PlanView, compiled: Compiled, max: number, signal?: AbortSignal) {
  const { dataset, fields, measures, filter, having, withCut, order } = compiled
  const { from } = dataset
  const aggregates = [...measures.map(({ aggregate }) => aggregate), ...totals]
  const values = fields.map(({ value }) => value)
  const { answer, scanned } = await withinLimits(
    deps.events,
    { from, scope: scopeOfView(view), reads: compiled.reads, signal },
    (scope, options) =>
      deps.events.groupRows({
        from,
        scope,
        filter,
        withCut,
        values,
        aggregates,
        having,
        order,
        max: max + 1,
        offset: 0,
        ...options,
      }),
  )
  const first = answer[0]
  const numberAt = (at: number) => (first ? Number(first[values.length + measures.length + at] ?? 0) : 0)
  const groups = answer.slice(0, max).map((cells) => cells.slice(0, values.length + measures.length))
  return { groups, scanned, totals: { samples: numberAt(0), count: numberAt(1) }, more: answer.length > max }
}

const keyOf = (cells: readonly Cell[]) => JSON.stringify(cells)

/** The measures of the same groups in the period before, by group. */
async function groupsBefore(
  deps: RowDeps,
  compiled: Compiled,
  groups: readonly Cell[][],
  { scope, cost }: Scanned,
  signal?: AbortSignal,
) {
  const { dataset, fields, measures, filter, withCut } = compiled
  const values = fields.map(({ value }) => value)
  const found = await deps.events.groupRows({
    from: dataset.from,
    scope: scopeBefore(scope, scope.toMs - scope.fromMs),
    filter,
    withCut,
    values,
    aggregates: measures.map(({ aggregate }) => aggregate),
    having: [],
    order: [],
    max: Math.max(1, groups.length),
    offset: 0,
    ...(values.length > 0 ? { only: groups } : {}),
    limits: limitsBefore,
    cost,
    signal,
  })
  return new Map(found.map((cells) => [keyOf(cells.slice(0, values.length)), cells.slice(values.length)]))
}

/** Whether the rows of the period before are still stored. */
const isStoredBefore = ({ scope: { fromMs, toMs } }: Scanned, sinceMs: number) => fromMs - (toMs - fromMs) >= sinceMs

async function table(
  deps: RowDeps,
  view: PlanView,
  plan: Plan,
  compiled: Compiled,
  { signal }: RunOptions,
  sinceMs: Since,
) {
  const { fields, measures } = compiled
  const { groups, ...rest } = await grouped(deps, view, compiled, plan.limit, signal)
  const isStored = sinceMs !== undefined && isStoredBefore(rest.scanned, sinceMs)
  const earlier =
    isStored && groups.length > 0 ? await groupsBefore(deps, compiled, groups, rest.scanned, signal) : undefined
  const slugOf = slugsOf(view.projects)
  const shown = (cells: readonly Cell[] | undefined) =>
    measures.map(({ type }, at) => (cells ? shownNumber(type, cells[at]) : emptyOf(type)))
  const rows = groups.map((cells) => [
    ...fields.map((field, at) => shownCell(field, cells[at] ?? null, slugOf)),
    ...shown(cells.slice(fields.length)),
    ...(plan.compare
      ? isStored
        ? shown(earlier?.get(keyOf(cells.slice(0, fields.length))))
        : measures.map(() => null)
      : []),
  ])
  return { rows, series: [], ...rest }
}

/** A bucket without rows has no percentile, but it has a count. */
const emptyOf = ({ type }: { type: string }): number | null => (type === 'integer' || type === 'rate' ? 0 : null)

/** Most groups of a chart. More lines cannot be told apart. */
const groupsOfChart = 50

/** The buckets of the period before, moved by whole buckets, so that each has its counterpart. */
async function seriesBefore(
  deps: RowDeps,
  { dataset, filter, withCut, fields, measures }: Compiled,
  groups: readonly Cell[][],
  { scope, cost }: Scanned,
  { bucketMs, shiftMs, signal }: { bucketMs: number; shiftMs: number; signal: AbortSignal | undefined },
) {
  const rows = await deps.events.seriesOfRows({
    from: dataset.from,
    scope: scopeBefore(scope, shiftMs),
    filter,
    withCut,
    values: fields.map(({ value }) => value),
    aggregates: measures.map(({ aggregate }) => aggregate),
    only: groups,
    bucketMs,
    limits: limitsBefore,
    cost,
    signal,
  })
  return new Map(rows.map((row) => [keyOf([...row.group, row.startMs + shiftMs]), row.cells]))
}

async function charts(
  deps: RowDeps,
  view: PlanView,
  plan: Plan,
  compiled: Compiled,
  { intervalMs, signal }: RunOptions,
  sinceMs: Since,
): Promise<Answered> {
  const { fields, measures } = compiled
  const { fromMs, toMs } = view.range
  const bucketMs = bucketMsOf(compiled.dataset, view.range, intervalMs)
  const { answer, scanned } = await groupedSeries(deps, view, {
    ...compiled,
    values: fields.map(({ value }) => value),
    aggregates: measures.map(({ aggregate }) => aggregate),
    max: Math.min(plan.limit, groupsOfChart),
    bucketMs,
    signal,
  })
  const { groups, rows, more } = answer
  const shiftMs = Math.ceil((toMs - fromMs) / bucketMs) * bucketMs
  const past = plan.compare
    ? await seriesBefore(deps, compiled, groups, scanned, { bucketMs, shiftMs, signal })
    : undefined
  const found = new Map(rows.map((row) => [keyOf([...row.group, row.startMs]), row.cells]))
  const firstMs = Math.floor(fromMs / bucketMs) * bucketMs
  const starts = Array.from({ length: Math.ceil((toMs - firstMs) / bucketMs) }, (_, n) => firstMs + n * bucketMs)
  const [nowMs, readMs, slugOf] = [deps.clock.now(), scanned.scope.fromMs, slugsOf(view.projects)]
  const series = groups.flatMap((group) =>
    measures.map(({ name, type }, at) => {
      const numberOf = (cells: readonly Cell[] | undefined) => (cells ? shownNumber(type, cells[at]) : emptyOf(type))
      const points = starts.map((startMs) => {
        const key = keyOf([...group, startMs])
        const isRead = startMs + bucketMs > readMs
        return {
          startMs,
          value: isRead ? numberOf(found.get(key)) : null,
          ...(past ? { previous: isRead && startMs - shiftMs >= (sinceMs ?? 0) ? numberOf(past.get(key)) : null } : {}),
          incomplete: (startMs < readMs && readMs > fromMs) || startMs + bucketMs > nowMs,
        }
      })
      return { name, group: fields.map((field, place) => shownCell(field, group[place] ?? null, slugOf)), points }
    }),
  )
  const sum = (at: number) => rows.reduce((total, row) => total + Number(row.cells[measures.length + at] ?? 0), 0)
  return { rows: [], series, scanned, totals: { samples: sum(0), count: sum(1) }, more }
}

/**
 * Answers a plan within the limits of one query: time, rows and memory. An answer from a part of the range says so.
 * Throws VALIDATION (names the wrong part of the plan), QUERY_*, STORE_UNAVAILABLE.
 */
export async function runPlan(deps: PlanDeps, view: PlanView, plan: Plan, options: RunOptions): Promise<PlanAnswer> {
  const startedMs = deps.clock.now()
  const compiled = await compilePlan(deps, fieldsOfDataset(plan.dataset), view, plan, options.shape)
  const asked = { clock: deps.clock, events: plan.dataset === 'outcomes' ? ledgerQuestions(deps.meta) : deps.events }
  const projectIds = view.projects.map(({ id }) => id)
  const sinceMs = plan.compare ? await storedSince(deps, compiled.dataset.from, projectIds) : undefined
  const answered: Answered =
    options.shape === 'series'
      ? await charts(asked, view, plan, compiled, options, sinceMs)
      : await (compiled.measures.length > 0 ? table : listed)(asked, view, plan, compiled, options, sinceMs)
  return {
    columns: columnsOf(compiled, plan.compare !== undefined && options.shape === 'table'),
    rows: answered.rows,
    series: answered.series,
    meta: {
      ...metaOf(view, answered, deps.clock.now() - startedMs),
      ...(sinceMs === undefined ? {} : { beforeStored: isStoredBefore(answered.scanned, sinceMs) }),
    },
  }
}

/** Checks a plan of a series without running it. Throws VALIDATION (names the wrong part of the plan) and QUERY_*. */
export async function checkPlan(deps: CheckDeps, projects: PlanView['projects'], plan: Plan): Promise<void> {
  const toMs = deps.clock.now()
  const view = { projects, environments: [], range: { fromMs: toMs - 3_600_000, toMs, period: '1h' } }
  await compilePlan(checkOnly(deps), fieldsOfDataset(plan.dataset), view, plan, 'series')
}
