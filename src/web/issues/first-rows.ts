import type { Actor } from '../../auth/auth.ts'
import { listIssues } from '../../query/issues.ts'
import { rangeOf } from '../../query/range.ts'
import type { Organization, Project } from '../../store/meta/meta.ts'
import { app } from '../handle.ts'
import { codeOf } from './load.ts'
import { listQuery, paramsOf, projectIdsOf, rowsPerPage } from './stream-query.ts'
import type { FirstRows } from './use-issues.ts'

/** How long the document waits for its rows, ms; after that the shell goes out and the browser asks for them. */
const waitMs = 800

/**
 * The first page of the stream for a query string, as the REST call would answer it. Undefined when the store is away
 * or slow, or the query is refused: the browser asks itself then and says why.
 */
export async function firstRows(
  actor: Actor,
  organization: Organization,
  projects: Project[],
  search: URLSearchParams,
): Promise<FirstRows | undefined> {
  const deps = app()
  const params = paramsOf(search)
  const names = projects.map(({ id, slug, name }) => ({ id: String(id), slug, name }))
  const projectIds = projectIdsOf(params.project, names)
  const query = listQuery(params, projectIds)
  const asked = async (): Promise<FirstRows | undefined> => {
    const page = await listIssues(deps, {
      organization,
      projects: projectIds.length ? projects.filter((one) => projectIds.includes(String(one.id))) : projects,
      environments: query.environment?.filter((one) => one !== '') ?? [],
      range: rangeOf(query, deps.clock.now()),
      query: query.query,
      sort: query.sort,
      limit: rowsPerPage,
      meUserId: actor.person.id,
    })
    const next = page.next.results ? page.next.cursor : null
    return { key: JSON.stringify(query), page: { rows: page.rows, next, hits: page.hits ?? null } }
  }
  const late = new AbortController()
  try {
    return await Promise.race([asked(), deps.clock.sleep(waitMs, late.signal).then(() => undefined)])
  } catch (error) {
    // What the REST call would refuse or can't have now; everything else is a fault, for the error screen.
    if (/^(STORE_UNAVAILABLE|VALIDATION|QUERY_[A-Z_]+)$/.test(codeOf(error) ?? '')) return undefined
    throw error
  } finally {
    late.abort()
  }
}
