import { createHash } from 'node:crypto'
import type { RestAuthor, RestCommit, RestCommitFile, RestRepository } from '../contract/commits.ts'
import type { RestPoint } from '../contract/issues.ts'
import type { RestAnnotation, RestAnnotations, RestDeploy, RestRelease, RestVersionInfo } from '../contract/releases.ts'
import { sortReleases, versionInfo } from '../domain/release-order.ts'
import type { EventFilter } from '../store/events/events.ts'
import type { Organization, Project } from '../store/meta/meta.ts'
import type { Commit, Repository } from '../store/meta/releases/commits.ts'
import type { Deploy } from '../store/meta/releases/deploys.ts'
import type { Release } from '../store/meta/releases/releases.ts'
import type { QueryDeps, View } from './issues/issue.ts'
import { bucketOf, pointsOf } from './range.ts'

/** Limit of releases that are sorted by release order, the newest. Older ones follow by creation. */
const sortedMax = 5_000
const authorsMax = 20
const environmentsMax = 20
/** Limit of environments that a release lists from its events. */
const eventEnvironmentsMax = 100
const annotationsMax = 200
const releasesCountedMax = 1_000

type Deps = Pick<QueryDeps, 'meta' | 'events'>
/** Releases as the caller sees them: only those of projects that the caller may read. */
type Where = { organization: Organization; projects: readonly Project[] }
type ReleaseRef = Where & { version: string }
type Part = ReleaseRef & { offset: number; max: number }
type Some<Row> = { rows: Row[]; more: boolean }

const iso = (ms: number) => new Date(ms).toISOString()
const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms))
const idsOf = (projects: readonly Project[]) => projects.map((project) => project.id)

/** Returns `max` rows of a list that was read with one extra row. */
const some = <From, To>(rows: readonly From[], max: number, to: (row: From, at: number) => To): Some<To> => ({
  rows: rows.slice(0, max).map((row, at) => to(row, at)),
  more: rows.length > max,
})

/** Converts a version to the API's shape. */
function toVersionInfo(version: string): RestVersionInfo {
  const { package: name, raw, semver, description, buildHash } = versionInfo(version)
  const semverParts = semver && { major: semver.major, minor: semver.minor, patch: semver.patch }
  return {
    package: name,
    version: {
      raw,
      ...(semver ? { ...semverParts, pre: semver.pre.join('.') || null, buildCode: semver.build || null } : {}),
    },
    description,
    buildHash,
  }
}

const authorOf = ({ authorName: name, authorEmail: email }: Commit): RestAuthor | null =>
  name === '' && email === '' ? null : { name: name || email, email }

/** Converts a commit to the API's shape. */
export const toRestCommit = (commit: Commit): RestCommit => ({
  id: commit.sha,
  message: commit.message,
  dateCreated: iso(commit.atMs),
  author: authorOf(commit),
  repository: { id: String(commit.repositoryId), name: commit.repository, url: commit.repositoryUrl || null },
  fileCount: commit.files,
  filesOmitted: commit.filesOmitted,
})

/** Converts a repository to the API's shape. */
export const toRestRepository = (repository: Repository): RestRepository => ({
  id: String(repository.id),
  name: repository.name,
  // Always null: with a URL, sentry-cli sends only the hash of the head, and the server cannot fetch the commits.
  url: null,
  provider: { id: 'unknown', name: 'Unknown provider' },
  status: 'active',
  dateCreated: iso(repository.createdMs),
  integrationId: repository.integrationId === null ? null : String(repository.integrationId),
  externalSlug: repository.integrationId === null ? null : repository.name,
})

/** Converts a deploy to the API's shape, with its projects that are among `projects`. */
export const toRestDeploy = (deploy: Deploy, projects: readonly Project[]): RestDeploy => ({
  id: String(deploy.id),
  environment: deploy.environment,
  name: deploy.name || null,
  url: deploy.url || null,
  dateStarted: isoOrNull(deploy.startedMs),
  dateFinished: iso(deploy.finishedMs),
  projects: slugsOf(deploy.projectIds, projects),
})

const slugsOf = (ids: readonly number[], projects: readonly Project[]) =>
  projects.filter((project) => ids.includes(project.id)).map((project) => project.slug)

/**
 * Returns the id of a release, a whole number below 2^48 that is derived from organization and version, because no row
 * represents a whole release. It never changes. The chance that two of 100,000 releases collide is 1 in 56,000.
 */
const releaseIdOf = (organizationId: number, version: string): number =>
  createHash('sha256').update(`${organizationId} ${version}`).digest().readUIntBE(0, 6)

