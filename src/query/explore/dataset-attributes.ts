import type { RestDatasetAttributes } from '../../contract/explore/dataset-search.ts'
import type { Scope } from '../../store/events/events.ts'
import type { KeyCount } from '../../store/events/question.ts'
import { fieldsOfDataset, type RowDataset } from '../compile/datasets.ts'
import { valueOfName } from '../compile/functions.ts'
import type { QueryDeps } from '../issues/issue.ts'

/** Most attributes of one answer. */
const attributesMax = 500

type Listed = { type: 'string' | 'number' | 'boolean'; text: string; signal?: AbortSignal | undefined }

const contains = (name: string, text: string) => name.toLowerCase().includes(text.toLowerCase())
const typeOfKey = {
  text: 'string',
  version: 'string',
  duration: 'number',
  number: 'number',
  boolean: 'boolean',
} as const
const isTyped = (type: string): type is keyof typeof typeOfKey => Object.hasOwn(typeOfKey, type)

/** Returns the keys of the table and the sent attributes of a type. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT. */
export async function datasetAttributes(
  deps: Pick<QueryDeps, 'events'>,
  name: RowDataset,
  scope: Scope,
  { type, text, signal }: Listed,
): Promise<RestDatasetAttributes> {
  const { from, keys, keyOf } = fieldsOfDataset(name)
  const known = keys
    .filter((key) => isTyped(key.type) && typeOfKey[key.type] === type)
    .map(({ name }) => ({ key: name, name, attributeSource: { source_type: 'sentry' as const } }))
  const as = type === 'number' ? 'number' : 'text'
  // SDKs do not say which of their texts are booleans.
  const sent = type === 'boolean' ? [] : await deps.events.attributeKeys({ from, scope, signal }, as, attributesMax)
  const found = sent.map(({ key }) => ({
    key: type === 'number' ? `tags[${key},number]` : keyOf(key) ? `tags[${key}]` : key,
    name: key,
    attributeSource: { source_type: 'user' as const },
  }))
  return [...known, ...found].filter(({ name }) => contains(name, text))
}

/** Returns the names of attributes with their numbers of rows, most first. Throws as `datasetAttributes`. */
export async function datasetTags(
  deps: Pick<QueryDeps, 'events'>,
  name: RowDataset,
  scope: Scope,
  max: number,
  signal?: AbortSignal,
): Promise<KeyCount[]> {
  const { from } = fieldsOfDataset(name)
  const both = await Promise.all([
    deps.events.attributeKeys({ from, scope, signal }, 'text', max),
    deps.events.attributeKeys({ from, scope, signal }, 'number', max),
  ])
  return both
    .flat()
    .toSorted((a, b) => b.rows - a.rows || (a.key < b.key ? -1 : 1))
    .slice(0, max)
}

/**
 * Returns the values of a key or attribute in the newest rows, most rows first. `text` is a part of them. Returns
 * none for keys without listed values, such as ids and times. Throws as `datasetAttributes`.
 */
export async function datasetValues(
  deps: Pick<QueryDeps, 'events'>,
  name: RowDataset,
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
  const dataset = fieldsOfDataset(name)
  const known = dataset.keyOf(key)
  if (known?.source.in === 'project') return listed(projects.map(({ slug }) => slug).sort())
  if (known?.words) return listed(known.words)
  if (known && known.values !== 'stored') return []
  const named = valueOfName(dataset, key)
  if (!named || named.value.of === 'time') return []
  return deps.events.valuesOf({ from: dataset.from, scope, signal: request.signal }, { value: named.value, text, max })
}
