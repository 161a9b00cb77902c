import type { Plan } from '../../contract/explore/explore.ts'
import type { Export } from '../../store/meta/explore/exports.ts'
import type { View } from '../issues/issue.ts'
import { type PlanDeps, runPlan } from './explore.ts'
import type { AskPlan } from './export-pages.ts'

/**
 * Throws like runPlan for a plan that cannot run, so that a request is refused at once: the plan is answered over the
 * last millisecond of its range.
 */
export async function checkExport(deps: PlanDeps, view: View, plan: Plan): Promise<void> {
  const { toMs } = view.range
  const last = { fromMs: toMs - 1, toMs, period: 'range' }
  await runPlan(deps, { ...view, range: last }, { ...plan, limit: 1 }, { shape: 'table' })
}

/** Returns how an export reads: like Explore, with its projects and environments. Undefined if a project is gone. */
export async function exportAsk(
  deps: PlanDeps,
  { organizationId, userId, request }: Export,
  signal: AbortSignal,
): Promise<AskPlan | undefined> {
  const organization = await deps.meta.organizations.organizationById(organizationId)
  const projects = (await Array.fromAsync(request.projectIds, async (id) => deps.meta.projects.projectById(id))).filter(
    (project) => project !== undefined,
  )
  if (!organization || projects.length < request.projectIds.length) return undefined
  const view = { organization, projects, environments: request.environments, meUserId: userId }
  return ({ fromMs, toMs }, plan) =>
    runPlan(deps, { ...view, range: { fromMs, toMs, period: 'range' } }, plan, { shape: 'table', signal })
}
