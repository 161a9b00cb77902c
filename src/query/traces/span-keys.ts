import type { Value, Vital } from '../../store/events/question.ts'
import { keysByName } from '../search/by-name.ts'
import type { KeyType, SearchKey } from '../search/key.ts'
import { projectKeys } from '../search/keys.ts'
import type { KeyLookup } from '../search/lookup.ts'

// The table of keys of searches over spans. Every other name is an attribute.

type Rest = Pick<SearchKey, 'aliases' | 'words' | 'values'>

const key = (name: string, type: KeyType, value: Value, example: string, rest: Rest = {}): SearchKey => ({
  name,
  type,
  source: { in: 'row', value },
  example: `${name}:${example}`,
  ...rest,
})
const text = (name: string, column: string, example: string, rest: Rest = {}): SearchKey =>
  key(name, 'text', { of: 'text', column }, example, { values: 'stored', ...rest })
const number = (name: string, type: 'number' | 'duration', column: string, example: string, aliases?: string[]) =>
  key(name, type, { of: 'number', column }, example, aliases ? { aliases } : {})

const booleans = ['true', 'false'] as const

/** Every key of a search over spans, in the order of the box and of docs/traces-search.md. */
export const spanKeys: readonly SearchKey[] = [
  text('span.op', 'op', 'db', { aliases: ['transaction.op', 'op'] }),
  text('span.category', 'category', 'db'),
  text('span.description', 'label', '*orders*', { aliases: ['description', 'message'] }),
  text('span.name', 'name', '"GET /orders/[id]"'),
  number('span.duration', 'duration', 'duration', '>1s', ['transaction.duration', 'duration']),
  number('span.self_time', 'duration', 'selfTime', '>100ms', ['span.exclusive_time']),
  text('span.status', 'status', 'internal_error', { aliases: ['transaction.status'] }),
  key('span.failed', 'boolean', { of: 'flag', column: 'failed' }, 'true', { words: booleans }),
  number('span.status_code', 'number', 'httpStatus', '>=500', ['http.status']),
  text('span.statement', 'statement', '*items*', { aliases: ['normalized_description'] }),
  text('span.kind', 'kind', 'server'),
  text('span.cut_off', 'cut', 'deadline_exceeded'),
  text('transaction', 'transaction', '/checkout', { aliases: ['segment.name', 'sentry.segment.name'] }),
  text('route', 'route', '"/orders/[id]"'),
  key('is_transaction', 'boolean', { of: 'flag', column: 'isSegment' }, 'true', {
    aliases: ['is_segment'],
    words: booleans,
  }),
  key('timestamp', 'date', { of: 'time' }, '-1h', { aliases: ['start_timestamp', 'span.timestamp'] }),
  text('release', 'release', 'shop@1.2.0'),
  text('environment', 'environment', 'production'),
  ...projectKeys(),
  text('platform', 'platform', 'node', { aliases: ['platform.name'] }),
  text('span.origin', 'origin', 'auto.db*', { aliases: ['origin'] }),
  key('trace', 'text', { of: 'id', column: 'trace' }, '771a43a4192642f0b136d5159a501700', { aliases: ['trace_id'] }),
  key('id', 'text', { of: 'id', column: 'span' }, '9a1b2c3d4e5f6071', { aliases: ['span_id', 'span.id'] }),
  key('parent_span', 'text', { of: 'id', column: 'parent' }, '9a1b2c3d4e5f6071', { aliases: ['parent_span_id'] }),
  key('segment.id', 'text', { of: 'id', column: 'segment' }, '9a1b2c3d4e5f6071', {
    aliases: ['transaction.span_id', 'segment_id'],
  }),
  { name: 'has', type: 'has', source: { in: 'presence' }, example: 'has:release' },
]

const byName = keysByName(spanKeys)

/** Measurements in milliseconds, by their SDK names. Any other measurement is a plain number. */
const timed = /^(?:fp|fcp|lcp|fid|inp|ttfb|ttfb\.requesttime|app_start_(?:cold|warm)|time_to_(?:initial|full)_display)$/
const scored: Readonly<Record<string, Vital | 'total'>> = {
  total: 'total',
  lcp: 'lcp',
  fcp: 'fcp',
  cls: 'cls',
  inp: 'inp',
  ttfb: 'ttfb',
}

/** States are a key of issues. The plan refuses it, because no span has an attribute called `is`. */
const state: SearchKey = { name: 'is', type: 'is', source: { in: 'nothing' }, example: 'is:unresolved' }

/**
 * Returns the entry of a key of spans by name or alias; undefined for an attribute. `measurements.*` is a family;
 * `measurements.score.*` are computed from the measurements.
 */
export const spanKeyOf: KeyLookup = (name) => {
  const known = byName.get(name)
  if (known) return known
  if (name === 'is') return state
  const measurement = /^measurements\.([\w.-]{1,100})$/.exec(name)?.[1]
  if (measurement === undefined) return undefined
  const vital = /^score\.(\w+)$/.exec(measurement)?.[1] ?? ''
  const score = Object.hasOwn(scored, vital) ? scored[vital] : undefined
  if (score) return key(name, 'number', { of: 'score', vital: score }, '<0.5')
  return key(name, timed.test(measurement) ? 'duration' : 'number', { of: 'measurement', key: measurement }, '>5')
}
