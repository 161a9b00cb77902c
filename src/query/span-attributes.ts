import type { RestSpanAttributes } from '../contract/span-search.ts'
import type { Scope } from '../store/events/events.ts'
import type { KeyCount } from '../store/events/span-search.ts'
import type { QueryDeps } from './issue.ts'
import { spanKeyOf, spanKeys } from './span-keys.ts'
import { valueOfName } from './spans/functions.ts'

/** Most attributes of one answer. */
const attributesMax = 500

type Listed = { type: 'string' | 'number' | 'boolean'; text: string; signal?: AbortSignal | undefined }

const contains = (name: string, text: string) => name.toLowerCase().includes(text.toLowerCase())
const typeOfKey = { text: 'string', duration: 'number', number: 'number', boolean: 'boolean' } as const
const isTyped = (type: string): type is keyof typeof typeOfKey => Object.hasOwn(typeOfKey, type)

/** Returns the keys of the table and the sent attributes of a type. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT. */
export async function spanAttributes(
  deps: Pick<QueryDeps, 'events'>,
  scope: Scope,
  { type, text, signal }: Listed,
): Promise<RestSpanAttributes> {
  const known = spanKeys
    .filter((key) => isTyped(key.type) && typeOfKey[key.type] === type)
    .map(({ name }) => ({ key: name, name, attributeSource: { source_type: 'sentry' as const } }))
  const as = type === 'number' ? 'number' : 'text'
  // SDKs do not say which of their texts are booleans.
  const sent = type === 'boolean' ? [] : await deps.events.attributeKeys(scope, as, attributesMax, signal)
  const found = sent.map(({ key }) => ({
    key: type === 'number' ? `tags[${key},number]` : spanKeyOf(key) ? `tags[${key}]` : key,
    name: key,
    attributeSource: { source_type: 'user' as const },
  }))
  return [...known, ...found].filter(({ name }) => contains(name, text))
}

/** Returns the names of attributes with their numbers of spans, most first. Throws as `spanAttributes`. */
export async function spanTags(
  deps: Pick<QueryDeps, 'events'>,
  scope: Scope,
  max: number,
  signal?: AbortSignal,
): Promise<KeyCount[]> {
  const both = await Promise.all([
    deps.events.attributeKeys(scope, 'text', max, signal),
    deps.events.attributeKeys(scope, 'number', max, signal),
  ])
  return both
    .flat()
    .toSorted((a, b) => b.spans - a.spans || (a.key < b.key ? -1 : 1))
    .slice(0, max)
}

/**
 * Returns the values of a key or attribute in the newest spans, most spans first. `text` is a part of them. Returns
 * none for keys without listed values, such as ids and times. Throws as `spanAttributes`.
 */
export async function spanAttributeValues(
  deps: Pick<QueryDeps, 'events'>,
  projects: readonly { slug: string }[],
  scope: Scope,
  request: { key: string; text: string; max: number; signal?: AbortSignal | undefined },
): Promise<{ value: string; events: number | null }[]> {
  const { key, text, max } = request
  const listed = (values: readonly string[]) =>
    values
      .filter((value) => contains(value, text))
      .slice(0, max)
      .map((value) => ({ value, events: null }))
  const known = spanKeyOf(key)
  if (known?.source.in === 'project') return listed(projects.map(({ slug }) => slug).sort())
  if (known?.words) return listed(known.words)
  if (known && known.values !== 'stored') return []
  const named = valueOfName(key)
  return named ? deps.events.spanValues(scope, named.value, request) : []
}
