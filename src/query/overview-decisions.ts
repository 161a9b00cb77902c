import type { RestDecision } from '../contract/overview.ts'
import { sortReleases } from '../domain/release-order.ts'
import type { SessionGroup } from '../store/events/session-store.ts'
import type { IssueFilter, Project } from '../store/meta/meta.ts'
import { issueStatsOf, type QueryDeps, type View } from './issues/issue.ts'
import { releaseHealth } from './release-health.ts'
import { differenceOf, shareOf } from './release-health-stats.ts'

/** What the decisions need besides the stores. The App has all of it. */
export type DecisionDeps = QueryDeps & {
  journal(): Promise<{ waitingRecords: number; oldestWaitingMs: number }>
  disk(): Promise<{ stored: number; budget: number | null }>
}

/** Escalating issues without an assignee that are each named. */
const escalatingMax = 3
const shortIdsMax = 3
/** Releases of a project that are put in order to find its two newest with sessions. */
const releasesMax = 50
/** More notes than this are not read to be counted: the read blocks the commits of batches. */
const notesMax = 5000
/** From this part of the disk budget on the oldest events are evicted soon. */
const fullShare = 0.95
/** Waiting records are normal for a moment. */
const lagSecondsMin = 60

const iso = (ms: number) => new Date(ms).toISOString()
const nameOf = ({ id, slug }: Project) => ({ id: String(id), slug })
/** The condition of an unresolved issue with this substatus. */
export const openIssues = (substatus: string): IssueFilter => ({
  op: 'and',
  of: [
    { op: 'status', value: 'unresolved' },
    { op: 'substatus', value: substatus },
  ],
})

/** Escalating issues that nobody is assigned to, latest first. */
export async function escalatingDecisions(deps: QueryDeps, view: View): Promise<RestDecision[]> {
  const filter: IssueFilter = { op: 'and', of: [openIssues('escalating'), { op: 'assigned', userId: null }] }
  const projectIds = view.projects.map((project) => project.id)
  const issues = await deps.meta.issues.listIssues({ projectIds, filter, sort: 'last', max: escalatingMax })
  const stats = await issueStatsOf(deps, view, issues)
  return issues.map((issue) => ({
    kind: 'escalating',
    issue: { id: String(issue.id), shortId: issue.shortId, title: issue.title },
    users: stats.get(issue.id)?.users ?? 0,
    events: stats.get(issue.id)?.events ?? 0,
  }))
}

/** The two newest releases of a project that have sessions among `groups`, the newest first. */
async function newestOf(
  { meta }: QueryDeps,
  project: Project,
  groups: readonly SessionGroup[],
): Promise<SessionGroup[]> {
  const own = new Map(groups.filter((group) => group.projectId === project.id).map((group) => [group.release, group]))
  if (own.size < 2) return []
  const times = await meta.releases.releaseTimes({ projectIds: [project.id], text: '', offset: 0, max: releasesMax })
  return sortReleases(times)
    .flatMap(({ version }) => own.get(version) ?? [])
    .slice(0, 2)
}

/**
 * Newest releases that are worse than the one before. Sessions of the range decide which are compared, the comparison at
 * equal adoption (as on the release's page) whether they are listed.
 */
export async function releaseDecisions(
  deps: QueryDeps,
  { projects, environments }: View,
  groups: readonly SessionGroup[],
): Promise<RestDecision[]> {
  const suspects = (
    await Array.fromAsync(projects, async (project) => {
      const [newest, previous] = await newestOf(deps, project, groups)
      const own = newest && shareOf(newest.sessions.all - newest.sessions.crashed, newest.sessions.all)
      const before = previous && shareOf(previous.sessions.all - previous.sessions.crashed, previous.sessions.all)
      return own && before && differenceOf(own, before).verdict === 'worse'
        ? [{ project, version: newest.release }]
        : []
    })
  ).flat()
  const found = await Promise.all(
    suspects.map(async ({ project, version }): Promise<RestDecision[]> => {
      const health = await releaseHealth(deps, { projects: [project], environments, version })
      if (health?.change?.verdict !== 'worse') return []
      const { previous, own, before } = health.change
      return [{ kind: 'release', project: nameOf(project), version, previous, own, before }]
    }),
  )
  return found.flat()
}

