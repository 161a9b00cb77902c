import type { Value } from '../../store/events/question.ts'
import { keysByName } from '../search/by-name.ts'
import type { KeyType, SearchKey } from '../search/key.ts'
import { projectKeys } from '../search/keys.ts'
import type { KeyLookup } from '../search/lookup.ts'

// The table of keys of searches over log lines. Every other name is an attribute, or a path into the JSON of the line.

type Rest = Pick<SearchKey, 'aliases' | 'words' | 'values' | 'latest'>

const key = (name: string, type: KeyType, value: Value, example: string, rest: Rest = {}): SearchKey => ({
  name,
  type,
  source: { in: 'row', value },
  example: `${name}:${example}`,
  ...rest,
})
const text = (name: string, column: string, example: string, rest: Rest = {}): SearchKey =>
  key(name, 'text', { of: 'text', column }, example, { values: 'stored', ...rest })

const booleans = ['true', 'false'] as const
/** Levels of a line, from the least severe. */
const logLevels = ['trace', 'debug', 'info', 'warning', 'error', 'fatal'] as const

/** Every key of a search over log lines, in the order of the box. */
export const logKeys: readonly SearchKey[] = [
  text('message', 'body', '*refused*', { aliases: ['body', 'log.body'] }),
  key('severity', 'version', { of: 'text', column: 'level' }, '>=warning', {
    aliases: ['level', 'log.severity', 'severity_text'],
    words: logLevels,
  }),
  key('severity_number', 'number', { of: 'number', column: 'severity' }, '>=17', { aliases: ['log.severity_number'] }),
  key('timestamp', 'date', { of: 'time' }, '-1h', { aliases: ['time'] }),
  key('timestamp_precise', 'number', { of: 'number', column: 'nanoseconds' }, '>1795000000000000000'),
  text('service', 'service', 'shop', { aliases: ['service.name'] }),
  text('host', 'host', 'db-1', { aliases: ['server.address', 'host.name'] }),
  text('logger', 'logger', 'shop.cart', { aliases: ['logger.name', 'code.namespace'] }),
  text('template', 'template', '"payment of order %s refused"', {
    aliases: ['message.template', 'sentry.message.template'],
  }),
  key('pattern', 'text', { of: 'id', column: 'pattern' }, '9a1b2c3d4e5f6071'),
  text('release', 'release', 'shop@1.2.0', { aliases: ['sentry.release'] }),
  text('environment', 'environment', 'production', { aliases: ['sentry.environment'] }),
  ...projectKeys(),
  text('platform', 'platform', 'node'),
  text('origin', 'origin', 'auto.log*', { aliases: ['sentry.origin'] }),
  key('trace', 'text', { of: 'id', column: 'trace' }, '771a43a4192642f0b136d5159a501700', { aliases: ['trace_id'] }),
  key('span_id', 'text', { of: 'id', column: 'span' }, '9a1b2c3d4e5f6071', { aliases: ['span'] }),
  key('sentry.item_id', 'text', { of: 'text', column: 'item' }, '000000000000000100000000000000a1', {
    aliases: ['id'],
  }),
  key('user', 'text', { of: 'id', column: 'user' }, '9a1b2c3d4e5f6071'),
  key('truncated', 'boolean', { of: 'flag', column: 'truncated' }, 'true', { words: booleans }),
  key('repaired', 'boolean', { of: 'flag', column: 'repaired' }, 'true', { words: booleans }),
  { name: 'has', type: 'has', source: { in: 'presence' }, example: 'has:user.id' },
]

const byName = keysByName(logKeys)
/** States are a key of issues. A search over lines refuses it. */
const state: SearchKey = { name: 'is', type: 'is', source: { in: 'nothing' }, example: 'is:unresolved' }

/** Returns the entry of a key of log lines by name or alias; undefined for an attribute or a path. */
export const logKeyOf: KeyLookup = (name) => byName.get(name) ?? (name === 'is' ? state : undefined)
