import type { RestComparedIssue, RestComparedIssues, RestReleaseCompare } from '../contract/release-compare.ts'
import type { RestRelease } from '../contract/releases.ts'
import type { EventFilter, GroupCount, Scope } from '../store/events/events.ts'
import type { SessionGroup } from '../store/events/session-store.ts'
import type { QueryDeps, View } from './issues/issue.ts'
import { toRestIssues } from './issues/issue.ts'
import { healthChangeOf, releasesHealth } from './release-health.ts'
import { aheadMs, reachMs } from './release-stages.ts'
import { compareRates, type Occurrences, type RateVerdict } from './releases/release-compare-stats.ts'
import { findRelease } from './releases.ts'

/** As many groups as a list by events reads (issues.ts). */
const groupsMax = 10_000
/** Limit of sessions' groups: two releases in each project. */
const sessionGroupsMax = 1000
const rowsMax = 50

type Request = Pick<View, 'organization' | 'projects' | 'environments'> & { a: string; b: string }
type Basis = 'sessions' | 'events'

/** Events and users of each issue in one release, by issue id. */
type Counts = Map<number, Occurrences & { projectId: number }>

/** Number of sessions and of events of one release by project. */
type Exposure = Record<Basis, Map<number, number>>

type Compared = {
  issueId: number
  kind: 'new' | 'gone' | RateVerdict
  row: Omit<RestComparedIssue, 'issue'>
}

const add = (sums: Map<number, number>, key: number, count: number) => sums.set(key, (sums.get(key) ?? 0) + count)

/** Sums groups over their issues. A user of two groups of one issue counts twice, so users are an upper bound. */
function countsOf(groups: readonly GroupCount[], issueIds: ReadonlyMap<string, number>): Counts {
  const counts: Counts = new Map()
  for (const { projectId, groupHash, events, users = 0 } of groups) {
    const id = issueIds.get(`${projectId}:${groupHash}`)
    if (id === undefined) continue
    const sum = counts.get(id) ?? { projectId, events: 0, users: 0 }
    counts.set(id, { projectId, events: sum.events + events, users: sum.users + users })
  }
  return counts
}

function exposureOf(groups: readonly GroupCount[], sessions: readonly SessionGroup[], version: string): Exposure {
  const exposure: Exposure = { sessions: new Map(), events: new Map() }
  for (const { projectId, events } of groups) add(exposure.events, projectId, events)
  for (const group of sessions)
    if (group.release === version) add(exposure.sessions, group.projectId, group.sessions.all)
  return exposure
}

/** Sessions are counted if both releases sent them: events per event depend on the other issues. */
function basisOf(projectId: number, exposures: readonly Exposure[]): Basis | null {
  const has = (basis: Basis) => exposures.every((exposure) => (exposure[basis].get(projectId) ?? 0) > 0)
  return has('sessions') ? 'sessions' : has('events') ? 'events' : null
}

/** Compares every issue that has events of one of the releases. */
function compareIssues(a: Counts, b: Counts, exposures: readonly [a: Exposure, b: Exposure]): Compared[] {
  return [...new Set([...a.keys(), ...b.keys()])].map((issueId): Compared => {
    const projectId = (a.get(issueId) ?? b.get(issueId))?.projectId ?? 0
    const basis = basisOf(projectId, exposures)
    const side = (counts: Counts, exposure: Exposure) => ({
      events: counts.get(issueId)?.events ?? 0,
      users: counts.get(issueId)?.users ?? 0,
      exposure: (basis && exposure[basis].get(projectId)) ?? 0,
    })
    const [before, after] = [side(a, exposures[0]), side(b, exposures[1])]
    const found = compareRates(before, after)
    const verdict = found?.verdict ?? 'same'
    return {
      issueId,
      kind: before.events === 0 ? 'new' : after.events === 0 ? 'gone' : verdict,
      row: {
        basis,
        a: { events: before.events, users: before.users, rate: found?.before ?? null },
        b: { events: after.events, users: after.users, rate: found?.after ?? null },
        difference: found?.difference ?? null,
        verdict,
      },
    }
  })
}

/** The sure differences first, then those with the most events. */
const bySize = ({ row, issueId }: Compared, { row: other, issueId: otherId }: Compared): number =>
  Number(other.verdict !== 'same') - Number(row.verdict !== 'same') ||
  other.a.events + other.b.events - (row.a.events + row.b.events) ||
  otherId - issueId

