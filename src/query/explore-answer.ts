import type { Plan, PlanAnswer } from '../contract/explore.ts'
import { fieldsOfDataset } from './compile/datasets.ts'
import { compilePlan } from './compile/question.ts'
import { scopeOfView } from './compile/scope.ts'
import { runPlan } from './explore.ts'
import type { QueryDeps, View } from './issue.ts'

/** The answer to a plan as a table and as a chart, and its SQL for people; '' for the ledger, which no SQL asks. */
export type ExploreAnswer = { table: PlanAnswer; chart: PlanAnswer | undefined; sql: string }

/** Returns the SQL of the table of a plan, with its values in place. */
async function sqlOfPlan(deps: QueryDeps, view: View, plan: Plan): Promise<string> {
  if (plan.dataset === 'outcomes') return ''
  const compiled = await compilePlan(deps, fieldsOfDataset(plan.dataset), view, plan, 'table')
  const { dataset, fields, measures, filter, having, withCut, order } = compiled
  const values = fields.map(({ value }) => value)
  const asked = { from: dataset.from, scope: scopeOfView(view), filter, values, order, max: plan.limit, offset: 0 }
  const aggregates = measures.map(({ aggregate }) => aggregate)
  return deps.events.sqlOf((store) =>
    measures.length > 0 ? store.groupRows({ ...asked, aggregates, having, withCut }) : store.listRows(asked),
  )
}

/** Answers a plan for the page Explore. `withChart`: also by time. Throws like runPlan. */
export async function exploreAnswer(
  deps: QueryDeps,
  view: View,
  plan: Plan,
  { withChart }: { withChart: boolean },
): Promise<ExploreAnswer> {
  const [table, chart, sql] = await Promise.all([
    runPlan(deps, view, plan, { shape: 'table' }),
    withChart ? runPlan(deps, view, plan, { shape: 'series' }) : undefined,
    sqlOfPlan(deps, view, plan),
  ])
  return { table, chart, sql }
}
