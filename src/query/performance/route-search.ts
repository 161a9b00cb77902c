import type { RouteFilter, RouteMetric } from '../../store/events/performance-store.ts'
import type { Search, Term } from '../search/ast.ts'
import { keysByName } from '../search/by-name.ts'
import { readSearch } from '../search/grammar.ts'
import type { KeySource, KeyType, SearchKey } from '../search/key.ts'
import type { KeyLookup } from '../search/lookup.ts'
import { queryError, readEach, SearchError } from '../search/mistakes.ts'
import { contained } from '../search/plan-text.ts'
import { fits } from '../search/release-parts.ts'
import { nearestWord } from '../search/suggest.ts'

// The search language over routes: the keys of the list of routes, and their conditions. The browser uses it, too.

type RouteSource = Extract<KeySource, { in: 'route' }>

const key = (name: string, type: KeyType, of: RouteSource['of'], example: string, rest: Partial<SearchKey> = {}) => ({
  name,
  type,
  source: { in: 'route', of } as const,
  example: `${name}:${example}`,
  ...rest,
})

/** Every key of a search over routes, in the order of the box and of docs/performance.md. */
export const routeKeys: readonly SearchKey[] = [
  key('requests', 'number', 'requests', '>1000', { aliases: ['count', 'volume'] }),
  key('throughput', 'number', 'throughput', '>10', { aliases: ['tpm', 'epm'] }),
  key('samples', 'number', 'samples', '>=100'),
  key('lost', 'duration', 'lost', '>1h'),
  key('p50', 'duration', 'p50', '>200ms'),
  key('p75', 'duration', 'p75', '>1s', { aliases: ['duration'] }),
  key('p95', 'duration', 'p95', '>500ms'),
  key('failure_rate', 'number', 'failureRate', '>0.01', { aliases: ['failures'] }),
  key('apdex', 'number', 'apdex', '<0.8'),
  key('change', 'number', 'change', '>0.2'),
  key('new', 'boolean', 'new', 'yes', { words: ['yes', 'no'] }),
  key('route', 'text', 'route', '/orders/*', { aliases: ['transaction', 'name'] }),
  key('op', 'text', 'op', 'pageload', { words: ['pageload', 'navigation', 'http.server'] }),
  {
    name: 'project',
    type: 'text',
    aliases: ['project.name', 'project.slug'],
    source: { in: 'project', by: 'slug' },
    example: 'project:web',
  },
]

const byName = keysByName(routeKeys)

/** Returns the entry of a key of routes by name or alias. Undefined for every other name: routes have no tags. */
export const routeKeyOf: KeyLookup = (name) => byName.get(name)

/** `isNew` routes need the projects that had segments in the range before: elsewhere everything would be new. */
type RouteContext = { projects: readonly { id: number; slug: string }[]; projectsBefore: readonly number[] }

const not = (of: RouteFilter): RouteFilter => ({ op: 'not', of })
const anyOf = (of: RouteFilter[]): RouteFilter => (of.length === 1 && of[0] ? of[0] : { op: 'or', of })

/** The error of a term that routes do not have. It names the key, its place and the key that was probably meant. */
function refuseKey(text: string, { at }: Pick<Term, 'at'>, name: string): SearchError {
  // `!`, quotes and `tags[` are before the name.
  const from = Math.max(at, text.indexOf(name, at))
  return queryError([
    {
      reason: 'key',
      code: 'QUERY_TYPE',
      from,
      to: Math.min(text.length, from + name.length),
      position: [...text.slice(0, from)].length + 1,
      expected: `one of ${routeKeys.map((known) => known.name).join(', ')}`,
      suggestion: nearestWord(
        name,
        routeKeys.map((known) => known.name),
      ),
    },
  ])
}

/** A key in front of a value that it cannot have, such as `requests:""`. */
function refuseValueOf(text: string, { at }: Pick<Term, 'at'>, name: string, isDuration: boolean): SearchError {
  return queryError([
    {
      reason: isDuration ? 'duration' : 'number',
      code: 'QUERY_TYPE',
      from: at,
      to: Math.min(text.length, at + name.length),
      position: [...text.slice(0, at)].length + 1,
      expected: isDuration ? 'a comparison such as >500ms' : 'a comparison such as >1000',
      suggestion: undefined,
    },
  ])
}