/** Converts releases to the API's shape, in order. Their related rows are read once for all. */
export async function toRestReleases(
  { meta }: Deps,
  where: Where,
  releases: readonly Release[],
): Promise<RestRelease[]> {
  const { organization, projects } = where
  const ids = idsOf(projects)
  const versions = releases.map((release) => release.version)
  const commits = await meta.releases.commitSums(organization.id, versions, authorsMax)
  const deploys = await meta.releases.deploySums(organization.id, versions, ids)
  const environments = await meta.releases.releaseEnvironments(ids, versions, eventEnvironmentsMax)
  const bundles = await meta.releases.releaseBundles(ids, versions)
  const issues = await meta.releases.newIssues(ids, versions)
  return await Array.fromAsync(releases, async (release) => {
    const { version } = release
    const [sum, deployed] = [commits.get(version), deploys.get(version)]
    const last = (deployed?.last ?? []).map((deploy) => toRestDeploy(deploy, projects))
    const groups = issues.filter((row) => row.version === version)
    return {
      id: releaseIdOf(organization.id, version),
      version,
      shortVersion: versionInfo(version).description,
      versionInfo: toVersionInfo(version),
      status: release.archived ? 'archived' : 'open',
      owner: null,
      data: {},
      ref: release.ref || null,
      url: release.url || null,
      dateCreated: iso(release.createdMs),
      dateReleased: isoOrNull(release.releasedMs),
      firstEvent: isoOrNull(release.firstEventMs),
      lastEvent: isoOrNull(release.lastEventMs),
      newGroups: groups.reduce((total, row) => total + row.issues, 0),
      commitCount: sum?.count ?? 0,
      lastCommit: sum ? toRestCommit(sum.last) : null,
      deployCount: deployed?.count ?? 0,
      lastDeploy: last[0] ?? null,
      authors: (sum?.authors ?? []).map(({ name, email }) => ({ name: name || email, email })),
      projects: projects
        .filter((project) => release.projectIds.includes(project.id))
        .map(({ id, slug, name, platform }) => ({
          id,
          slug,
          name,
          platform,
          platforms: platform === null ? [] : [platform],
          newGroups: groups.find((row) => row.projectId === id)?.issues ?? 0,
        })),
      lastDeploys: last.slice(0, environmentsMax),
      environments: environments.get(version) ?? [],
      refs: (await meta.releases.refsOf({ organizationId: organization.id, version })).map(
        ({ repository, commit, previous }) => ({ repository, commit, previousCommit: previous || null }),
      ),
      bundleCount: bundles.get(version) ?? 0,
    }
  })
}

/**
 * Returns a page of releases, newest first: `date` by creation, `semver` by release order (release-order.ts) among the
 * newest 5,000. `fromMs`, `toMs`: created, finalized, deployed or with events in that range. `hits`: the total.
 */
export async function listReleases(
  deps: Deps,
  request: Where & {
    environments: readonly string[]
    text: string
    sort: 'date' | 'semver'
    /** Undefined: both. */
    status?: 'open' | 'archived' | undefined
    fromMs?: number | undefined
    toMs?: number | undefined
    offset: number
    max: number
  },
): Promise<Some<RestRelease> & { hits: number }> {
  const { fromMs, toMs, offset, max } = request
  const projectIds = idsOf(request.projects)
  const filter = {
    projectIds,
    text: request.text.trim(),
    environments: request.environments,
    archived: request.status === undefined ? undefined : request.status === 'archived',
    range:
      fromMs === undefined && toMs === undefined
        ? undefined
        : { fromMs: fromMs ?? 0, toMs: toMs ?? Number.MAX_SAFE_INTEGER },
  }
  const hits = await deps.meta.releases.countReleases(filter)
  const bySemver = request.sort === 'semver' && offset < sortedMax
  const times = bySemver
    ? sortReleases(await deps.meta.releases.releaseTimes({ ...filter, offset: 0, max: sortedMax })).slice(
        offset,
        offset + max,
      )
    : await deps.meta.releases.releaseTimes({ ...filter, offset, max })
  const found = await deps.meta.releases.releasesNamed(
    projectIds,
    times.map((time) => time.version),
  )
  return {
    rows: await toRestReleases(deps, request, found),
    more: hits > offset + times.length && times.length > 0,
    hits,
  }
}

/** Returns the versions of these projects in release order, newest first, at most `max` of the newest. */
export async function releaseVersions(
  { meta }: Pick<Deps, 'meta'>,
  projects: readonly Project[],
  max: number,
): Promise<string[]> {
  return sortReleases(await meta.releases.releaseTimes({ projectIds: idsOf(projects), text: '', offset: 0, max })).map(
    (time) => time.version,
  )
}

/** Returns one release; undefined if none of the projects has it. */
export async function findRelease(deps: Deps, ref: ReleaseRef): Promise<RestRelease | undefined> {
  const release = await deps.meta.releases.releaseOf(idsOf(ref.projects), ref.version)
  return release && (await toRestReleases(deps, ref, [release]))[0]
}

