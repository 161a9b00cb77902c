import type { RestBreadcrumb } from '../../../../contract/events.ts'
import type { RestLogLine, RestTraceMoment } from '../../../../contract/explore/logs.ts'

/** The icon of an entry. */
export type Glyph = 'navigation' | 'request' | 'ui' | 'query' | 'log' | 'device' | 'span' | 'other'

type EntrySeverity = 'fatal' | 'error' | 'warning'

/** One line of the timeline, whatever it was made from. */
export type TimelineEntry = {
  /** Unique in the timeline. */
  id: string
  source: 'breadcrumb' | 'log' | 'span' | 'error'
  /** ms since 1970. Null: not sent, so the entry keeps its place after the one before it. */
  atMs: number | null
  /** What the filter calls it: `http`. */
  kind: string
  /** What the row calls it: `fetch`. */
  label: string
  glyph: Glyph
  severity: EntrySeverity | undefined
  text: string
  /** A short result on the right: the status of a request. */
  value: string
  /** Path of the text in the payload, for notes on trimmed values. */
  path: string
  details: readonly { name: string; text: string; path: string }[]
}

const detailsMax = 30
/** Longer texts are cut in their row, and whole in the open part. */
const textMax = 200

/** A breadcrumb's kind for the filter: its type, or the first part of its category for default types. */
export function kindOf(crumb: Pick<RestBreadcrumb, 'type' | 'category'>): string {
  if (crumb.type && crumb.type !== 'default') return crumb.type
  return crumb.category?.split('.')[0] || 'default'
}

const glyphs: Readonly<Record<string, Glyph>> = {
  navigation: 'navigation',
  http: 'request',
  xhr: 'request',
  fetch: 'request',
  httplib: 'request',
  grpc: 'request',
  request: 'request',
  ui: 'ui',
  user: 'ui',
  touch: 'ui',
  query: 'query',
  db: 'query',
  sql: 'query',
  redis: 'query',
  console: 'log',
  log: 'log',
  logger: 'log',
  debug: 'log',
  device: 'device',
  app: 'device',
  session: 'device',
  system: 'device',
}

/** The icon: of the category's first part if it has an icon, otherwise of the type. */
function glyphOf({ type, category }: RestBreadcrumb): Glyph {
  const first = category?.split('.')[0]?.toLowerCase() ?? ''
  const found = (name: string) => (Object.hasOwn(glyphs, name) ? glyphs[name] : undefined)
  return found(first) ?? found(type.toLowerCase()) ?? 'other'
}

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : (JSON.stringify(value) ?? '')
}

/** The status of a request: 0 for one that got no answer. Undefined if the breadcrumb has none. */
function statusOf(data: RestBreadcrumb['data']): number | undefined {
  for (const name of ['status_code', 'statusCode', 'status']) {
    const value = data?.[name]
    const status = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : value
    if (typeof status === 'number' && Number.isInteger(status) && status >= 0 && status <= 999) return status
  }
  return undefined
}

const levels: Readonly<Record<string, EntrySeverity>> = {
  fatal: 'fatal',
  critical: 'fatal',
  error: 'error',
  warning: 'warning',
}
const ranks: Readonly<Record<EntrySeverity, number>> = { fatal: 3, error: 2, warning: 1 }

function severityOf(crumb: RestBreadcrumb, status: number | undefined): EntrySeverity | undefined {
  const own = Object.hasOwn(levels, crumb.level) ? levels[crumb.level] : undefined
  const failed = status === undefined || (status >= 1 && status < 400) ? undefined : status >= 400 && status < 500
  const byStatus: EntrySeverity | undefined = failed === undefined ? undefined : failed ? 'warning' : 'error'
  if (!own || !byStatus) return own ?? byStatus
  return ranks[own] >= ranks[byStatus] ? own : byStatus
}

function lineOf({ message, data }: RestBreadcrumb, glyph: Glyph): string {
  const [method, url, from, to] = ['method', 'url', 'from', 'to'].map((name) => textOf(data?.[name]))
  if (glyph === 'navigation' && (from || to)) return [from, to].filter(Boolean).join(' → ')
  if (glyph === 'request' && url) return [method, url].filter(Boolean).join(' ')
  if (message) return message
  return Object.entries(data ?? {})
    .map(([name, value]) => `${name}=${textOf(value)}`)
    .join(' ')
}

/** The entries of an event's breadcrumbs, in their order. */
export function crumbEntries(crumbs: readonly RestBreadcrumb[]): TimelineEntry[] {
  return crumbs.map((crumb, index) => {
    const glyph = glyphOf(crumb)
    const status = glyph === 'request' ? statusOf(crumb.data) : undefined
    const path = `breadcrumbs.values.${index}`
    const text = lineOf(crumb, glyph)
    const atMs = Date.parse(crumb.timestamp ?? '')
    const message = crumb.message && crumb.message !== text ? [['message', crumb.message, `${path}.message`]] : []
    const data = Object.entries(crumb.data ?? {}).map(([name, value]) => [name, textOf(value), `${path}.data.${name}`])
    return {
      id: `crumb-${index}`,
      source: 'breadcrumb',
      atMs: Number.isFinite(atMs) ? atMs : null,
      kind: kindOf(crumb),
      label: crumb.category ?? kindOf(crumb),
      glyph,
      severity: severityOf(crumb, status),
      text,
      value: status === undefined ? '' : String(status),
      path: `${path}.message`,
      details: [...message, ...data]
        .slice(0, detailsMax)
        .map(([name = '', detail = '', detailPath = '']) => ({ name, text: detail, path: detailPath })),
    }
  })
}

