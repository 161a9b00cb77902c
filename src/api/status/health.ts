import type { RestIngestHealth } from '../../contract/status.ts'
import type { App } from '../../processes/parts.ts'
import type { Project } from '../../store/meta/meta.ts'

/** A busy product commits within a second, so records that wait this long are a backlog, ms. */
const behindMs = 15_000
/** Older refusals are history; the ledger has them, ms. */
const rejectedMs = 300_000

/** Refused requests of the last minutes by project. A person disabled a key on purpose, so its requests do not count. */
async function rejectedByProject(app: App, projects: readonly Project[]): Promise<Map<number, number>> {
  const keyIds = (
    await Array.fromAsync(projects, async (project) =>
      (await app.meta.projects.keysOf(project.id)).map((key) => key.id),
    )
  ).flat()
  const sinceMs = app.clock.now() - rejectedMs
  const counts = new Map<number, number>()
  for (const { atMs, status, reason, projectId } of app.requestLog.of(keyIds))
    if (atMs >= sinceMs && status >= 400 && reason !== 'disabled_key')
      counts.set(projectId, (counts.get(projectId) ?? 0) + 1)
  return counts
}

/** Returns whether the data of these projects arrives. `state` names the most severe problem. */
export async function ingestHealthOf(app: App, projects: readonly Project[]): Promise<RestIngestHealth> {
  const rejected = [...(await rejectedByProject(app, projects))].sort((a, b) => b[1] - a[1])
  const worst = projects.find((project) => project.id === rejected[0]?.[0])
  const { oldestWaitingMs } = await app.journal()
  const state = !app.engineUp()
    ? 'down'
    : app.waitsFor()
      ? 'waiting'
      : oldestWaitingMs > behindMs
        ? 'behind'
        : rejected.length
          ? 'rejecting'
          : 'ok'
  return {
    state,
    eventsPerMinute: app.eventRate.perMinute(projects.map((project) => project.id)),
    oldestWaitingMs,
    rejectedRequests: rejected.reduce((sum, [, requests]) => sum + requests, 0),
    rejectedProject: worst ? { id: String(worst.id), slug: worst.slug } : null,
  }
}
