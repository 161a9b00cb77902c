import { MishapError } from '../../base/errors.ts'
import type { SpanFilter, SpanHaving, SpanValue } from '../../store/events/span-search.ts'
import type { Search, Term, TextPattern } from '../search/ast.ts'
import type { KeySource } from '../search/key.ts'
import { parseSearch } from '../search/parse.ts'
import { contained } from '../search/plan-text.ts'
import { fits } from '../search/release-parts.ts'
import { numberOf } from '../search/value.ts'
import { spanKeyOf } from '../span-keys.ts'
import { aggregateOfText } from './functions.ts'

/** What a search over spans asks of the events store. */
export type SpanPlan = {
  filter: SpanFilter | undefined
  /** Conditions on groups. */
  having: SpanHaving[]
  /** The search names cut-off spans, so percentiles count them. */
  withCut: boolean
}

type SpanContext = {
  nowMs: number
  projects: readonly { id: number; slug: string }[]
  /** The latest release of each project. Only searches with `release:latest` need it. */
  latestReleases(): Promise<string[]>
}

/** Patterns and attributes of a search: each is compared with every span of the range. */
const patternsMax = 20

const always: SpanFilter = { op: 'and', of: [] }
const never: SpanFilter = { op: 'or', of: [] }
const not = (of: SpanFilter): SpanFilter => ({ op: 'not', of })
const anyOf = (of: SpanFilter[]): SpanFilter => (of.length === 1 && of[0] ? of[0] : { op: 'or', of })

/** The error of a term that spans do not support. It names the term and its place. */
function refuseTerm(text: string, term: Term, name: string, expected: string): MishapError {
  const position = [...text.slice(0, term.at)].length + 1
  return new MishapError('QUERY_TYPE', {
    detail: `Invalid query: at position ${position}, ${name}: expected ${expected}.`,
    causes: [`position ${position}`, `expected ${expected}`],
    mistakes: [
      {
        reason: 'span_key',
        code: 'QUERY_TYPE',
        from: term.at,
        to: Math.min(text.length, term.at + name.length),
        position,
        expected,
        suggestion: undefined,
      },
    ],
  })
}

const attribute = (key: string): SpanValue => ({ of: 'attribute', key, as: 'any' })
const has = (value: SpanValue): SpanFilter => ({ op: 'match', value, match: 'has', text: '' })

/** The source of a key. A key outside the table is an attribute. */
function sourceOf(key: string, isTag: boolean): KeySource {
  return (isTag ? undefined : spanKeyOf(key)?.source) ?? { in: 'span', value: attribute(key) }
}

function comparison(
  value: SpanValue,
  { compare, value: number }: NonNullable<ReturnType<typeof numberOf>>,
): SpanFilter {
  const is = (operator: '<' | '<=' | '=' | '>=' | '>'): SpanFilter => ({
    op: 'compare',
    value,
    compare: operator,
    number,
  })
  return compare === '!=' ? anyOf([is('<'), is('>')]) : is(compare)
}

/** One value of a key. Attributes can be numbers, whose type a search does not have to say: `thread.id:>3`. */
function valueFilter(value: SpanValue, { text, wild }: TextPattern): SpanFilter {
  if (text === '') return not(has(value))
  const match: SpanFilter = { op: 'match', value, match: wild ? 'like' : 'is', text }
  if (value.of !== 'attribute' || value.as !== 'any' || wild) return match
  const number = numberOf(text)
  if (!number) return match
  const compared = comparison(value, number)
  return /^[<>=!]/.test(text) ? compared : anyOf([match, compared])
}

/** Free text: the description contains it. The id of a trace or span finds it, too. */
function textFilter(term: Extract<Term, { op: 'text' }>): SpanFilter {
  const text: SpanFilter = {
    op: 'match',
    value: { of: 'text', column: 'label' },
    match: 'like',
    text: contained(term),
  }
  const id = term.wild ? '' : term.value.replaceAll('-', '').toLowerCase()
  const column = /^[0-9a-f]{32}$/.test(id) ? 'trace' : /^[0-9a-f]{16}$/.test(id) ? 'span' : undefined
  return column ? anyOf([text, { op: 'match', value: { of: 'id', column }, match: 'is', text: id }]) : text
}

function projectFilter(ids: readonly number[]): SpanFilter {
  return ids.length > 0 ? { op: 'projects', ids: [...ids] } : never
}

async function matchFilter(term: Extract<Term, { op: 'match' }>, context: SpanContext): Promise<SpanFilter> {
  const source = sourceOf(term.key, term.tag)
  if (source.in === 'project')
    return projectFilter(
      context.projects.filter(({ slug }) => term.values.some((value) => fits(slug, value))).map(({ id }) => id),
    )
  if (source.in !== 'span') return never
  const isRelease = source.value.of === 'text' && source.value.column === 'release'
  const isLatest = ({ text, wild }: TextPattern) => isRelease && !wild && text.toLowerCase() === 'latest'
  const latest = term.values.some(isLatest) ? await context.latestReleases() : []
  const values = [...latest.map((text) => ({ text, wild: false })), ...term.values.filter((value) => !isLatest(value))]
  return anyOf(values.map((value) => valueFilter(source.value, value)))
}