const isMetric = (of: RouteSource['of']): of is RouteMetric => of !== 'route' && of !== 'op' && of !== 'new'

function matchFilter(term: Extract<Term, { op: 'match' }>, text: string, { projects }: RouteContext): RouteFilter {
  const searchKey = term.tag ? undefined : routeKeyOf(term.key)
  if (!searchKey) throw refuseKey(text, term, term.key)
  const { source, type } = searchKey
  if (source.in === 'project')
    return {
      op: 'projects',
      ids: projects.filter(({ slug }) => term.values.some((value) => fits(slug, value))).map(({ id }) => id),
    }
  if (source.in !== 'route' || (source.of !== 'route' && source.of !== 'op'))
    throw refuseValueOf(text, term, term.key, type === 'duration')
  const { of: column } = source
  return anyOf(
    term.values.map(({ text: value, wild }) => ({ op: 'match', column, match: wild ? 'like' : 'is', text: value })),
  )
}

function termFilter(term: Term, text: string, context: RouteContext): RouteFilter {
  switch (term.op) {
    case 'text':
      return term.value === ''
        ? { op: 'and', of: [] }
        : { op: 'match', column: 'route', match: 'like', text: contained(term) }
    case 'match':
      return matchFilter(term, text, context)
    case 'number':
    case 'measure':
    case 'flag': {
      const source = 'tag' in term && term.tag ? undefined : routeKeyOf(term.key)?.source
      if (source?.in !== 'route') throw refuseKey(text, term, term.key)
      if (term.op === 'flag')
        return term.value
          ? { op: 'new', projectIds: [...context.projectsBefore] }
          : not({ op: 'new', projectIds: [...context.projectsBefore] })
      if (!isMetric(source.of)) throw refuseKey(text, term, term.key)
      return { op: 'compare', metric: source.of, compare: term.compare, number: term.value }
    }
    default:
      throw refuseKey(text, term, 'key' in term ? term.key : term.op)
  }
}

function filterOf(node: Search, text: string, context: RouteContext): RouteFilter {
  if (node.op === 'not') return not(filterOf(node.of, text, context))
  // All mistakes at once, as the grammar does it.
  if ('of' in node) return { op: node.op, of: readEach(node.of, (part) => filterOf(part, text, context)) }
  return termFilter(node, text, context)
}

/** The keys with any value, so that a text with wrong values can still be read for its wrong keys. */
const anyValueKeyOf: KeyLookup = (name) => {
  const known = byName.get(name)
  return known && { ...known, type: 'text', source: { in: 'route', of: 'route' } }
}

/** The mistakes of the keys of a text. None if it is not in the language. */
function keyMistakes(text: string): SearchError['mistakes'] {
  try {
    const search = readSearch(text, anyValueKeyOf)
    if (search) filterOf(search, text, { projects: [], projectsBefore: [] })
    return []
  } catch (error) {
    return error instanceof SearchError ? error.mistakes.filter(({ reason }) => reason === 'key') : []
  }
}

/** Converts a search text to a condition on routes. Undefined for an empty text. Throws SearchError with all mistakes. */
export function routeFilterOf(text: string, context: RouteContext): RouteFilter | undefined {
  let search: Search | undefined
  try {
    search = readSearch(text, routeKeyOf)
  } catch (error) {
    if (!(error instanceof SearchError) || error.mistakes.length === 0) throw error
    throw queryError([...error.mistakes, ...keyMistakes(text)])
  }
  return search && filterOf(search, text, context)
}

/** Whether a condition asks for new routes, which needs the projects of the range before. */
export const asksForNew = (filter: RouteFilter | undefined): boolean => {
  if (!filter) return false
  if (filter.op === 'not') return asksForNew(filter.of)
  return 'of' in filter ? filter.of.some(asksForNew) : filter.op === 'new'
}

/** All mistakes of a search over routes, by position. Empty if the text is valid. */
export function routeMistakes(text: string): SearchError['mistakes'] {
  try {
    routeFilterOf(text, { projects: [], projectsBefore: [] })
    return []
  } catch (error) {
    // A text that is too long has no mistake at one place. The server answers with the limit.
    if (!(error instanceof SearchError)) throw error
    return error.mistakes
  }
}
