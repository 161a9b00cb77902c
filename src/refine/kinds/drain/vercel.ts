import { normalizeId, normalizeSpanId } from '../../../wire/ids.ts'
import { type Loose, object, own, scalar } from '../../pipeline/value.ts'
import { type DrainLine, logColumnNames, type SentLine } from '../log/line.ts'
import { severityOf, unknownSeverity } from '../log/severity.ts'
import { type ByteBudget, boundedAttributes, momentUs, type Repairs } from '../span/parts.ts'

/** Fields of a line with a place of their own. */
const ownFields: ReadonlySet<string> = new Set([
  'message',
  'timestamp',
  'level',
  'environment',
  'trace.id',
  'traceId',
  'span.id',
  'spanId',
  'proxy',
])

/** Fields that have a name in the semantic conventions. All others become `vercel.<field>`. */
const named: ReadonlyMap<string, string> = new Map([
  ['host', 'server.address'],
  ['projectName', 'service.name'],
  ['statusCode', 'http.response.status_code'],
  ['path', 'url.path'],
])
const proxyNamed: ReadonlyMap<string, string> = new Map([
  ['method', 'http.request.method'],
  ['host', 'server.address'],
  ['path', 'url.path'],
  ['statusCode', 'http.response.status_code'],
  ['clientIp', 'client.address'],
  ['userAgent', 'user_agent.original'],
])

/** `deploymentId` becomes `deployment_id`, as names of attributes are written. */
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function addFields(to: Loose, from: Loose, names: ReadonlyMap<string, string>, prefix: string): void {
  for (const key in from) {
    const value = own(from, key)
    if (value === undefined || value === null || value === '' || (prefix === 'vercel.' && ownFields.has(key))) continue
    const name = names.get(key) ?? `${prefix}${snake(key.slice(0, 100))}`
    // A list of one text, such as the user agent, is that text.
    to[name] ??= Array.isArray(value) && value.length === 1 ? value[0] : value
  }
}

const statusOf = (attributes: Loose): number => Number(own(attributes, 'http.response.status_code') ?? 0)

/** A request without a message of its own: `GET /cart 200`. */
const requestText = (attributes: Loose): string =>
  ['http.request.method', 'url.path', 'http.response.status_code']
    .flatMap((name) => scalar(own(attributes, name)) ?? [])
    .join(' ')

/** One entry of Vercel's log drain as a line; undefined if it is no object. */
export function vercelLine(sent: unknown, budget: ByteBudget): DrainLine | undefined {
  const entry = object(sent)
  if (!entry) return undefined
  const repairs: Repairs = { count: 0 }
  const all: Loose = {}
  const proxy = object(own(entry, 'proxy'))
  if (proxy) addFields(all, proxy, proxyNamed, 'vercel.proxy.')
  addFields(all, entry, named, 'vercel.')
  const status = statusOf(all)
  const fallback = own(entry, 'type') === 'stderr' || status >= 500 ? 'error' : 'info'
  const level = own(entry, 'level')
  const severity = severityOf(undefined, level ?? fallback, 'text')
  if (!severity) repairs.count++
  const message = own(entry, 'message')
  const line: SentLine = {
    timeUs: momentUs(own(entry, 'timestamp') ?? (proxy && own(proxy, 'timestamp')), 0),
    traceId: normalizeId(own(entry, 'trace.id') ?? own(entry, 'traceId')) ?? '',
    spanId: normalizeSpanId(own(entry, 'span.id') ?? own(entry, 'spanId')) ?? '',
    severity: severity ?? unknownSeverity,
    body: message === undefined || message === null || message === '' ? requestText(all) : message,
    template: '',
    weight: 1,
    release: undefined,
    environment: own(entry, 'environment'),
    platform: 'other',
    origin: 'vercel',
    logger: scalar(own(entry, 'source'))?.slice(0, 64) ?? '',
    attributes: boundedAttributes(all, budget, repairs, logColumnNames),
    repaired: repairs.count,
  }
  return { line, sent: all }
}
