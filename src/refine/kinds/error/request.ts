import type { NormalRequest } from '../../../domain/event.ts'
import type { Json } from '../../../wire/json.ts'
import {
  addMeta,
  bounded,
  boundedObject,
  clip,
  type MetaNotes,
  object,
  own,
  scalar,
  text,
} from '../../pipeline/value.ts'

const pairsMax = 200

/** Reads a request: query, headers and cookies as text, object or pairs. Splits query and fragment off the URL. */
export function readRequest(to: MetaNotes, value: unknown): NormalRequest | undefined {
  const loose = object(value) ?? (typeof value === 'string' && value ? { url: value } : undefined)
  if (!loose || !Object.keys(loose).length) return undefined
  to.path.push('request')
  const out: NormalRequest = {}
  const url = splitUrl(scalar(own(loose, 'url')) ?? '')
  if (url.base) out.url = clip(to, 'url', url.base, 256, 40)
  const method = text(to, 'method', own(loose, 'method'), 32)
  if (method) out.method = method.toUpperCase()
  const query = readPairs(to, 'query_string', own(loose, 'query_string') ?? url.query, '&', 1024)
  if (query.length) out.query_string = query
  const fragment = text(to, 'fragment', own(loose, 'fragment') ?? url.fragment, 1024)
  if (fragment) out.fragment = fragment
  readHeaders(to, own(loose, 'headers'), own(loose, 'cookies'), out)
  readBody(to, own(loose, 'data') ?? own(loose, 'body'), scalar(own(loose, 'inferred_content_type')), out)
  const env = boundedObject(to, 'env', own(loose, 'env'), { depth: 5, bytes: 8192 })
  if (env && Object.keys(env).length) out.env = env
  to.path.pop()
  return Object.keys(out).length ? out : undefined
}

function splitUrl(url: string): { base: string; query: string | undefined; fragment: string | undefined } {
  const hash = url.indexOf('#')
  const fragment = hash < 0 ? undefined : url.slice(hash + 1)
  const rest = hash < 0 ? url : url.slice(0, hash)
  const queryStart = rest.indexOf('?')
  return {
    base: queryStart < 0 ? rest : rest.slice(0, queryStart),
    query: queryStart < 0 ? undefined : rest.slice(queryStart + 1),
    fragment,
  }
}

function readHeaders(to: MetaNotes, value: unknown, sentCookies: unknown, out: NormalRequest): void {
  const headers = readPairs(to, 'headers', value, '\n', 8192)
  const cookieHeaders = headers.filter(([name]) => name.toLowerCase() === 'cookie')
  const accepted = headers
    .filter(([name]) => name.toLowerCase() !== 'cookie')
    .map(([name, text]): [string, string] => [headerName(name), text])
  if (accepted.length) out.headers = accepted
  const cookies = readPairs(to, 'cookies', sentCookies ?? cookieHeaders.map(([, text]) => text).join('; '), ';', 1024)
  if (cookies.length) out.cookies = cookies
}

/** Capitalizes a header name: `user-agent` becomes `User-Agent`. */
function headerName(name: string): string {
  if (!/(?:^|-)[a-z]/.test(name)) return name
  return name.replace(/(^|-)([a-z])/g, (_, dash: string, sign: string) => dash + sign.toUpperCase())
}

/** Reads pairs from a separated text, an object (values can be lists) or a list of pairs. Cut at `bytesMax`. */
function readPairs(
  to: MetaNotes,
  leaf: string,
  value: unknown,
  separator: string,
  bytesMax: number,
): [string, string][] {
  const out: [string, string][] = []
  let bytes = 0
  let total = 0
  const add = (name: unknown, content: unknown) => {
    total += 1
    const key = scalar(name)
    const text =
      typeof content === 'string'
        ? content
        : (scalar(content) ??
          (content === null || content === undefined
            ? ''
            : JSON.stringify(bounded(to, leaf, content, { depth: 3, bytes: 512 }))))
    if (key === undefined || out.length >= pairsMax || bytes >= bytesMax) return
    const budget = bytesMax - bytes
    bytes += key.length + text.length
    out.push([key.slice(0, 256).toWellFormed(), text.slice(0, budget).toWellFormed()])
    if (text.length > budget) total += 1
  }
  if (typeof value === 'string') splitText(value.slice(0, bytesMax * 8), separator, add)
  else if (Array.isArray(value))
    for (const entry of value.slice(0, 2000)) Array.isArray(entry) ? add(entry[0], entry[1]) : addObject(entry, add)
  else addObject(value, add)
  if (total > out.length) addMeta(to, leaf, { len: total, rem: [['!limit', 'x']] })
  return out
}

function addObject(value: unknown, add: (name: unknown, content: unknown) => void): void {
  const loose = object(value)
  if (!loose) return
  for (const key of Object.keys(loose).slice(0, 2000)) {
    const content = loose[key]
    if (Array.isArray(content)) for (const entry of content.slice(0, 50)) add(key, entry)
    else add(key, content)
  }
}

function splitText(value: string, separator: string, add: (name: string, content: string) => void): void {
  const source = separator === '&' && value.startsWith('?') ? value.slice(1) : value
  const decode = separator === '&' ? decoded : (text: string) => text.trim()
  for (const part of source.split(separator)) {
    if (!part.trim()) continue
    const sign = part.indexOf(separator === '\n' ? ':' : '=')
    if (sign < 0) add(decode(part), '')
    else add(decode(part.slice(0, sign)), decode(part.slice(sign + 1)))
  }
}

/** Decodes percent and plus. An invalid text stays unchanged. */
function decoded(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}

/** Reads the body. JSON and form texts are parsed, so that fields can be shown and scrubbed by name. */
function readBody(to: MetaNotes, value: unknown, sentType: string | undefined, out: NormalRequest): void {
  if (value === undefined || value === null || value === '') return
  const type = (sentType ?? out.headers?.find(([name]) => name === 'Content-Type')?.[1])
    ?.split(';')[0]
    ?.trim()
    .slice(0, 128)
  let inferred = type
  let content: unknown = value
  if (typeof value === 'string' && value.length <= 65_536) {
    if (/^\s{0,9}[[{]/.test(value)) {
      const parsed = json(value)
      if (parsed !== undefined) [content, inferred] = [parsed, type ?? 'application/json']
    } else if (
      type === 'application/x-www-form-urlencoded' ||
      (!type && /^[\w.[\]-]{1,64}=[^\s<>]{0,4096}$/.test(value))
    ) {
      const pairs = readPairs(to, 'data', value, '&', 8192)
      ;[content, inferred] = [asObject(pairs), type ?? 'application/x-www-form-urlencoded']
    }
  }
  const limited: Json = bounded(to, 'data', content, { depth: 7, bytes: 8192 })
  if (typeof limited === 'object' && limited !== null && !Object.keys(limited).length) return
  out.data = limited
  if (inferred) out.inferred_content_type = inferred
}

/** Pairs as an object. Keys such as __proto__ are safe; repeated names become a list. */
function asObject(pairs: [string, string][]): { [key: string]: Json } {
  const out = new Map<string, string | string[]>()
  for (const [name, text] of pairs) {
    const old = out.get(name)
    out.set(name, old === undefined ? text : [...(Array.isArray(old) ? old : [old]), text])
  }
  return Object.fromEntries(out)
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
