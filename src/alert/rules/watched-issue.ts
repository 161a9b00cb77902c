import type { IssueCondition } from '../../contract/alerts/alerts.ts'
import { type RuleBranch, ruleBranches } from '../../query/alerts/rule-filter.ts'
import type { QueryDeps } from '../../query/issues/issue.ts'
import type { AlertRule, AlertRuleState } from '../../store/meta/alerts/rules.ts'
import type { Project } from '../../store/meta/meta.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'
import { isWindow, stepMsOf, type WindowTrigger } from './issue.ts'

/** Conditions with people, releases and so on are read again after this time. */
const compiledForMs = 10 * 60_000

/** An issue rule in the memory of its evaluator. */
export type WatchedIssueRule = {
  rule: AlertRule
  condition: IssueCondition
  windows: WindowTrigger[]
  stepMs: number
  evaluatedMs: number | null
  state: AlertRuleState
  compiledMs: number
  /** The projects that it is compiled for, and the list they are from. */
  projectKey: string
  projects: Project[]
  branches: RuleBranch[]
  retryMs: number
}

/** Returns the projects of an organization: the same array for a whole round, so that `===` tells what is known. */
export type ProjectsOf = (organizationId: number) => Promise<Project[]>

/** Creates a reader that asks the database once for each organization. It is made anew for each round. */
export function createProjectsOf({ meta }: { meta: MetaWith<'projects.projectsOf'> }): ProjectsOf {
  const known = new Map<number, Promise<Project[]>>()
  return (organizationId) => {
    const found = known.get(organizationId) ?? meta.projects.projectsOf(organizationId)
    known.set(organizationId, found)
    return found
  }
}

/** Begins to watch a rule. */
export function watchIssueRule(rule: AlertRule, condition: IssueCondition): WatchedIssueRule {
  const windows = condition.when.filter(isWindow)
  const stepMs = stepMsOf(windows)
  const { evaluatedMs } = rule.state
  const compiled = { compiledMs: 0, projectKey: '', projects: [], branches: [] }
  return { rule, condition, windows, stepMs, evaluatedMs, state: rule.state, ...compiled, retryMs: 0 }
}

/** The environment of a rule; empty: all. */
export const environmentsOf = ({ rule: { definition } }: Pick<WatchedIssueRule, 'rule'>): string[] =>
  definition.environment === null ? [] : [definition.environment]

/**
 * Compiles the filter of a rule, if that is not done, is long ago, or was for other projects: the first error of a new
 * project must not be the one that nobody hears of. Throws QUERY_*, STORE_UNAVAILABLE.
 */
export async function compileIssueRule(
  deps: QueryDeps,
  watched: WatchedIssueRule,
  projectsOf: ProjectsOf,
): Promise<void> {
  const { organizationId, definition } = watched.rule
  const all = await projectsOf(organizationId)
  if (watched.projects === all) return
  const nowMs = deps.clock.now()
  const projects = definition.projectIds.length === 0 ? all : all.filter(({ id }) => definition.projectIds.includes(id))
  const projectKey = projects.map(({ id }) => id).join()
  if (watched.compiledMs <= nowMs - compiledForMs || watched.projectKey !== projectKey) {
    const environments = environmentsOf(watched)
    watched.branches = await ruleBranches(deps, { projects, environments }, watched.condition.filter)
    watched.compiledMs = nowMs
  }
  Object.assign(watched, { projectKey, projects: all })
}
