import type { Value } from '../../store/events/question.ts'
import { keysByName } from '../search/by-name.ts'
import type { KeyType, SearchKey } from '../search/key.ts'
import { projectKeys } from '../search/keys.ts'
import type { KeyLookup } from '../search/lookup.ts'

// The table of keys of searches over points of metrics. Every other name is an attribute.

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

/** Every key of a search over metrics, in the order of the box. */
export const metricKeys: readonly SearchKey[] = [
  text('metric.name', 'name', 'cart.size', { aliases: ['metric', 'name'] }),
  text('metric.type', 'type', 'distribution', { words: ['counter', 'gauge', 'distribution'] }),
  text('metric.unit', 'unit', 'millisecond', { aliases: ['unit'] }),
  key('value', 'number', { of: 'number', column: 'value' }, '>5', { aliases: ['metric.value'] }),
  key('timestamp', 'date', { of: 'time' }, '-1h', { aliases: ['time'] }),
  text('service', 'service', 'shop', { aliases: ['service.name'] }),
  text('release', 'release', 'shop@1.2.0', { aliases: ['sentry.release'] }),
  text('environment', 'environment', 'production', { aliases: ['sentry.environment'] }),
  ...projectKeys(),
  key('trace', 'text', { of: 'id', column: 'trace' }, '771a43a4192642f0b136d5159a501700', { aliases: ['trace_id'] }),
  key('span_id', 'text', { of: 'id', column: 'span' }, '9a1b2c3d4e5f6071', { aliases: ['span'] }),
  key('folded', 'boolean', { of: 'flag', column: 'folded' }, 'true', { words: ['true', 'false'] }),
  { name: 'has', type: 'has', source: { in: 'presence' }, example: 'has:plan' },
]

const byName = keysByName(metricKeys)
/** States are a key of issues. A search over metrics refuses it. */
const state: SearchKey = { name: 'is', type: 'is', source: { in: 'nothing' }, example: 'is:unresolved' }

/** Returns the entry of a key of metrics by name or alias; undefined for an attribute. */
export const metricKeyOf: KeyLookup = (name) => byName.get(name) ?? (name === 'is' ? state : undefined)
