import type { Actor } from '../../../auth/auth.ts'
import { someAsync } from '../../../base/sequence.ts'
import { type IssueListRequest, listIssues } from '../../../query/issues/issues.ts'
import { namedProjects } from '../../../query/named-projects.ts'
import { rangeOf } from '../../../query/range.ts'
import { viewsOf } from '../../../query/saved.ts'
import { defaultProjects } from '../../../query/self-project.ts'
import { issueVolume } from '../../../query/volume.ts'
import type { Organization, Project } from '../../../store/meta/meta.ts'
import { answered } from '../../client/answered.ts'
import { app } from '../../handle.ts'
import { loadAnnotations } from '../../server/chart-annotations.ts'
import { unlessAway } from '../../server/unless-away.ts'
import { annotationsQuery } from '../../ui/chart/annotations.ts'
import {
  isPlain,
  listQuery,
  paramsOf,
  projectIdsOf,
  resolvedQuery,
  rowsPerPage,
  withoutSort,
} from '../search/list-params.ts'
import { environmentsOf } from '../search/load-environments.ts'
import { withScope } from '../search/scope-text.ts'
import type { Page } from './rows.ts'
import type { FirstScreen } from './stream.tsx'

/**
 * How long the document waits for its rows, ms. After that the browser requests them, which costs three more requests.
 * With 800 ms the rows were sometimes late on a machine at ten times its load.
 */
const waitMs = 1500
/** The document does not wait longer for the volume chart, ms: the rows matter more. */
const volumeWaitMs = 300

async function pageOf(request: IssueListRequest): Promise<Page> {
  const page = await listIssues(app(), request)
  return { rows: page.rows, next: page.next.results ? page.next.cursor : null, hits: page.hits ?? null }
}

/**
 * The first screen of the stream for a query string, in the form of the REST responses: rows, environments, and
 * recently resolved issues if there are no rows. Each part is undefined if the store is down or slow. Rows are also
 * undefined if the query string names an unknown project: the browser then gets the error from its own request.
 */
export async function firstScreen(
  actor: Actor,
  organization: Organization,
  projects: Project[],
  search: URLSearchParams,
): Promise<FirstScreen> {
  const { clock, live, auth, meta } = app()
  const names = projects.map(({ id, slug, name }) => ({ id: String(id), slug, name }))
  const params = withScope(paramsOf(search), names)
  const projectIds = projectIdsOf(params.project, names)
  const selected = projectIds.length
    ? await namedProjects(meta, organization.id, projects, projectIds)
    : await defaultProjects(meta, organization.id, projects)
  const query = listQuery(params, projectIds)
  const late = new AbortController()
  const lateness = clock.sleep(waitMs, late.signal).then(() => undefined)
  const volumeLateness = clock.sleep(volumeWaitMs, late.signal).then(() => undefined)
  const inTime = <Answer>(query: Promise<Answer>) => Promise.race([unlessAway(query), lateness])
  // Read before the rows, so that the rows contain all commits up to this id.
  const liveId = live.lastId(organization.id)
  const load = (request: Pick<IssueListRequest, 'projects' | 'environments' | 'range' | 'query' | 'sort' | 'limit'>) =>
    pageOf({ ...request, organization, meUserId: actor.person.id, readableIds: projects.map((project) => project.id) })
  const viewOf = () => ({
    projects: selected ?? [],
    environments: query.environment?.filter((name) => name !== '') ?? [],
    range: rangeOf(query, clock.now()),
  })
  const rowsOf = async () => {
    const page = await load({ ...viewOf(), query: query.query, sort: query.sort, limit: rowsPerPage })
    return { key: JSON.stringify(query), page, liveId }
  }
  const resolvedOf = async () => {
    const range = rangeOf({ statsPeriod: resolvedQuery.statsPeriod }, clock.now())
    return (await load({ ...resolvedQuery, projects, environments: [], range })).rows
  }
  const listOf = async () => {
    const rows = selected && (await inTime(rowsOf()))
    const isEmpty = rows?.page.rows.length === 0 && projects.length > 0 && isPlain(params)
    return { rows, resolved: isEmpty ? await inTime(resolvedOf()) : undefined }
  }
  try {
    const annotationsOf = async () => loadAnnotations({ organization, ...viewOf() }, annotationsQuery(query))
    const volumeOf = async () =>
      answered(
        withoutSort(query),
        await issueVolume(app(), { ...viewOf(), organization, query: query.query, meUserId: actor.person.id }),
      )
    const [list, volume, environments, annotations] = await Promise.all([
      listOf(),
      selected && Promise.race([unlessAway(volumeOf()), volumeLateness]),
      inTime(environmentsOf(projects)),
      unlessAway(annotationsOf()),
    ])
    const mayShare = await someAsync(
      projects,
      async (project) => (await auth.may(actor, 'issue:triage', { organization, project })) === 'yes',
    )
    return {
      ...list,
      volume,
      environments,
      annotations,
      views: await viewsOf(meta, organization.id, { userId: actor.person.id, mayShare }),
    }
  } finally {
    late.abort()
  }
}
