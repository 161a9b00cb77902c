import type { RestSkew } from '../../contract/skew.ts'
import { type SkewKind, skewKinds } from '../../domain/diagnostics.ts'
import { lastsOn, skewKindIds, skewLastMs, skewTag, skewWindowMs } from '../../domain/skew.ts'
import type { Organization, Project } from '../../store/meta/meta.ts'
import type { Moment } from '../../store/meta/releases/deploys.ts'
import type { Release } from '../../store/meta/releases/releases.ts'
import { pointsOf } from '../range.ts'
import type { QueryDeps } from './issue.ts'

type Deps = Pick<QueryDeps, 'meta' | 'events' | 'clock'>
type Where = {
  organization: Organization
  projects: readonly Project[]
  release: Pick<Release, 'version' | 'createdMs' | 'firstEventMs'>
}

/** The displayed part of a deploy: its environment, and the time until the next deploy there. */
type Panel = {
  environment: string | null
  projectIds: number[]
  fromMs: number
  toMs: number
  until: RestSkew['until']
}

/** Limit of panels per release: the last deploy to each environment, the newest first. */
const panelsMax = 3
const deploysMax = 50
const momentsMax = 1000
const issuesMax = 10
const releasesMax = 5
const minuteMs = 60_000
const hourMs = 3_600_000
/** Up to this length a bucket is ten minutes, as in `lastsOn`; beyond, an hour. */
const fineMs = 8 * hourMs

const iso = (ms: number) => new Date(ms).toISOString()

/** Returns the first time at which another release was deployed to the same projects. */
const nextOf = (moments: readonly Moment[], version: string): number | undefined =>
  moments.find((moment) => moment.version !== version)?.atMs

async function panelOf(
  deps: Deps,
  environment: string | null,
  projectIds: number[],
  fromMs: number,
  version: string,
): Promise<Panel> {
  const { meta, clock } = deps
  const nowMs = clock.now()
  const limitMs = fromMs + skewWindowMs
  const range = { projectIds, fromMs: fromMs + 1, toMs: Math.min(limitMs, nowMs), max: momentsMax }
  const found =
    environment === null
      ? await meta.releases.releaseMoments(range)
      : await meta.releases.deployMoments({ ...range, environments: [environment] })
  const next = nextOf(found.moments, version)
  const endings = [
    { toMs: nowMs, until: 'now' },
    { toMs: limitMs, until: 'limit' },
    ...(next === undefined ? [] : [{ toMs: next, until: 'deploy' } as const]),
  ] as const
  const earliest = endings.reduce((first, ending) => (ending.toMs < first.toMs ? ending : first))
  return { environment, projectIds, fromMs, toMs: Math.max(earliest.toMs, fromMs + 1), until: earliest.until }
}

/** Returns the panels of a release's deploys. Without deploys: one from its first appearance, all environments. */
async function panelsOf(deps: Deps, { organization, projects, release }: Where): Promise<Panel[]> {
  const projectIds = projects.map((project) => project.id)
  const { version } = release
  const deploys = await deps.meta.releases.deploysOf({
    organizationId: organization.id,
    version,
    projectIds,
    offset: 0,
    max: deploysMax,
  })
  const last = new Map<string, Panel>()
  for (const { environment, projectIds: ownIds, finishedMs } of deploys)
    if (!last.has(environment) && last.size < panelsMax && finishedMs <= deps.clock.now())
      last.set(environment, await panelOf(deps, environment, ownIds, finishedMs, version))
  if (deploys.length > 0) return [...last.values()]
  const begin = Math.min(release.createdMs, release.firstEventMs ?? release.createdMs)
  return [await panelOf(deps, null, projectIds, begin, version)]
}

/** Returns the issues with the skew of a panel, most events first. */
async function issuesOf(
  { meta, events }: Deps,
  panel: Panel,
  projects: readonly Project[],
): Promise<RestSkew['issues']> {
  const scope = scopeOf(panel)
  const groups = await events.groups({
    scope,
    order: 'events',
    max: 200,
    filter: { op: 'or', of: skewKindIds.map((value) => ({ op: 'tag', key: skewTag, match: 'is', value })) },
  })
  const owners = await meta.issues.issueIdsOf(groups)
  const sums = new Map<number, number>()
  for (const group of groups) {
    const id = owners.get(`${group.projectId}:${group.groupHash}`)
    if (id !== undefined) sums.set(id, (sums.get(id) ?? 0) + group.events)
  }
  const most = [...sums].sort(([a, n], [b, m]) => m - n || a - b).slice(0, issuesMax)
  const issues = new Map((await meta.issues.issuesByIds(most.map(([id]) => id))).map((issue) => [issue.id, issue]))
  return most.flatMap(([id, count]) => {
    const issue = issues.get(id)
    const project = issue && projects.find((candidate) => candidate.id === issue.projectId)
    if (!issue || !project) return []
    return [{ id: String(id), shortId: issue.shortId, title: issue.title, project: project.slug, events: count }]
  })
}

const scopeOf = ({ environment, projectIds, fromMs, toMs }: Panel) => ({
  projectIds,
  environments: environment === null ? [] : [environment],
  fromMs,
  toMs,
})

async function skewOf(deps: Deps, where: Where, panel: Panel): Promise<RestSkew> {
  const { fromMs, toMs, environment, until } = panel
  const bucketMs = toMs - fromMs <= fineMs ? skewLastMs : hourMs
  const request = { scope: scopeOf(panel), bucketMs, lastMs: toMs - skewLastMs, release: where.release.version }
  const [found, issues] = await Promise.all([
    deps.events.skewOf({ ...request, apartMs: minuteMs, releasesMax }),
    issuesOf(deps, panel, where.projects),
  ])
  const events = found.buckets.reduce((sum, bucket) => sum + bucket.events, 0)
  const kinds = new Map<string, number>()
  for (const bucket of found.buckets) kinds.set(bucket.kind, (kinds.get(bucket.kind) ?? 0) + bucket.events)
  return {
    environment,
    from: iso(fromMs),
    to: iso(toMs),
    until,
    events,
    people: {
      all: found.people,
      recovered: found.recovered,
      stuck: found.stuck,
      unknown: found.people - found.recovered - found.stuck,
    },
    kinds: [...kinds]
      .flatMap(([kind, count]) => (isKind(kind) ? [{ kind, sentence: skewKinds[kind], events: count }] : []))
      .sort((a, b) => b.events - a.events || (a.kind < b.kind ? -1 : 1)),
    releases: found.releases,
    points: pointsOf({ fromMs, toMs }, bucketMs, found.buckets),
    lasts: lastsOn(events, found.last, toMs - fromMs) ?? null,
    issues,
  }
}

const isKind = (kind: string): kind is SkewKind => Object.hasOwn(skewKinds, kind)

/**
 * Returns the skew that old tabs caused after a release: one panel for the last deploy to each environment, or one
 * since the release's first appearance if it has no deploys. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT.
 */
export const releaseSkew = async (deps: Deps, where: Where): Promise<RestSkew[]> =>
  where.projects.length === 0
    ? []
    : Promise.all((await panelsOf(deps, where)).map((panel) => skewOf(deps, where, panel)))
