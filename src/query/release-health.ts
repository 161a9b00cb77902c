import type { RestHealth, RestHealthChange, RestHealthData, RestShare } from '../contract/release-health.ts'
import { ofSamePackage, sortReleases } from '../domain/release-order.ts'
import type { EventFilter } from '../store/events/events.ts'
import type { HealthCounts, SessionGroup, SessionScope } from '../store/events/session-store.ts'
import type { Project } from '../store/meta/meta.ts'
import type { QueryDeps } from './issues/issue.ts'
import { type Counted, differenceOf, firstOf, type Share, shareOf } from './release-health-stats.ts'
import { adoptionIn, aheadMs, groupsMax, reachMs, readAdoption } from './release-stages.ts'

type Deps = Pick<QueryDeps, 'meta' | 'events' | 'clock'>
type Where = { projects: readonly Project[]; environments: readonly string[] }

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Limit of releases that are ordered, the newest, and of earlier releases that are searched. */
const orderedMax = 1000
const earlierMax = 50
/** Number of earlier releases whose stats are shown too. */
const beforeMax = 2

const emptyCounts: HealthCounts = { all: 0, errored: 0, unhandled: 0, abnormal: 0, crashed: 0 }
const idsOf = (projects: readonly Project[]): number[] => projects.map((project) => project.id)
const crashFree = (counts: HealthCounts | undefined): Share | undefined =>
  counts && shareOf(counts.all - counts.crashed, counts.all)
const toRestShare = (share: Share | undefined): RestShare | null => share ?? null

/** Releases to query: their versions and their projects. */
type HealthOf = { version: string; projectIds: readonly number[] }

/**
 * Returns the health of releases over a range, by version, without releases that have no sessions. Undefined if no
 * project sent a session in the range or in the last 24 hours. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT.
 */
export async function releasesHealth(
  deps: Deps,
  where: Where & { range: { fromMs: number; toMs: number } },
  releases: readonly HealthOf[],
): Promise<Map<string, RestHealth> | undefined> {
  const { projects, environments, range } = where
  const scope = { projectIds: idsOf(projects), environments, ...pick(range) }
  const [groups, sessionsOfDays] = await Promise.all([
    deps.events.sessionGroups({ scope, by: ['release'], users: true, max: groupsMax }),
    readAdoption(deps, { projectIds: scope.projectIds, environments }),
  ])
  if (groups.length === 0 && sessionsOfDays.lastDay.length === 0) return undefined
  const adoptionOf = adoptionIn(sessionsOfDays)
  const byRelease = new Map(groups.map((group) => [group.release, group]))
  const found = releases.flatMap(({ version, projectIds }): [string, RestHealth][] => {
    const group = byRelease.get(version)
    const adoption = adoptionOf(version, projectIds)
    if (!group && !adoption?.sessions) return []
    const { sessions = emptyCounts, users } = group ?? {}
    return [
      [
        version,
        {
          crashFreeSessions: toRestShare(crashFree(sessions)),
          crashFreeUsers: toRestShare(crashFree(users)),
          sessions,
          adoption: adoption ?? null,
        },
      ],
    ]
  })
  return new Map(found)
}

const pick = ({ fromMs, toMs }: { fromMs: number; toMs: number }) => ({ fromMs, toMs })

/** Returns the earlier versions of the same package, the nearest first. */
async function versionsBefore(
  { meta }: Pick<Deps, 'meta'>,
  projects: readonly Project[],
  version: string,
): Promise<string[]> {
  const projectIds = idsOf(projects)
  const times = sortReleases(await meta.releases.releaseTimes({ projectIds, text: '', offset: 0, max: orderedMax }))
  const at = times.findIndex((time) => time.version === version)
  return at < 0
    ? []
    : times
        .slice(at + 1)
        .map((time) => time.version)
        .filter((other) => ofSamePackage(version, other))
        .slice(0, earlierMax)
}

/** Returns the hourly sessions of two releases within the scope; empty for a release without sessions. */
async function hoursOf(
  { events }: Deps,
  scope: SessionScope,
  versions: readonly [own: string, before: string],
): Promise<[own: Counted[], before: Counted[]]> {
  const groups = await events.sessionGroups({
    scope: { ...scope, filter: { op: 'releases', values: [...versions] } },
    by: ['release'],
    bucketMs: hourMs,
    // Both releases in each hour of the reach.
    max: (2 * reachMs) / hourMs + 2,
  })
  const of = (version: string) =>
    groups
      .filter((group) => group.release === version)
      .map(({ startMs, sessions: { all, crashed } }) => ({ startMs, all, crashed }))
  return [of(versions[0]), of(versions[1])]
}

/** Compares a release with the one before it, over the same number of first sessions. */
function changeOf(own: readonly Counted[], before: readonly Counted[], previous: string): RestHealthChange | undefined {
  const sumOf = (hours: readonly Counted[]) => hours.reduce((sum, hour) => sum + hour.all, 0)
  const equal = Math.min(sumOf(own), sumOf(before))
  const [first, second] = [firstOf(own, equal), firstOf(before, equal)]
  const now = shareOf(first.all - first.crashed, first.all)
  const then = shareOf(second.all - second.crashed, second.all)
  return now && then && { previous, own: now, before: then, ...differenceOf(now, then) }
}

/**
 * Compares the crash-free sessions of a release with those of another at equal adoption. Undefined if one of them had no
 * sessions. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT.
 */
