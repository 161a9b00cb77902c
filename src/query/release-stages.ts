import type { Clock } from '../base/clock.ts'
import type { Recent } from '../base/recent.ts'
import { type AdoptionStage, stageOf } from '../domain/adoption-stages.ts'
import type { SessionGroup, SessionStore } from '../store/events/session-store.ts'

// The adoption of releases and its stage: of the pages of releases, of REST and of the search key release.stage.

type Deps = { clock: Pick<Clock, 'now'>; events: Pick<SessionStore, 'sessionGroups'> }
/** Environments count together. None: all. */
type Where = { projectIds: readonly number[]; environments: readonly string[] }

const dayMs = 86_400_000
/** Clients' clocks can be up to a minute ahead. */
export const aheadMs = 60_000
/** How far back the sessions of releases are read. */
export const reachMs = 90 * dayMs
/** Limit of releases with sessions that are read for one range, those with the most sessions. */
export const groupsMax = 5000

/** Sessions by project and release: of the last 24 hours, and of each day (UTC) of the last 90. */
type AdoptionSessions = { lastDay: readonly SessionGroup[]; days: readonly SessionGroup[] }

/** Reads the sessions that adoption is computed from. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT. */
export async function readAdoption({ events, clock }: Deps, where: Where): Promise<AdoptionSessions> {
  const nowMs = clock.now()
  const toMs = nowMs + aheadMs
  const by = ['project', 'release'] as const
  const [lastDay, days] = await Promise.all([
    events.sessionGroups({ scope: { ...where, fromMs: nowMs - dayMs, toMs }, by, max: groupsMax }),
    events.sessionGroups({
      scope: { ...where, fromMs: nowMs - reachMs, toMs },
      by,
      bucketMs: dayMs,
      max: groupsMax * 10,
    }),
  ])
  return { lastDay, days }
}

type Share = { share: number; sessions: number; all: number }

/**
 * Answers for any release which share it has of the sessions of its projects: those that it is asked for, and those that
 * sent sessions of it. Undefined: these projects had no sessions. One pass over the groups serves every release.
 */
function sharesIn(
  groups: readonly SessionGroup[],
): (version: string, projectIds: readonly number[]) => Share | undefined {
  const allByProject = new Map<number, number>()
  const byRelease = new Map<string, Map<number, number>>()
  for (const { projectId, release, sessions } of groups) {
    allByProject.set(projectId, (allByProject.get(projectId) ?? 0) + sessions.all)
    const sessionsByProject = byRelease.get(release) ?? new Map<number, number>()
    byRelease.set(release, sessionsByProject.set(projectId, (sessionsByProject.get(projectId) ?? 0) + sessions.all))
  }
  return (version, projectIds) => {
    const own = byRelease.get(version) ?? new Map<number, number>()
    const all = [...new Set([...projectIds, ...own.keys()])].reduce((sum, id) => sum + (allByProject.get(id) ?? 0), 0)
    const sessions = [...own.values()].reduce((sum, count) => sum + count, 0)
    return all > 0 ? { share: sessions / all, sessions, all } : undefined
  }
}

/**
 * Answers for any release its share of the sessions of its projects in the last 24 hours, 0 to 1, and its stage.
 * Undefined: these projects had no sessions in that time.
 */
export function adoptionIn({
  lastDay,
  days,
}: AdoptionSessions): (
  version: string,
  projectIds: readonly number[],
) => (Share & { stage: AdoptionStage }) | undefined {
  const shareOf = sharesIn(lastDay)
  // Only the days on which a release had sessions: on the others its share is 0.
  const daysOf = new Map<string, ReturnType<typeof sharesIn>[]>()
  for (const day of Map.groupBy(days, ({ startMs }) => startMs).values()) {
    const shareOfDay = sharesIn(day)
    for (const version of new Set(day.map(({ release }) => release))) {
      const known = daysOf.get(version)
      if (known) known.push(shareOfDay)
      else daysOf.set(version, [shareOfDay])
    }
  }
  return (version, projectIds) => {
    const current = shareOf(version, projectIds)
    if (!current) return undefined
    const shares = (daysOf.get(version) ?? []).map((shareOfDay) => shareOfDay(version, projectIds)?.share ?? 0)
    return { ...current, stage: stageOf(current.share, Math.max(0, ...shares)) }
  }
}

/** How long a process uses stages again: one page has several searches, and a busy day takes half a second to read. */
export const releaseStagesAge = { max: 20, maxAgeMs: 60_000 }

/** A release of one project. `sessions`: a measure of its size. */
export type StagedRelease = { projectId: number; version: string; stage: AdoptionStage; sessions: number }

/** Stages that were read in the last minute. */
export type RecentStages = Recent<readonly StagedRelease[]>

/**
 * Returns the stage of each release in each project, those with the most sessions first, at most a minute old with
 * `recent`. A project without sessions in
 * the last 24 hours has none, and neither has a release without sessions in the last 90 days. Throws STORE_UNAVAILABLE,
 * QUERY_TIMEOUT.
 */
export function releaseStages(deps: Deps, where: Where, recent?: RecentStages): Promise<readonly StagedRelease[]> {
  if (!recent) return readStages(deps, where)
  const key = JSON.stringify([where.projectIds.toSorted((a, b) => a - b), where.environments.toSorted()])
  return recent.get(key, () => readStages(deps, where))
}

async function readStages(deps: Deps, where: Where): Promise<StagedRelease[]> {
  const read = await readAdoption(deps, where)
  const daysOf = Map.groupBy(read.days, ({ projectId }) => projectId)
  const found = [...Map.groupBy(read.lastDay, ({ projectId }) => projectId)].flatMap(([projectId, lastDay]) => {
    const days = daysOf.get(projectId) ?? []
    const adoption = adoptionIn({ lastDay, days })
    // The last day is counted twice, so of two equal releases the newer one comes first.
    const counts = new Map<string, number>()
    for (const { release, sessions } of [...lastDay, ...days])
      counts.set(release, (counts.get(release) ?? 0) + sessions.all)
    return [...counts].flatMap(([version, sessions]): StagedRelease[] => {
      const own = adoption(version, [projectId])
      return own ? [{ projectId, version, stage: own.stage, sessions }] : []
    })
  })
  return found.toSorted((a, b) => b.sessions - a.sessions)
}
