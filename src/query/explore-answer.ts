import type { Plan, PlanAnswer } from '../contract/explore.ts'
import { runPlan, sqlOfPlan, wordsOfPlan } from './explore.ts'
import type { QueryDeps, View } from './issue.ts'

/** The answer to a plan as a table and as a chart, and the plan in words and as SQL. */
export type ExploreAnswer = { table: PlanAnswer; chart: PlanAnswer | undefined; words: string; sql: string }

/** Answers a plan for the page Explore. `withChart`: also by time. Throws like runPlan. */
export async function exploreAnswer(
  deps: QueryDeps,
  view: View,
  plan: Plan,
  { withChart }: { withChart: boolean },
): Promise<ExploreAnswer> {
  const [table, chart] = await Promise.all([
    runPlan(deps, view, plan, { shape: 'table' }),
    withChart ? runPlan(deps, view, plan, { shape: 'series' }) : undefined,
  ])
  return { table, chart, words: wordsOfPlan(plan), sql: sqlOfPlan(plan, view) }
}