/** Gives each kind its issues. Only the listed ones are read. */
async function listsOf(deps: QueryDeps, view: View, compared: readonly Compared[]) {
  const listed = (['new', 'gone', 'more', 'fewer'] as const).map((kind) => {
    const all = compared.filter((item) => item.kind === kind).toSorted(bySize)
    return { kind, all, shown: all.slice(0, rowsMax) }
  })
  const ids = listed.flatMap(({ shown }) => shown.map((item) => item.issueId))
  const issues = new Map(
    (await toRestIssues(deps, view, await deps.meta.issues.issuesByIds(ids), new Map())).map((issue) => [
      Number(issue.id),
      issue,
    ]),
  )
  const listOf = (kind: (typeof listed)[number]['kind']): RestComparedIssues => {
    const { all = [], shown = [] } = listed.find((item) => item.kind === kind) ?? {}
    return {
      total: all.length,
      sure: all.filter(({ row }) => row.verdict !== 'same').length,
      rows: shown.flatMap(({ issueId, row }) => {
        const issue = issues.get(issueId)
        return issue ? [{ issue: briefOf(issue), ...row }] : []
      }),
    }
  }
  return { new: listOf('new'), gone: listOf('gone'), more: listOf('more'), fewer: listOf('fewer') }
}

/** The part of an issue that a comparison shows. */
function briefOf(issue: Awaited<ReturnType<typeof toRestIssues>>[number]): RestComparedIssue['issue'] {
  const { id, shortId, title, metadata, decodedTitle, culprit, level, status, substatus, project, assignedTo } = issue
  return { id, shortId, title, metadata, decodedTitle, culprit, level, status, substatus, project, assignedTo }
}

/** Events of both releases lie between their first and their last event, and not before the reach. */
function scopeOf(deps: QueryDeps, request: Request, releases: readonly RestRelease[]): Scope {
  const nowMs = deps.clock.now()
  const firsts = releases.flatMap((release) => (release.firstEvent ? [Date.parse(release.firstEvent)] : []))
  return {
    projectIds: request.projects.map((project) => project.id),
    environments: request.environments,
    fromMs: Math.max(nowMs - reachMs, Math.min(nowMs, ...firsts)),
    toMs: nowMs + aheadMs,
  }
}

function sideOf(release: RestRelease, exposure: Exposure): Omit<RestReleaseCompare['a'], 'health'> {
  const { version, shortVersion, dateCreated, dateReleased, lastEvent, projects, lastDeploy } = release
  return {
    version,
    shortVersion,
    dateCreated,
    dateReleased,
    lastEvent,
    projects: projects.map((project) => project.slug),
    events: [...exposure.events.values()].reduce((sum, events) => sum + events, 0),
    lastDeploy: lastDeploy && {
      environment: lastDeploy.environment,
      name: lastDeploy.name,
      dateFinished: lastDeploy.dateFinished,
    },
  }
}

/** Events of performance issues are no errors. */
const withoutDetections: EventFilter = {
  op: 'not',
  of: { op: 'field', field: 'type', match: 'is', value: 'generic' },
}

/**
 * Compares the issues, crash-free rates and adoption of two releases over the last 90 days; `a` is the release before,
 * `b` the release after. `projects` are those whose events the caller can read. Undefined if row of the releases is in
 * none of them. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT.
 */
export async function compareReleases(deps: QueryDeps, request: Request): Promise<RestReleaseCompare | undefined> {
  const { organization, projects, environments, a, b } = request
  const [releaseA, releaseB] = await Array.fromAsync([a, b], async (version) =>
    findRelease(deps, { organization, projects, version }),
  )
  if (!releaseA || !releaseB) return undefined
  const scope = scopeOf(deps, request, [releaseA, releaseB])
  const nowMs = deps.clock.now()
  const range = { fromMs: nowMs - reachMs, toMs: nowMs + aheadMs }
  const groupsOf = (version: string) =>
    deps.events.groups({
      scope,
      filter: { op: 'and', of: [{ op: 'releases', values: [version] }, withoutDetections] },
      order: 'events',
      users: true,
      max: groupsMax,
    })
  const named = [releaseA, releaseB].map((release) => ({
    version: release.version,
    projectIds: release.projects.map((project) => project.id),
  }))
  const [groupsA, groupsB, sessions, health, change] = await Promise.all([
    groupsOf(a),
    groupsOf(b),
    deps.events.sessionGroups({
      scope: { ...scope, ...range, filter: { op: 'releases', values: [a, b] } },
      by: ['project', 'release'],
      max: sessionGroupsMax,
    }),
    releasesHealth(deps, { projects, environments, range }, named),
    healthChangeOf(deps, { projects, environments, version: b, previous: a }),
  ])
  const issueIds = await deps.meta.issues.issueIdsOf([...groupsA, ...groupsB])
  const exposures = [exposureOf(groupsA, sessions, a), exposureOf(groupsB, sessions, b)] as const
  const compared = compareIssues(countsOf(groupsA, issueIds), countsOf(groupsB, issueIds), exposures)
  const view: View = { organization, projects, environments, range: { ...range, period: 'range' } }
  return {
    a: { ...sideOf(releaseA, exposures[0]), health: health?.get(a) ?? null },
    b: { ...sideOf(releaseB, exposures[1]), health: health?.get(b) ?? null },
    change: change ?? null,
    ...(await listsOf(deps, view, compared)),
    same: compared.filter(({ kind }) => kind === 'same').length,
    truncated: groupsA.length === groupsMax || groupsB.length === groupsMax,
  }
}