const detailOf = (name: string, text: string) => ({ name, text, path: `trace.${name}` })

/** The entries of the log lines of the event's trace, in their order. */
export const logEntries = (lines: readonly RestLogLine[]): TimelineEntry[] =>
  lines.map(({ id, timestamp, level, message, template }) => ({
    id: `log-${id}`,
    source: 'log',
    atMs: Date.parse(timestamp),
    kind: 'log',
    label: 'log',
    glyph: 'log',
    severity: Object.hasOwn(levels, level) ? levels[level] : undefined,
    text: message.split('\n', 1)[0] ?? '',
    value: level,
    path: '',
    details: [
      ...(message.includes('\n') || message.length > textMax ? [detailOf('message', message)] : []),
      ...(template ? [detailOf('template', template)] : []),
    ],
  }))

/** The entries of the spans of the event's trace, at their start. `length` formats a duration in ms. */
export const spanEntries = (spans: RestTraceMoment['spans'], length: (ms: number) => string): TimelineEntry[] =>
  spans.map(({ id, op, name, start, duration, failed }) => ({
    id: `span-${id}`,
    source: 'span',
    atMs: Date.parse(start),
    kind: 'span',
    label: op || 'span',
    glyph: 'span',
    severity: failed ? 'error' : undefined,
    text: name,
    value: length(duration),
    path: '',
    details: [],
  }))

/** The entry of the event itself. */
export function errorEntry(event: { title: string; dateCreated: string }, level: EntrySeverity): TimelineEntry {
  return {
    id: 'error',
    source: 'error',
    atMs: Date.parse(event.dateCreated),
    kind: 'error',
    label: 'error',
    glyph: 'other',
    severity: level,
    text: event.title,
    value: '',
    path: '',
    details: [],
  }
}

/** Merges the entries of several sources by time. Entries without a time stay after the entry before them. */
export function mergedByTime(sources: readonly (readonly TimelineEntry[])[]): TimelineEntry[] {
  const timed = sources.flatMap((entries) => {
    let last = Number.NEGATIVE_INFINITY
    return entries.map((entry) => {
      last = entry.atMs ?? last
      return { entry, atMs: last }
    })
  })
  // sort is stable: entries of one time keep the order of their sources.
  return timed.sort((a, b) => (a.atMs === b.atMs ? 0 : a.atMs - b.atMs)).map(({ entry }) => entry)
}

/** Splits a merged timeline at its error: entries up to it, and those after it. */
export function splitAtError(entries: readonly TimelineEntry[]): { before: TimelineEntry[]; after: TimelineEntry[] } {
  const at = entries.findIndex((entry) => entry.source === 'error')
  return at < 0
    ? { before: [...entries], after: [] }
    : { before: entries.slice(0, at + 1), after: entries.slice(at + 1) }
}

/** Kinds with their counts, most frequent first. The error is always shown and has no kind to choose. */
export function kindsOf(entries: readonly TimelineEntry[]): { kind: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { kind, source } of entries) if (source !== 'error') counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts]
    .map(([kind, count]) => ({ kind, count }))
    .sort((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1))
}

/** The entries of a kind ('' for all) that contain `text` (case-insensitive), and always the error. */
export function matching(entries: readonly TimelineEntry[], kind: string, text: string): TimelineEntry[] {
  const needle = text.trim().toLowerCase()
  return entries.filter((entry) => {
    if (entry.source === 'error') return true
    if (kind && entry.kind !== kind) return false
    if (!needle) return true
    const details = entry.details.map((detail) => `${detail.name} ${detail.text}`).join(' ')
    return `${entry.label} ${entry.text} ${entry.value} ${details}`.toLowerCase().includes(needle)
  })
}

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

/**
 * Time between an entry and the error, ms: `-0.24 s`, from one minute on two units (`-4 min 10 s`), with `+` after it.
 * `seconds` formats seconds with two digits after the point.
 */
export function offsetText(ms: number, seconds: (value: number) => string): string {
  const size = Math.abs(ms) / 1000
  // Anything that would round to 60.00 s is a minute.
  if (size < 59.995) return `${ms > 0 ? '+' : '-'}${seconds(size)} s`
  const whole = Math.round(size)
  const first = units.findIndex(([, length]) => whole >= length)
  const [unit, length] = units[first] ?? units[3]
  const [lower, lowerLength] = units[first + 1] ?? units[3]
  const rest = Math.floor((whole % length) / lowerLength)
  return `${ms > 0 ? '+' : '-'}${Math.floor(whole / length)} ${unit}${rest > 0 ? ` ${rest} ${lower}` : ''}`
}