/** Returns the last earlier release with commits in one of its projects; undefined if there is none. */
export async function previousWithCommits(deps: Deps, ref: ReleaseRef): Promise<RestRelease | undefined> {
  const release = await deps.meta.releases.releaseOf(idsOf(ref.projects), ref.version)
  if (!release) return undefined
  // Only its own projects: another project's commits belong to another history, where clients cannot find them.
  const projects = ref.projects.filter((project) => release.projectIds.includes(project.id))
  const found = (
    await deps.meta.releases.releaseTimes({
      projectIds: idsOf(projects),
      text: '',
      withCommits: true,
      untilMs: release.createdMs,
      offset: 0,
      max: 2,
    })
  ).find((row) => row.version !== ref.version)
  return found && (await findRelease(deps, { ...ref, projects, version: found.version }))
}

/** Returns the commits of a release, newest first. */
export async function releaseCommits(
  { meta }: Deps,
  { organization, version, offset, max }: Part,
): Promise<Some<RestCommit>> {
  return some(
    await meta.releases.commitsOf({ organizationId: organization.id, version, offset, max: max + 1 }),
    max,
    toRestCommit,
  )
}

/** Returns the files that a release's commits changed, in commit order; with `commit` only those of that commit. */
export async function commitFiles(
  { meta }: Deps,
  { organization, version, commit, offset, max }: Part & { commit?: string | undefined },
): Promise<Some<RestCommitFile>> {
  const organizationId = organization.id
  const files = await meta.releases.commitFilesOf({ organizationId, version, sha: commit, offset, max: max + 1 })
  const commits = new Map(
    (await meta.releases.commitsById([...new Set(files.map((file) => file.commitId))])).map((commit) => [
      commit.id,
      commit,
    ]),
  )
  return some(files, max, ({ commitId, path, type }, at) => {
    const of = commits.get(commitId)
    return {
      id: `${commitId}:${offset + at}`,
      orgId: organizationId,
      author: of ? authorOf(of) : null,
      commitMessage: of?.message ?? null,
      commitId: of?.sha ?? '',
      filename: path,
      type,
    }
  })
}

/** Returns the deploys of a release, newest first. */
export async function releaseDeploys({ meta }: Deps, part: Part): Promise<Some<RestDeploy>> {
  const { organization, projects, version, offset, max } = part
  const where = { organizationId: organization.id, version, projectIds: idsOf(projects) }
  return some(await meta.releases.deploysOf({ ...where, offset, max: max + 1 }), max, (deploy) =>
    toRestDeploy(deploy, projects),
  )
}

/** Returns chart annotations of a range: new releases and finished deploys, the newest `max` in time order. */
export async function releaseAnnotations(
  { meta }: Deps,
  request: Where & { environments: readonly string[]; fromMs: number; toMs: number; max?: number },
): Promise<RestAnnotations> {
  const { projects, environments, fromMs, toMs, max = annotationsMax } = request
  const range = { projectIds: idsOf(projects), fromMs, toMs, max }
  const [releaseMoments, deployMoments] = [
    await meta.releases.releaseMoments(range),
    await meta.releases.deployMoments({ ...range, environments }),
  ]
  const newest = [...releaseMoments.moments, ...deployMoments.moments].sort((a, b) => a.atMs - b.atMs)
  const shown = newest.slice(Math.max(0, newest.length - max))
  return {
    marks: shown.map(
      (moment): RestAnnotation => ({
        kind: moment.kind,
        version: moment.version,
        shortVersion: versionInfo(moment.version).description,
        at: iso(moment.atMs),
        environment: moment.environment || null,
        projects: slugsOf(moment.projectIds, projects),
      }),
    ),
    omitted: releaseMoments.all + deployMoments.all - shown.length,
  }
}

/** Counts events by release in a view, for the 1,000 releases with the most. Throws STORE_UNAVAILABLE. */
export async function releaseEvents({ events }: Deps, view: View): Promise<Map<string, number>> {
  const { fromMs, toMs } = view.range
  const scope = { projectIds: idsOf(view.projects), environments: view.environments, fromMs, toMs }
  const found = await events.byRelease(scope, releasesCountedMax)
  return new Map(found.map((releaseCount) => [releaseCount.release, releaseCount.events]))
}

/** Returns the events of one release in a view as points, oldest first. Throws STORE_UNAVAILABLE. */
export async function releaseSeries({ events }: Deps, view: View, version: string): Promise<RestPoint[]> {
  const { fromMs, toMs } = view.range
  const bucketMs = bucketOf(view.range)
  const scope = { projectIds: idsOf(view.projects), environments: view.environments, fromMs, toMs }
  const filter: EventFilter = {
    op: 'and',
    of: [
      { op: 'field', field: 'release', match: 'is', value: version },
      { op: 'not', of: { op: 'field', field: 'type', match: 'is', value: 'generic' } },
    ],
  }
  return pointsOf(view.range, bucketMs, await events.filteredSeries(scope, bucketMs, filter))
}
