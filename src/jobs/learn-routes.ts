import type { Clock } from '../base/clock.ts'
import { learnNames } from '../domain/traces/routes.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** The last two days, so that a quiet site is learned too. */
const pastMs = 86_400_000
/** A page with names at one position is learned from 50 of them, so most of a larger project is seen by several runs. */
const routesMax = 5000

type LearnDeps = {
  clock: Clock
  meta: MetaWith<'projects.projectById' | 'projects.routeSettings' | 'projects.setLearnedRoutes'>
  events: Pick<EventStore, 'pathsByProject'>
}

/**
 * Learns which parts of the addresses of each project vary, and returns the number of projects with new ones. Later spans
 * get the shorter routes; stored spans keep theirs. Safe to repeat.
 */
export async function learnRoutes({ clock, meta, events }: LearnDeps): Promise<{ projects: number }> {
  let projects = 0
  for (const { projectId, routes } of await events.pathsByProject(clock.now() - pastMs, routesMax)) {
    if (!(await meta.projects.projectById(projectId))) continue
    const settings = await meta.projects.routeSettings(projectId)
    const learned = learnNames(routes, settings)
    if (learned.length === settings.learned.length) continue
    await meta.projects.setLearnedRoutes(projectId, learned)
    projects++
  }
  return { projects }
}
