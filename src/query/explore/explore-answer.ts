import type { Plan, PlanAnswer } from '../../contract/explore/explore.ts'
import type { View } from '../issues/issue.ts'
import { type PlanDeps, runPlan } from './explore.ts'
import { sqlOfPlan } from './plan-words.ts'

/** The answer to a plan as a table and as a chart, and its SQL for people; '' for the ledger, which no SQL asks. */
export type ExploreAnswer = { table: PlanAnswer; chart: PlanAnswer | undefined; sql: string }

/** Answers a plan for the page Explore. `withChart`: also by time. Throws like runPlan. */
export async function exploreAnswer(
  deps: PlanDeps,
  view: View,
  plan: Plan,
  { withChart }: { withChart: boolean },
): Promise<ExploreAnswer> {
  const [table, chart, sql] = await Promise.all([
    runPlan(deps, view, plan, { shape: 'table' }),
    withChart ? runPlan(deps, view, plan, { shape: 'series' }) : undefined,
    sqlOfPlan(deps, view, plan, { shape: 'table' }),
  ])
  return { table, chart, sql: sql ?? '' }
}
