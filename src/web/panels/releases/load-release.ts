import { notFound } from 'next/navigation'
import { allowedProjects } from '../../../auth/allowed-projects.ts'
import type { RestIssue } from '../../../contract/issues.ts'
import type { RestAnnotations, RestDeploy, RestRelease } from '../../../contract/releases.ts'
import { listIssues } from '../../../query/issues/issues.ts'
import { type Range, rangeOf } from '../../../query/range.ts'
import {
  commitFiles,
  findRelease,
  releaseCommits,
  releaseDeploys,
  releaseEvents,
  releaseSeries,
} from '../../../query/releases.ts'
import type { Project } from '../../../store/meta/meta.ts'
import { app } from '../../handle.ts'
import { demandOrganization, type OrganizationHere } from '../../server/session.ts'
import { unlessAway } from '../../server/unless-away.ts'
import type { Range as AskedRange } from '../search/range.ts'
import { periodSince, requestedRange, type Search, spanQuery, versionOf, versionTerm } from './params.ts'

export type ReleaseHere = OrganizationHere & { projects: Project[]; release: RestRelease }

/** The release named by the last path segment, with the projects whose releases the person may read. Answers 404. */
export async function demandRelease(org: string, part: string): Promise<ReleaseHere> {
  const here = await demandOrganization(org, `/o/${org}/releases/${part}`)
  const version = versionOf(part)
  const { actor, organization } = here
  const projects = await allowedProjects(app(), actor, organization, 'release:read')
  const release = version === undefined ? undefined : await findRelease(app(), { organization, projects, version })
  return release ? { ...here, projects, release } : notFound()
}

const issuesMax = 10
const deploysMax = 50
/** Maximum commits per page. */
export const commitsMax = 50
const filesMax = 1000

/** `hits` is null if the total is unknown. */
type ListedIssues = { rows: RestIssue[]; hits: number | null } | undefined

/** The page's range: the one in the URL, or back to the start of the release. `range` is for queries. */
function rangesOf(release: RestRelease, search: Search, nowMs: number): { asked: AskedRange; range: Range } {
  const sinceMs = Math.min(...[release.dateCreated, release.firstEvent ?? release.dateCreated].map(Date.parse))
  const isAsked = Boolean(search.t || search.from)
  const asked: AskedRange = isAsked ? requestedRange(search) : { kind: 'relative', period: periodSince(sinceMs, nowMs) }
  return { asked, range: rangeOf(spanQuery(asked), nowMs) }
}

/** The creation of this release and its deploys, for the charts. */
function ownAnnotations(release: RestRelease, deploys: readonly RestDeploy[]): RestAnnotations {
  const { version, shortVersion } = release
  const projects = release.projects.map((project) => project.slug)
  return {
    marks: [
      { version, shortVersion, projects, kind: 'release', at: release.dateCreated, environment: null },
      ...deploys.map((deploy) => ({
        version,
        shortVersion,
        projects: deploy.projects,
        kind: 'deploy' as const,
        at: deploy.dateFinished,
        environment: deploy.environment,
      })),
    ],
    omitted: 0,
  }
}

/** The environments of the URL. */
const environmentsIn = ({ env }: Search): string[] =>
  typeof env === 'string' ? env.split(',').filter((part) => part !== '') : []

/** The issues of a release that came back or grow. */
export const changedTerm = (version: string): string =>
  `${versionTerm('release', version)} (is:regressed OR is:escalating)`

/** Loads the data of a release page for the range in the URL. Parts are undefined if the events store is down. */
export async function loadRelease(here: ReleaseHere, search: Search) {
  const deps = app()
  const { actor, organization, release } = here
  const { version } = release
  const projects = here.projects.filter((project) => release.projects.some((its) => its.id === project.id))
  const { asked, range } = rangesOf(release, search, deps.clock.now())
  const environments = environmentsIn(search)
  const view = { organization, projects, environments, range, meUserId: actor.person.id }
  const where = { organization, projects, version }
  const offset = typeof search.commits === 'string' && /^\d{1,6}$/.test(search.commits) ? Number(search.commits) : 0
  const issuesOf = async (query: string): Promise<ListedIssues> => {
    const page = await unlessAway(listIssues(deps, { ...view, query, sort: 'freq', limit: issuesMax }))
    return page && { rows: page.rows, hits: page.hits ?? null }
  }
  const [points, events, newIssues, changedIssues, allIssues] = await Promise.all([
    unlessAway(releaseSeries(deps, view, version)),
    unlessAway(releaseEvents(deps, view)),
    issuesOf(versionTerm('firstRelease', version)),
    issuesOf(changedTerm(version)),
    issuesOf(versionTerm('release', version)),
  ])
  const deploys = await releaseDeploys(deps, { ...where, offset: 0, max: deploysMax })
  const allEvents = [...(events?.values() ?? [])].reduce((sum, event) => sum + event, 0)
  return {
    projects,
    environments,
    asked,
    points,
    newIssues,
    changedIssues,
    allIssues,
    deploys,
    annotations: ownAnnotations(release, deploys.rows),
    events: events && { own: events.get(version) ?? 0, all: allEvents },
    commits: { ...(await releaseCommits(deps, { ...where, offset, max: commitsMax })), offset },
    files: (await commitFiles(deps, { ...where, offset: 0, max: filesMax })).rows,
  }
}

export type LoadedRelease = Awaited<ReturnType<typeof loadRelease>>