export async function healthChangeOf(
  deps: Deps,
  { projects, environments, version, previous }: Where & { version: string; previous: string },
): Promise<RestHealthChange | undefined> {
  const nowMs = deps.clock.now()
  const scope = { projectIds: idsOf(projects), environments, fromMs: nowMs - reachMs, toMs: nowMs + aheadMs }
  const [hours, hoursBefore] = await hoursOf(deps, scope, [version, previous])
  return changeOf(hours, hoursBefore, previous)
}

/** The health of one release and of the releases before it. */
export type ReleaseHealth = {
  own: RestHealth
  /** Earlier releases with sessions, the nearest first. */
  before: { version: string; crashFreeSessions: RestShare }[]
  change: RestHealthChange | undefined
}

/**
 * Returns the session data of a release's page. Undefined if it had no sessions in the last 90 days. Throws
 * STORE_UNAVAILABLE, QUERY_TIMEOUT.
 */
export async function releaseHealth(
  deps: Deps,
  where: Where & { version: string },
): Promise<ReleaseHealth | undefined> {
  const { projects, environments, version } = where
  const nowMs = deps.clock.now()
  const range = { fromMs: nowMs - reachMs, toMs: nowMs + aheadMs }
  const earlier = await versionsBefore(deps, projects, version)
  const requested = [version, ...earlier].map((name) => ({ version: name, projectIds: idsOf(projects) }))
  const all = await releasesHealth(deps, { projects, environments, range }, requested)
  const own = all?.get(version)
  if (!all || !own || own.sessions.all === 0) return undefined
  const before = earlier
    .flatMap((name) => {
      const crashFreeSessions = all.get(name)?.crashFreeSessions
      return crashFreeSessions ? [{ version: name, crashFreeSessions }] : []
    })
    .slice(0, beforeMax)
  const [nearest] = before
  if (!nearest) return { own, before, change: undefined }
  return { own, before, change: await healthChangeOf(deps, { ...where, previous: nearest.version }) }
}

const percent = (share: Share | undefined): number | null => (share ? share.share * 100 : null)

type ProjectDay = { release: SessionGroup | undefined; all: HealthCounts; users: number; hours: [number, number][] }

function healthDataOf(group: SessionGroup | undefined, { release, all, users, hours }: ProjectDay): RestHealthData {
  const { sessions = emptyCounts, users: people = emptyCounts, durations } = group ?? {}
  const part = (some: number | undefined, total: number) => (total > 0 ? ((some ?? 0) / total) * 100 : null)
  return {
    hasHealthData: sessions.all > 0,
    adoption: part(release?.users?.all, users),
    sessionsAdoption: part(release?.sessions.all, all.all),
    crashFreeUsers: percent(crashFree(people)),
    crashFreeSessions: percent(crashFree(sessions)),
    totalUsers: people.all,
    totalSessions: sessions.all,
    totalUsers24h: release?.users?.all ?? 0,
    totalSessions24h: release?.sessions.all ?? 0,
    totalProjectUsers24h: users,
    totalProjectSessions24h: all.all,
    sessionsCrashed: sessions.crashed,
    sessionsErrored: sessions.errored + sessions.unhandled + sessions.abnormal,
    durationP50: durations?.p50 ?? null,
    durationP90: durations?.p90 ?? null,
    stats: { '24h': hours },
  }
}

/**
 * Returns a function for the API's health data of a release in a project: totals over a range, adoption over the last
 * 24 hours. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT.
 */
export async function healthData(
  { events, clock }: Deps,
  { projects, environments, range }: Where & { range: { fromMs: number; toMs: number } },
  versions: readonly string[],
): Promise<(version: string, projectId: number) => RestHealthData> {
  const nowMs = clock.now()
  const filter: EventFilter = { op: 'releases', values: [...versions] }
  const scope = { projectIds: idsOf(projects), environments, ...pick(range) }
  const day = { ...scope, fromMs: nowMs - dayMs, toMs: nowMs + aheadMs }
  const [groups, releases, all, hours] = await Promise.all([
    events.sessionGroups({
      scope: { ...scope, filter },
      by: ['project', 'release'],
      users: true,
      durations: true,
      max: groupsMax,
    }),
    events.sessionGroups({ scope: { ...day, filter }, by: ['project', 'release'], users: true, max: groupsMax }),
    events.sessionGroups({ scope: day, by: ['project'], users: true, max: groupsMax }),
    events.sessionGroups({
      scope: { ...day, filter },
      by: ['project', 'release'],
      bucketMs: hourMs,
      max: groupsMax * 25,
    }),
  ])
  const firstMs = Math.floor((nowMs - dayMs) / hourMs) * hourMs + hourMs
  const starts = Array.from({ length: 24 }, (_, at) => firstMs + at * hourMs)
  const keyOf = (version: string, projectId: number) => `${version}\n${projectId}`
  const byKey = <Group extends SessionGroup>(found: readonly Group[]) =>
    Map.groupBy(found, ({ release, projectId }) => keyOf(release, projectId))
  const [totals, lastDay, byHour] = [byKey(groups), byKey(releases), byKey(hours)]
  const ofProject = new Map(all.map((group) => [group.projectId, group]))
  return (version, projectId) => {
    const key = keyOf(version, projectId)
    const project = ofProject.get(projectId)
    const hourly = new Map(byHour.get(key)?.map((group) => [group.startMs, group.sessions.all]))
    return healthDataOf(totals.get(key)?.[0], {
      release: lastDay.get(key)?.[0],
      all: project?.sessions ?? emptyCounts,
      users: project?.users?.all ?? 0,
      hours: starts.map((startMs) => [startMs / 1000, hourly.get(startMs) ?? 0]),
    })
  }
}
