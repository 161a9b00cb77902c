import { MishapError } from '../../base/errors.ts'
import type { Plan, PlanAnswer } from '../../contract/explore/explore.ts'
import { planLimits } from '../../domain/datasets.ts'

/** Answers a plan over a range, at most `plan.limit` rows. Throws like runPlan. */
export type AskPlan = (range: { fromMs: number; toMs: number }, plan: Plan) => Promise<PlanAnswer>

/** One page of an export. `columns` are the same for all pages. */
type ExportPage = Pick<PlanAnswer, 'columns' | 'rows'>

/** Rows of a page: a few megabytes, and about 50 ms of this process to write them as Parquet. */
const pageRows = planLimits.rows

/** Whether a plan answers groups. Those of two windows are not rows of one file: each would be there twice. */
const isGrouped = ({ series, groupBy }: Plan): boolean => series.length > 0 || groupBy.length > 0

/** Returns the number of rows that match; null for groups, which are only known at the end. */
export async function exportTotal(
  ask: AskPlan,
  range: { fromMs: number; toMs: number },
  plan: Plan,
): Promise<number | null> {
  if (isGrouped(plan)) return null
  const count: Plan = {
    ...plan,
    columns: [],
    groupBy: [],
    series: [{ name: 'a', aggregate: 'count()' }],
    formulas: [],
    order: '',
    limit: 1,
  }
  const { rows, meta } = await ask(range, count)
  const [first] = rows[0] ?? []
  // A count of sampled rows is extrapolated. The stored ones are exported.
  return meta.samples ?? (typeof first === 'number' ? Math.round(first) : null)
}

/** The page of one window, or undefined if the window has more rows than a page, or needs more than a query may. */
async function pageOf(
  ask: AskPlan,
  range: { fromMs: number; toMs: number },
  plan: Plan,
): Promise<ExportPage | undefined> {
  try {
    const answer = await ask(range, plan)
    return answer.meta.more || answer.meta.partial ? undefined : answer
  } catch (error) {
    if (error instanceof MishapError && error.code === 'QUERY_TIMEOUT') return undefined
    throw error
  }
}

/**
 * Yields every row of a plan, newest first, without a limit of rows. The range is read in windows that have about a page
 * each: a position in the order would need one that no two rows share. Nothing is left out: a window that has more is
 * halved and asked again. Throws VALIDATION if one millisecond has more rows than a page.
 */
async function* rowPages(
  ask: AskPlan,
  range: { fromMs: number; toMs: number },
  plan: Plan,
  total: number | null,
): AsyncGenerator<ExportPage> {
  const lengthMs = range.toMs - range.fromMs
  const pages = Math.max(1, Math.ceil(((total ?? pageRows) * 1.25) / pageRows))
  let windowMs = Math.max(1, Math.floor(lengthMs / pages))
  const page = { ...plan, limit: pageRows }
  for (let toMs = range.toMs; toMs > range.fromMs; ) {
    const fromMs = Math.max(range.fromMs, toMs - windowMs)
    const found = await pageOf(ask, { fromMs, toMs }, page)
    if (found) {
      yield found
      toMs = fromMs
      if (found.rows.length < pageRows / 2) windowMs = Math.min(lengthMs, windowMs * 2)
    } else if (toMs - fromMs > 1) windowMs = Math.max(1, Math.floor((toMs - fromMs) / 2))
    else
      throw new MishapError('VALIDATION', {
        detail: `More than ${pageRows} rows have the time ${new Date(fromMs).toISOString()}. Narrow the query.`,
      })
  }
}

/** Yields the pages of a plan: every row, or every group. */
export async function* exportPages(
  ask: AskPlan,
  range: { fromMs: number; toMs: number },
  plan: Plan,
  total: number | null,
): AsyncGenerator<ExportPage> {
  if (!isGrouped(plan)) {
    yield* rowPages(ask, range, plan, total)
    return
  }
  const answer = await ask(range, { ...plan, limit: pageRows })
  const { partial, more } = answer.meta
  if (partial) throw new MishapError('QUERY_TIMEOUT', { detail: partial.sentence })
  if (more)
    throw new MishapError('VALIDATION', {
      detail: `There are more than ${pageRows} groups. Group by fewer values, narrow the query, or export rows.`,
    })
  yield answer
}