function comparedFilter(
  term: Extract<Term, { op: 'number' | 'measure' | 'flag' }>,
  { projects }: SpanContext,
): SpanFilter {
  const source = sourceOf(term.key, term.op === 'number' && term.tag === true)
  if (term.op === 'flag')
    return source.in === 'span'
      ? { op: 'compare', value: source.value, compare: '=', number: Number(term.value) }
      : never
  const { compare, value } = term
  const meets = {
    '<': (id: number) => id < value,
    '<=': (id: number) => id <= value,
    '=': (id: number) => id === value,
    '>=': (id: number) => id >= value,
    '>': (id: number) => id > value,
  }[compare]
  if (source.in === 'project') return projectFilter(projects.map(({ id }) => id).filter(meets))
  return source.in === 'span' ? { op: 'compare', value: source.value, compare, number: value } : never
}

async function termFilter(term: Term, text: string, context: SpanContext): Promise<SpanFilter> {
  switch (term.op) {
    case 'text':
      return term.value === '' ? always : textFilter(term)
    case 'match':
      return matchFilter(term, context)
    case 'has': {
      const source = sourceOf(term.key, term.tag)
      return source.in === 'span' ? has(source.value) : always
    }
    case 'date': {
      const number = 'atMs' in term.moment ? term.moment.atMs : context.nowMs - term.moment.agoMs
      return { op: 'compare', value: { of: 'time' }, compare: term.compare, number }
    }
    case 'measure':
      if (term.aggregate)
        throw refuseTerm(text, term, term.key, 'a function only beside other terms, not under OR or !')
      return comparedFilter(term, context)
    case 'is':
      throw refuseTerm(text, term, 'is', 'a key of spans')
    default:
      return comparedFilter(term, context)
  }
}

async function filterOf(node: Search, text: string, context: SpanContext): Promise<SpanFilter> {
  if (node.op === 'not') return not(await filterOf(node.of, text, context))
  if ('of' in node)
    return { op: node.op, of: await Array.fromAsync(node.of, async (part) => filterOf(part, text, context)) }
  return termFilter(node, text, context)
}

type Aggregate = Extract<Term, { op: 'measure' }>
const isAggregate = (node: Search): node is Aggregate => node.op === 'measure' && node.aggregate

/** A share is compared as a share: `failure_rate():>5%` and `failure_rate():>0.05` are the same. */
function havingOf(term: Aggregate, text: string): SpanHaving {
  const aggregate = aggregateOfText(term.key)
  if (typeof aggregate === 'string') throw refuseTerm(text, term, term.key, aggregate)
  const isShare = aggregate.fn === 'failureRate' && term.unit === 'percent' && term.value > 1
  return { aggregate, compare: term.compare, number: isShare ? term.value / 100 : term.value }
}

/** Number of patterns and attributes that a filter compares with each span. */
function patternsOf(filter: SpanFilter): number {
  if (filter.op === 'not') return patternsOf(filter.of)
  if ('of' in filter) return filter.of.reduce((sum, part) => sum + patternsOf(part), 0)
  if (filter.op === 'projects') return 0
  return (filter.op === 'match' && filter.match === 'like') || filter.value.of === 'attribute' ? 1 : 0
}

/** Whether a filter reads this column. */
function reads(filter: SpanFilter, column: string): boolean {
  if (filter.op === 'not') return reads(filter.of, column)
  if ('of' in filter) return filter.of.some((part) => reads(part, column))
  return filter.op !== 'projects' && 'column' in filter.value && filter.value.column === column
}

/** Whether a filter compares wide columns: attributes or patterns. Such a search costs several times more. */
export const isWide = (filter: SpanFilter | undefined): boolean => filter !== undefined && patternsOf(filter) > 0

/**
 * Converts the text of a search to conditions on spans. Throws QUERY_SYNTAX, QUERY_TYPE (with the place of the term) and
 * QUERY_TOO_LONG.
 */
export async function spanPlan(text: string, context: SpanContext): Promise<SpanPlan> {
  const search = parseSearch(text, spanKeyOf)
  if (!search) return { filter: undefined, having: [], withCut: false }
  const parts = search.op === 'and' ? search.of : [search]
  const having = parts.filter(isAggregate).map((term) => havingOf(term, text))
  const others = parts.filter((part) => !isAggregate(part))
  const filters = await Array.fromAsync(others, async (part) => filterOf(part, text, context))
  const filter: SpanFilter | undefined = filters.length > 1 ? { op: 'and', of: filters } : filters[0]
  if (filter && patternsOf(filter) > patternsMax)
    throw new MishapError('QUERY_TOO_LONG', {
      detail: `Invalid query: it compares more than ${patternsMax} patterns and attributes with each span.`,
    })
  return { filter, having, withCut: filter !== undefined && reads(filter, 'cut') }
}