/** Resolved issues that came back, in one entry. */
export async function regressedDecisions(
  { meta }: Pick<QueryDeps, 'meta'>,
  projects: readonly Project[],
): Promise<RestDecision[]> {
  const request = { projectIds: projects.map((project) => project.id), filter: openIssues('regressed') }
  const issues = await meta.issues.countIssues(request)
  if (issues === 0) return []
  const newest = await meta.issues.listIssues({ ...request, sort: 'last', max: shortIdsMax })
  return [{ kind: 'regressed', issues, shortIds: newest.map((issue) => issue.shortId) }]
}

/**
 * Projects with events whose source maps are missing: browser projects, and others that upload maps. A server whose code
 * runs as it is written needs none.
 */
export async function sourceMapDecisions(
  { meta }: Pick<QueryDeps, 'meta'>,
  projects: readonly Project[],
): Promise<RestDecision[]> {
  const uploading = new Set(
    (await meta.ledger.bytesByProject()).flatMap(({ projectId, bundles }) => (bundles.count > 0 ? [projectId] : [])),
  )
  return (
    await Array.fromAsync(projects, async (project): Promise<RestDecision[]> => {
      if (!project.platform?.startsWith('javascript') && !uploading.has(project.id)) return []
      const { quantity } = await meta.artifacts.missingMapCounts(project.id)
      if (quantity === 0) return []
      const groups = quantity > notesMax ? null : (await meta.artifacts.missingMapsOf(project.id)).length
      return [{ kind: 'sourceMaps', project: nameOf(project), groups }]
    })
  ).flat()
}

/** Channels without a successful delivery since their last failure. A channel of all projects concerns everybody. */
export async function channelDecisions({ meta }: Pick<QueryDeps, 'meta'>, view: View): Promise<RestDecision[]> {
  const ids = new Set(view.projects.map((project) => project.id))
  return (await meta.alerts.channelsOf(view.organization.id)).flatMap((channel): RestDecision[] => {
    const { id, name, projectId, active, failingSinceMs, lastError } = channel
    const concerns = projectId === null || ids.has(projectId)
    return active && failingSinceMs !== null && concerns
      ? [{ kind: 'channel', id: String(id), name, error: lastError.slice(0, 200), failingSince: iso(failingSinceMs) }]
      : []
  })
}

/** What is wrong with Mishap itself: dead letters of these projects, and records that wait for a minute or longer. */
export async function ownDecisions(
  { meta, journal }: Pick<DecisionDeps, 'meta' | 'journal'>,
  view: View,
): Promise<RestDecision[]> {
  const ids = new Set(view.projects.map((project) => project.id))
  const items = (await meta.ledger.bytesByProject()).reduce(
    (sum, usage) => sum + (ids.has(usage.projectId) ? usage.dead.count : 0),
    0,
  )
  const { waitingRecords, oldestWaitingMs } = await journal()
  const seconds = Math.round(oldestWaitingMs / 1000)
  return [
    ...(items > 0 ? [{ kind: 'deadLetters' as const, items }] : []),
    ...(seconds >= lagSecondsMin ? [{ kind: 'lag' as const, records: waitingRecords, seconds }] : []),
  ]
}

/** A disk budget that is almost used. */
export async function diskDecisions({ disk }: Pick<DecisionDeps, 'disk'>): Promise<RestDecision[]> {
  const { stored, budget } = await disk()
  return budget !== null && stored >= budget * fullShare
    ? [{ kind: 'disk', storedBytes: stored, budgetBytes: budget }]
    : []
}
