import { MishapError } from '../../base/errors.ts'
import type { Filter, Having, Value } from '../../store/events/question.ts'
import type { Search, Term, TextPattern } from '../search/ast.ts'
import type { KeySource } from '../search/key.ts'
import { parseSearch } from '../search/parse.ts'
import { contained } from '../search/plan-text.ts'
import { fits } from '../search/release-parts.ts'
import { numberOf } from '../search/value.ts'
import type { DatasetFields } from './dataset.ts'
import { aggregateOfText, jsonValueOf } from './functions.ts'

/** What a search over rows asks of the events store. */
export type RowSearch = {
  filter: Filter | undefined
  /** Conditions on groups. */
  having: Having[]
  /** The search names cut-off spans, so percentiles count them. */
  withCut: boolean
}

type RowContext = {
  dataset: DatasetFields
  nowMs: number
  projects: readonly { id: number; slug: string }[]
  /** The latest release of each project. Only searches with `release:latest` need it. */
  latestReleases(): Promise<string[]>
}

/** Patterns and attributes of a search: each is compared with every row of the range. */
const patternsMax = 20

const always: Filter = { op: 'and', of: [] }
const never: Filter = { op: 'or', of: [] }
const not = (of: Filter): Filter => ({ op: 'not', of })
const anyOf = (of: Filter[]): Filter => (of.length === 1 && of[0] ? of[0] : { op: 'or', of })

