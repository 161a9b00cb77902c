import type { SpanCategory } from '../../../store/events/span-store.ts'
import { type Loose, own, scalar } from '../../pipeline/value.ts'
import { assetPath, parameterizedPath, placeholderOf } from './path.ts'
import { parameterizedSql } from './sql.ts'

/** A span with what its statement is made from: scrubbed texts and attributes. */
type StatementSource = {
  category: SpanCategory
  op: string
  isSegment: boolean
  kind: string
  /** Its name, or its description. */
  text: string
  attributes: Loose
}

const statementMax = 500
const textOf = (attributes: Loose, key: string): string => scalar(own(attributes, key))?.trim() ?? ''

const keyValueStores = /redis|valkey|keydb|memcache/

/** Keys of caches: parts between separators that vary become placeholders. */
const parameterizedKey = (key: string): string =>
  key
    .slice(0, 200)
    .split(/([:/.|]+)/)
    .map((part, at) => (at % 2 === 1 ? part : placeholderOf(part)))
    .join('')

/** `GET user:7 x` becomes `GET user:[id] ?`. */
function parameterizedCommand(text: string): string {
  const words = text.split(/\s+/, 3)
  const [command = '', key] = words
  if (key === undefined) return command.slice(0, 60).toUpperCase()
  return `${command.slice(0, 60).toUpperCase()} ${key === '?' ? key : parameterizedKey(key)}${words.length > 2 ? ' ?' : ''}`
}

/** Commands of MongoDB whose value is the collection. */
const onCollection = /^(?:find|insert|update|delete|aggregate|count|distinct|findandmodify|mapreduce|drop|create)$/i
const jsonToken = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/gs

/** A command in JSON without its values. The collection stays: `{"find":"users","filter":{"age":?}}`. */
function parameterizedJson(text: string): string {
  const tokens = text.match(jsonToken) ?? []
  const out: string[] = []
  for (const [at, token] of tokens.entries()) {
    if (/^[{}[\],:]$/.test(token) || tokens[at + 1] === ':') out.push(token)
    else if (out.length === 3 && onCollection.test(out[1]?.replaceAll('"', '') ?? '')) out.push(token)
    else if (out.at(-1) === ',' && out.at(-2) === '?') out.pop()
    else out.push('?')
  }
  return out.join('')
}

function queryOf({ op, text, attributes }: StatementSource): string {
  const system = `${textOf(attributes, 'db.system.name')} ${op}`.toLowerCase()
  const sent = textOf(attributes, 'db.query.text') || text
  if (keyValueStores.test(system)) return parameterizedCommand(sent)
  if (/^\s*[{[]/.test(sent)) return parameterizedJson(sent)
  return parameterizedSql(sent, system)
}

function cacheOf(source: StatementSource): string {
  const keys = own(source.attributes, 'cache.key')
  const key = scalar(Array.isArray(keys) ? keys[0] : keys)?.trim()
  if (!key) return parameterizedCommand(textOf(source.attributes, 'db.query.text') || source.text)
  const verb = /^cache\.(\w{1,20})/.exec(source.op)?.[1]
  return `${verb ? `${verb} ` : ''}${parameterizedKey(key)}`
}

const addressForm = /^(?:([A-Z]{3,10})\s+)?(?:([a-z][a-z0-9+.-]{0,20}):\/\/(?:[^/?#\s@]*@)?([^/?#\s]*))?(\/[^?#\s]*)?/i

/** Method, host and parameterized path of a request to another service. */
function requestOf({ text, attributes }: StatementSource): string {
  const service = textOf(attributes, 'rpc.service')
  if (service) return `${service}/${textOf(attributes, 'rpc.method')}`
  const address = textOf(attributes, 'url.full')
  const found = addressForm.exec(address || text)
  const sent = textOf(attributes, 'http.request.method') || found?.[1] || addressForm.exec(text)?.[1] || 'GET'
  const method = /^[a-z]{3,10}$/i.test(sent) ? sent.toUpperCase() : 'GET'
  const host = found?.[3] ?? ''
  const path = textOf(attributes, 'url.template') || (found?.[4] ? parameterizedPath(found[4]) : '')
  if (host || path) return `${method} ${host}${path.startsWith('/') || path === '' ? '' : '/'}${path}`
  return text
}

/** Host and path of an asset. The contents of data addresses are left out, and the ids of browser extensions. */
function assetOf({ text, attributes }: StatementSource): string {
  const address = textOf(attributes, 'url.full') || text
  const scheme = /^(data|blob):/i.exec(address)?.[1]
  if (scheme) return `${scheme.toLowerCase()}:`
  if (/^(?:chrome|moz|safari|safari-web|ms-browser)-extension:/.test(address)) return 'browser extension'
  const found = addressForm.exec(address)
  return found?.[3] || found?.[4] ? `${found[3] ?? ''}${assetPath(found[4] ?? '/')}` : address
}

/**
 * What a span runs, without its values: a statement, the address of a request, an asset, a cache key or a queue. Spans
 * with the same statement do the same work. '' for spans that have none, such as requests that a server answers.
 */
export function statementOf(source: StatementSource): string {
  const { category, attributes, isSegment, kind } = source
  let found = ''
  if (category === 'db') found = queryOf(source)
  else if (category === 'cache') found = cacheOf(source)
  else if (category === 'resource') found = assetOf(source)
  else if (category === 'http')
    found = isSegment || kind === 'server' || source.op === 'http.server' ? '' : requestOf(source)
  else if (category === 'queue') found = textOf(attributes, 'messaging.destination.name') || source.text
  return found.length > statementMax ? `${found.slice(0, statementMax - 3).toWellFormed()}...` : found
}
