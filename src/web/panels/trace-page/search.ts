import type { TraceSpans } from '../../../domain/traces/trace-spans.ts'
import type { TraceModel } from './model.ts'

/** A parsed search: all terms must match. Attributes are asked of the server. */
type TraceSearch = {
  words: readonly string[]
  fields: readonly { key: 'op' | 'status' | 'project' | 'name'; value: string }[]
  slowerUs: number
  fasterUs: number
  isFailed: boolean
  attributes: readonly { key: string; value: string }[]
}

/** Each attribute of a search is a request. More are not asked, and match nothing. */
export const attributesMax = 5

const unitsUs: Readonly<Record<string, number>> = {
  µs: 1,
  us: 1,
  ms: 1000,
  s: 1_000_000,
  min: 60_000_000,
  m: 60_000_000,
}

/** A length such as 100ms, 1.5s or 20 (milliseconds), in microseconds. */
export function lengthOf(text: string): number | undefined {
  const found = /^(\d{1,12}(?:\.\d{1,6})?)(µs|us|ms|s|min|m)?$/.exec(text.toLowerCase())
  return found ? Number(found[1]) * (unitsUs[found[2] ?? 'ms'] ?? 1000) : undefined
}

const fieldKeys: Readonly<Record<string, TraceSearch['fields'][number]['key']>> = {
  op: 'op',
  'span.op': 'op',
  status: 'status',
  'span.status': 'status',
  project: 'project',
  name: 'name',
  'span.description': 'name',
}

/** The terms of a text: parts between spaces. A value with spaces is in double quotes. */
const termForm = /([\w.-]{1,100}):"([^"]{0,500})"|"([^"]{0,500})"|(\S{1,500})/g

/** Parses the text of the search field. Undefined: it is empty. */
export function parseSearch(text: string): TraceSearch | undefined {
  const search = {
    words: [] as string[],
    fields: [] as { key: TraceSearch['fields'][number]['key']; value: string }[],
    slowerUs: -1,
    fasterUs: Number.POSITIVE_INFINITY,
    isFailed: false,
    attributes: [] as { key: string; value: string }[],
  }
  let count = 0
  for (const [, quotedKey, quotedValue, quoted, plain = ''] of text.matchAll(termForm)) {
    count++
    const colon = plain.indexOf(':')
    const key = quotedKey ?? (colon > 0 ? plain.slice(0, colon) : '')
    const value = quotedValue ?? (colon > 0 ? plain.slice(colon + 1) : '')
    const length = lengthOf(value)
    const field = fieldKeys[key]
    if (key === 'slower' && length !== undefined) search.slowerUs = length
    else if (key === 'faster' && length !== undefined) search.fasterUs = length
    else if (key === 'is' && /^(?:error|failed)$/.test(value)) search.isFailed = true
    else if (field) search.fields.push({ key: field, value: value.toLowerCase() })
    else if (key !== '' && value !== '' && /^[\w.-]+$/.test(key)) search.attributes.push({ key, value })
    else search.words.push((quoted ?? plain).toLowerCase())
  }
  return count === 0 ? undefined : search
}

/** Texts that contain a value, as numbers of the columns. Each text is looked at once, however many spans share it. */
const textsWith = (spans: TraceSpans, value: string): ReadonlySet<number> =>
  new Set(spans.texts.flatMap((text, number) => (text.toLowerCase().includes(value) ? [number] : [])))

/**
 * The spans that match, in the order of the tree. `attributeIds`: ids of the spans with each attribute of the search,
 * undefined until the server has answered.
 */
export function matchesOf(
  { view, tree }: TraceModel,
  search: TraceSearch,
  attributeIds: readonly ReadonlySet<string>[] | undefined,
): Int32Array {
  const { spans, projects } = view
  if (search.attributes.length > (attributeIds?.length ?? 0)) return new Int32Array()
  const slugs = projects.map((project) => project.slug?.toLowerCase() ?? '')
  const words = search.words.map((word) => ({ word, texts: textsWith(spans, word) }))
  const fields = search.fields.map((field) => ({ ...field, texts: textsWith(spans, field.value) }))
  const columns = { op: spans.ops, status: spans.statuses, name: spans.names }
  const slugOf = (span: number) => slugs[spans.projects[span] ?? 0] ?? ''
  const matches = (span: number): boolean => {
    const duration = spans.durations[span] ?? 0
    if (duration < search.slowerUs || duration > search.fasterUs) return false
    if (search.isFailed && spans.failures[span] !== 1) return false
    if (attributeIds && !attributeIds.every((ids) => ids.has(spans.ids[span] ?? ''))) return false
    const hasFields = fields.every(({ key, value, texts }) =>
      key === 'project' ? slugOf(span) === value : texts.has(columns[key][span] ?? 0),
    )
    return (
      hasFields &&
      words.every(
        ({ word, texts }) =>
          texts.has(spans.ops[span] ?? 0) ||
          texts.has(spans.names[span] ?? 0) ||
          texts.has(spans.statuses[span] ?? 0) ||
          (spans.ids[span] ?? '').startsWith(word) ||
          slugOf(span).includes(word),
      )
    )
  }
  return tree.order.filter((node) => node < tree.spanCount && matches(node))
}
