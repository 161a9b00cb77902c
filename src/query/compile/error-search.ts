import { MishapError } from '../../base/errors.ts'
import type { EventFilter } from '../../store/events/events.ts'
import type { Filter } from '../../store/events/question.ts'
import type { IssueFilter } from '../../store/meta/meta.ts'
import type { CompileDeps } from '../issues/issue.ts'
import type { Branch } from '../search/branches.ts'
import { type SearchView, searchContextOf } from '../search/context.ts'
import type { SearchKey } from '../search/key.ts'
import { searchKeyOf } from '../search/lookup.ts'
import { parseSearch } from '../search/parse.ts'
import { planOf } from '../search/plan.ts'

/** Limit of issues that can match the conditions on issues. Each adds its hashes to the statement. */
const issuesMax = 2000

const none: Filter = { op: 'or', of: [] }
const event = (of: EventFilter): Filter => ({ op: 'event', of })

/** Events of the issues that match a filter. The same hash in another project is another issue. */
async function ofIssues(deps: CompileDeps, projectIds: readonly number[], filter: IssueFilter): Promise<Filter> {
  const issues = await deps.meta.issues.listIssues({
    projectIds: [...projectIds],
    filter,
    sort: 'last',
    max: issuesMax + 1,
  })
  if (issues.length > issuesMax)
    throw new MishapError('QUERY_TOO_LONG', {
      detail: `Invalid query: more than ${issuesMax} issues match its issue conditions. Narrow them, or use only event conditions.`,
    })
  const hashesOf = await deps.meta.issues.hashesOf(issues.map((issue) => issue.id))
  const byProject = Map.groupBy(issues, (issue) => issue.projectId)
  return {
    op: 'or',
    of: [...byProject].map(([projectId, own]) =>
      event({
        op: 'and',
        of: [
          { op: 'projects', ids: [projectId] },
          { op: 'groups', hashes: own.flatMap((issue) => hashesOf.get(issue.id) ?? []) },
        ],
      }),
    ),
  }
}

async function branchFilter(deps: CompileDeps, view: SearchView, branch: Branch): Promise<Filter> {
  const { issue, event: condition, projectIds, fromMs, toMs } = branch
  const time = { ...(fromMs === undefined ? {} : { fromMs }), ...(toMs === undefined ? {} : { toMs }) }
  const ids = projectIds ?? view.projects.map((project) => project.id)
  return {
    op: 'and',
    of: [
      ...(projectIds ? [event({ op: 'projects', ids: projectIds })] : []),
      ...(fromMs === undefined && toMs === undefined ? [] : [event({ op: 'time', ...time })]),
      ...(condition ? [event(condition)] : []),
      ...(issue ? [await ofIssues(deps, ids, issue)] : []),
    ],
  }
}

/**
 * Reads a search over errors as the lists of events do, with conditions on issues, frames and releases. Undefined:
 * everything. Throws QUERY_*.
 */
export async function errorFilter(deps: CompileDeps, view: SearchView, text: string): Promise<Filter | undefined> {
  const search = parseSearch(text)
  if (!search) return undefined
  const { branches } = await planOf(search, searchContextOf(deps, view, 'events'))
  if (branches.length === 0) return none
  const filters = await Array.fromAsync(branches, async (branch) => branchFilter(deps, view, branch))
  const [only] = filters
  return filters.length === 1 && only ? only : { op: 'or', of: filters }
}

const row = (key: SearchKey, value: Extract<SearchKey['source'], { in: 'row' }>['value'], type = key.type) => ({
  ...key,
  type,
  source: { in: 'row', value } as const,
})

/**
 * A key of the search over errors as a field: the value of the event that the key asks about. Undefined: a tag. Keys of
 * frames and of issues are conditions only.
 */
export function errorFieldOf(name: string): SearchKey | undefined {
  const key = searchKeyOf(name)
  if (!key) return undefined
  if (key.name === 'title') return row(key, { of: 'text', column: 'title' })
  const source = key.eventSource ?? key.source
  switch (source.in) {
    case 'event':
      return row(key, { of: 'text', column: source.column })
    case 'eventId':
      return row(key, { of: 'id', column: source.column === 'trace_id' ? 'trace' : 'event' })
    case 'eventMessage':
      return row(key, { of: 'text', column: 'message' })
    case 'eventTime':
      return row(key, { of: 'time' })
    case 'tags':
      return row(key, { of: 'attribute', key: source.tags[0] ?? name, as: 'any' })
    case 'handled':
      return row(key, { of: 'attribute', key: 'handled', as: 'text' }, 'text')
    case 'user':
      return row(key, { of: 'attribute', key: `user.${source.part}`, as: 'text' })
    case 'issueKind':
      return key.name === 'event.type' ? row(key, { of: 'text', column: 'type' }) : key
    default:
      return key
  }
}
