import { MishapError } from '../../base/errors.ts'
import type { EventFilter } from '../../store/events/events.ts'
import type { IssueFilter } from '../../store/meta/meta.ts'
import type { Search, Term } from './ast.ts'
import { searchKeyOf } from './lookup.ts'

// SQLite runs in the process that serves every screen, so no query may block it for long.

/** Limit of words and patterns for texts of issues. Each takes 0.4 to 1 µs per issue: 20 to 50 ms for 50,000. */
const textsMax = 20
/** Limit of patterns for frames of all events. One takes 450 ms for 9,000 events with some 80 texts each. */
const framePatternsMax = 20
/** Limit of comparisons of a release part with a value, 0.1 µs each. */
const comparisonsMax = 500_000

const tooLong = (detail: string) => new MishapError('QUERY_TOO_LONG', { detail: `Invalid query: ${detail}` })

/** Number of texts that a filter searches for. */
function textsOf(filter: IssueFilter): number {
  if (filter.op === 'not') return textsOf(filter.of)
  if ('of' in filter) return filter.of.reduce((sum, child) => sum + textsOf(child), 0)
  return filter.op === 'text' || (filter.op === 'field' && filter.match === 'like') ? 1 : 0
}

/** Throws QUERY_TOO_LONG for conditions on issues with more than 20 words and patterns together. */
export function demandFewTexts(filters: readonly IssueFilter[]): void {
  if (filters.reduce((sum, filter) => sum + textsOf(filter), 0) > textsMax)
    throw tooLong(`it searches issues for more than ${textsMax} words and patterns. Put phrases in quotes.`)
}

/** Number of patterns that a filter compares with frames. */
function patternsOf(filter: EventFilter): number {
  if (filter.op === 'not') return patternsOf(filter.of)
  if (filter.op === 'and' || filter.op === 'or') return filter.of.reduce((sum, child) => sum + patternsOf(child), 0)
  return filter.op === 'frame' && filter.match !== 'is' ? 1 : 0
}

/** Throws QUERY_TOO_LONG for more than 20 patterns over frames. */
export function demandFewPatterns(filters: readonly EventFilter[]): void {
  if (filters.reduce((sum, filter) => sum + patternsOf(filter), 0) > framePatternsMax)
    throw tooLong(`it searches frames for more than ${framePatternsMax} patterns. Use whole values.`)
}

function termsOf(node: Search): Term[] {
  if (node.op === 'not') return termsOf(node.of)
  return 'of' in node ? node.of.flatMap(termsOf) : [node]
}

const isReleasePart = (name: string) => searchKeyOf(name)?.source.in === 'release'

/** Throws QUERY_TOO_LONG if parts of releases would be compared more than 500,000 times. */
export async function demandFewComparisons(search: Search, releases: () => Promise<readonly unknown[]>): Promise<void> {
  const values = termsOf(search).reduce(
    (sum, term) => sum + (term.op === 'match' && !term.tag && isReleasePart(term.key) ? term.values.length : 0),
    0,
  )
  const count = values > 0 ? (await releases()).length : 0
  if (values * count > comparisonsMax)
    throw tooLong(`it compares ${count} releases with ${values} values. Use fewer values or fewer projects.`)
}
