import type { Plan, PlanPhrase } from '../../contract/explore/explore.ts'
import { bucketMsOf } from '../compile/buckets.ts'
import type { PlanView } from '../compile/dataset.ts'
import { fieldsOfDataset } from '../compile/datasets.ts'
import { compilePlan } from '../compile/question.ts'
import { scopeOfView } from '../compile/scope.ts'
import type { QueryDeps } from '../issues/issue.ts'

/**
 * Returns readable SQL of a plan with its values in place. Undefined for outcomes: they are answered from the ledger of
 * the meta store, without SQL of their own. Throws VALIDATION and QUERY_* as `runPlan` does.
 */
export async function sqlOfPlan(
  deps: QueryDeps,
  view: PlanView,
  plan: Plan,
  { shape, intervalMs }: { shape: 'table' | 'series'; intervalMs?: number | undefined },
): Promise<string | undefined> {
  if (plan.dataset === 'outcomes') return undefined
  const { fields, measures, ...compiled } = await compilePlan(deps, fieldsOfDataset(plan.dataset), view, plan, shape)
  return deps.events.explain({
    ...compiled,
    from: compiled.dataset.from,
    scope: scopeOfView(view),
    values: fields,
    aggregates: measures,
    max: plan.limit,
    bucketMs: shape === 'series' ? bucketMsOf(compiled.dataset, view.range, intervalMs) : undefined,
  })
}

/** Returns a plan as phrases, in the order in which a sentence says them. */
export function wordsOfPlan(plan: Plan): PlanPhrase[] {
  const { dataset, columns, groupBy, series, formulas, query, order, limit, compare } = plan
  const isList = series.length === 0 && groupBy.length === 0
  const asked = series.length > 0 || isList ? series : [{ name: 'a', aggregate: 'count()' }]
  return [
    ...(isList ? [{ part: 'rows' as const, dataset, columns }] : []),
    ...asked.map((item) => ({
      part: 'series' as const,
      dataset,
      name: item.name,
      aggregate: item.aggregate,
      query: ('query' in item ? item.query : undefined) ?? '',
    })),
    ...formulas.map(({ name, expression }) => ({ part: 'formula' as const, name, expression })),
    ...(query.trim() === '' ? [] : [{ part: 'filter' as const, query }]),
    ...(groupBy.length > 0 ? [{ part: 'groups' as const, fields: groupBy }] : []),
    ...(order === ''
      ? []
      : [{ part: 'order' as const, by: order.replace(/^-/, ''), descending: order.startsWith('-') }]),
    { part: 'limit', rows: limit, of: isList ? 'rows' : 'groups' },
    ...(compare ? [{ part: 'previous' as const }] : []),
  ]
}