/** The error of a term that a dataset does not support. It names the term and its place. */
function refuseTerm(text: string, term: Term, name: string, expected: string): MishapError {
  const position = [...text.slice(0, term.at)].length + 1
  return new MishapError('QUERY_TYPE', {
    detail: `Invalid query: at position ${position}, ${name}: expected ${expected}.`,
    causes: [`position ${position}`, `expected ${expected}`],
    mistakes: [
      {
        reason: 'row_key',
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

const attribute = (key: string): Value => ({ of: 'attribute', key, as: 'any' })
const has = (value: Value): Filter => ({ op: 'match', value, match: 'has', text: '' })

/** The source of a key. A key outside the table is a path into JSON, or an attribute. */
function sourceOf({ dataset }: RowContext, key: string, isTag: boolean): KeySource {
  const known = isTag ? undefined : dataset.keyOf(key)?.source
  return known ?? { in: 'row', value: jsonValueOf(dataset, key) ?? attribute(key) }
}

function comparison(value: Value, { compare, value: number }: NonNullable<ReturnType<typeof numberOf>>): Filter {
  const is = (operator: '<' | '<=' | '=' | '>=' | '>'): Filter => ({
    op: 'compare',
    value,
    compare: operator,
    number,
  })
  return compare === '!=' ? anyOf([is('<'), is('>')]) : is(compare)
}

/** One value of a key. Attributes can be numbers, whose type a search does not have to say: `thread.id:>3`. */
function valueFilter(value: Value, { text, wild }: TextPattern): Filter {
  if (text === '') return not(has(value))
  const match: Filter = { op: 'match', value, match: wild ? 'like' : 'is', text }
  if (wild || !(value.of === 'json' || (value.of === 'attribute' && value.as === 'any'))) return match
  const number = numberOf(text)
  if (!number) return match
  const compared = comparison(value, number)
  return /^[<>=!]/.test(text) ? compared : anyOf([match, compared])
}

/** A level, as text or with a comparison: `error`, `>=warning`. Undefined: the value has no levels. */
function levelFilter({ levels }: DatasetFields, value: Value, { text, wild }: TextPattern): Filter | undefined {
  if (!levels || value.of !== 'text' || value.column !== levels.column || wild) return undefined
  const [, operator = '', word = ''] = /^(>=|<=|>|<|)(.*)$/s.exec(text.toLowerCase()) ?? []
  const from = Object.hasOwn(levels.from, word) ? levels.from[word] : undefined
  if (from === undefined || operator === '')
    return word === 'warn' ? valueFilter(value, { text: 'warning', wild }) : undefined
  const next = Math.min(...Object.values(levels.from).filter((number) => number > from), Number.POSITIVE_INFINITY)
  const number: Value = { of: 'number', column: levels.number }
  const limit = operator === '>=' || operator === '<' ? from : next
  if (limit === Number.POSITIVE_INFINITY) return operator === '>' ? never : always
  return { op: 'compare', value: number, compare: operator.startsWith('>') ? '>=' : '<', number: limit }
}

/** Free text: the text of a row contains it. The id of a trace or span finds it, too. */
function textFilter(term: Extract<Term, { op: 'text' }>, { text: searched, ids }: DatasetFields): Filter {
  const isWords = searched.match === 'words' && !term.wild
  const text: Filter = {
    op: 'match',
    value: searched.value,
    match: isWords ? 'words' : 'like',
    text: isWords ? term.value : contained(term),
  }
  const id = term.wild ? '' : term.value.replaceAll('-', '').toLowerCase()
  const value = /^[0-9a-f]+$/.test(id) ? ids[id.length] : undefined
  return value ? anyOf([text, { op: 'match', value, match: 'is', text: id }]) : text
}

function projectFilter(ids: readonly number[]): Filter {
  return ids.length > 0 ? { op: 'projects', ids: [...ids] } : never
}

async function matchFilter(term: Extract<Term, { op: 'match' }>, context: RowContext): Promise<Filter> {
  const source = sourceOf(context, term.key, term.tag)
  if (source.in === 'project')
    return projectFilter(
      context.projects.filter(({ slug }) => term.values.some((value) => fits(slug, value))).map(({ id }) => id),
    )
  if (source.in !== 'row') return never
  const isRelease = source.value.of === 'text' && source.value.column === 'release'
  const isLatest = ({ text, wild }: TextPattern) => isRelease && !wild && text.toLowerCase() === 'latest'
  const latest = term.values.some(isLatest) ? await context.latestReleases() : []
  const values = [...latest.map((text) => ({ text, wild: false })), ...term.values.filter((value) => !isLatest(value))]
  return anyOf(
    values.map((value) => levelFilter(context.dataset, source.value, value) ?? valueFilter(source.value, value)),
  )
}

function comparedFilter(term: Extract<Term, { op: 'number' | 'measure' | 'flag' }>, context: RowContext): Filter {
  const { projects } = context
  const source = sourceOf(context, term.key, term.op === 'number' && term.tag === true)
  if (term.op === 'flag')
    return source.in === 'row'
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
  return source.in === 'row' ? { op: 'compare', value: source.value, compare, number: value } : never
}

async function termFilter(term: Term, text: string, context: RowContext): Promise<Filter> {
  switch (term.op) {
    case 'text':
      return term.value === '' ? always : textFilter(term, context.dataset)
    case 'match':
      return matchFilter(term, context)
    case 'has': {
      const source = sourceOf(context, term.key, term.tag)
      return source.in === 'row' ? has(source.value) : always
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
      throw refuseTerm(text, term, 'is', `a key of ${context.dataset.word}`)
    default:
      return comparedFilter(term, context)
  }
}

/** The entry of a name that a closed dataset does not have. */
const isUnknown = ({ keyOf, isClosed }: DatasetFields, term: Term): term is Extract<Term, { key: string }> =>
  isClosed === true && 'key' in term && term.op !== 'measure' && keyOf(term.key) === undefined

async function filterOf(node: Search, text: string, context: RowContext): Promise<Filter> {
  if (node.op === 'not') return not(await filterOf(node.of, text, context))
  if ('of' in node)
    return { op: node.op, of: await Array.fromAsync(node.of, async (part) => filterOf(part, text, context)) }
  const { dataset } = context
  if (isUnknown(dataset, node))
    throw refuseTerm(
      text,
      node,
      node.key,
      `a key of ${dataset.word}: ${dataset.keys.map(({ name }) => name).join(', ')}`,
    )
  return termFilter(node, text, context)
}

type Aggregate = Extract<Term, { op: 'measure' }>
const isAggregate = (node: Search): node is Aggregate => node.op === 'measure' && node.aggregate

/** A share is compared as a share: `failure_rate():>5%` and `failure_rate():>0.05` are the same. */
function havingOf(term: Aggregate, text: string, dataset: DatasetFields): Having {
  const aggregate = aggregateOfText(dataset, term.key)
  if (typeof aggregate === 'string') throw refuseTerm(text, term, term.key, aggregate)
  const isShare =
    (aggregate.fn === 'failureRate' || aggregate.fn === 'share') && term.unit === 'percent' && term.value > 1
  return { aggregate, compare: term.compare, number: isShare ? term.value / 100 : term.value }
}

/** Number of patterns and attributes that a filter compares with each row. */
function patternsOf(filter: Filter): number {
  if (filter.op === 'not') return patternsOf(filter.of)
  if (filter.op === 'projects' || filter.op === 'event') return 0
  if ('of' in filter) return filter.of.reduce((sum, part) => sum + patternsOf(part), 0)
  const isPattern = filter.op === 'match' && (filter.match === 'like' || filter.match === 'words')
  return isPattern || filter.value.of === 'attribute' || filter.value.of === 'json' ? 1 : 0
}

/** Whether a filter reads this column. */
function reads(filter: Filter, column: string): boolean {
  if (filter.op === 'not') return reads(filter.of, column)
  if (filter.op === 'projects' || filter.op === 'event') return false
  if ('of' in filter) return filter.of.some((part) => reads(part, column))
  return 'column' in filter.value && filter.value.column === column
}

/** Whether a filter compares wide columns: attributes or patterns. Such a search costs several times more. */
export const isWide = (filter: Filter | undefined): boolean => filter !== undefined && patternsOf(filter) > 0

/**
 * Converts the text of a search to conditions on rows. Throws QUERY_SYNTAX, QUERY_TYPE (with the place of the term) and
 * QUERY_TOO_LONG.
 */
export async function searchOf(text: string, context: RowContext): Promise<RowSearch> {
  const search = parseSearch(text, context.dataset.keyOf)
  if (!search) return { filter: undefined, having: [], withCut: false }
  const parts = search.op === 'and' ? search.of : [search]
  const having = parts.filter(isAggregate).map((term) => havingOf(term, text, context.dataset))
  const others = parts.filter((part) => !isAggregate(part))
  const filters = await Array.fromAsync(others, async (part) => filterOf(part, text, context))
  const filter: Filter | undefined = filters.length > 1 ? { op: 'and', of: filters } : filters[0]
  if (filter && patternsOf(filter) > patternsMax)
    throw new MishapError('QUERY_TOO_LONG', {
      detail: `Invalid query: it compares more than ${patternsMax} patterns and attributes with each row.`,
    })
  return { filter, having, withCut: filter !== undefined && reads(filter, 'cut') }
}
