import type { Measured } from './ast.ts'

/** How the value of a key is read. Keys that are not here are tags, whose values are text. */
export type FieldType = 'text' | 'number' | 'date' | 'boolean' | 'duration' | 'is' | 'has'

/** Name after spelling variants are folded, and the type. `shown` ones are offered while typing. */
export type Field = {
  name: string
  type: FieldType
  shown: boolean
  sentence: string
  /** A number of spans and transactions, which error events do not have. */
  measured?: true
}

const field = (name: string, type: FieldType, sentence: string, shown = true): Field => ({
  name,
  type,
  shown,
  sentence,
})

/** Every key with a meaning of its own; docs/search.md is made from it. */
export const fields: readonly Field[] = [
  field(
    'is',
    'is',
    'State of the issue: unresolved, resolved, archived, ignored, assigned, unassigned, new, ongoing, escalating, regressed, for_review; or noise: nobody of the team can mend it.',
  ),
  field('has', 'has', 'The event has this tag or field.'),
  field('assigned', 'text', 'Who it is assigned to: me, none, any, or an e-mail address.'),
  field(
    'assigned_or_suggested',
    'text',
    'Who it is assigned to; where nobody is, whom the ownership rules suggest: me, none, any, or an e-mail address.',
  ),
  field('bookmarks', 'text', 'Who has bookmarked the issue: me, or an e-mail address.'),
  field('subscribed', 'text', 'Who follows the issue: me, or an e-mail address.'),
  field('issue', 'text', 'Short id of an issue, such as WEB-42.'),
  field('issue.id', 'number', 'Id of an issue.'),
  field('issue.category', 'text', 'Category of the issue: error, or feedback for those that have some.', false),
  field('issue.type', 'text', 'Type of the issue: error.', false),
  field('issue.priority', 'text', 'Priority, as the issue shows it: high, medium, low.'),
  field('detector', 'text', 'Detector of the issue.', false),
  field('firstSeen', 'date', 'When it was first seen: -24h (younger), +7d (older), >2026-01-31.'),
  field('lastSeen', 'date', 'When it was last seen.'),
  field('age', 'date', 'The same as firstSeen.'),
  field('timestamp', 'date', 'When the event happened.'),
  field('timesSeen', 'number', 'Events over the issue’s life: >10.'),
  field('level', 'text', 'fatal, error, warning, info, debug.'),
  field('title', 'text', 'Title of the issue.'),
  field('culprit', 'text', 'Where it happened: function or transaction.'),
  field('message', 'text', 'Whole words of the event’s message; with a star in front and behind also a part of one.'),
  field('platform', 'text', 'Platform of the SDK, such as javascript.'),
  field('logger', 'text', 'Name of the logger.'),
  field('error.type', 'text', 'Type of the exception.'),
  field('error.value', 'text', 'Message of the exception.'),
  field('error.handled', 'boolean', 'Whether the application caught it.'),
  field('error.unhandled', 'boolean', 'Whether nobody caught it.'),
  field('error.main_thread', 'boolean', 'Whether it happened on the main thread, where the SDK says so.'),
  field('symbolicated_in_app', 'boolean', 'Whether all own frames of JavaScript are mapped.'),
  field('stack.function', 'text', 'Function of a frame.'),
  field('stack.filename', 'text', 'File of a frame, as its stack shows it.'),
  field('stack.abs_path', 'text', 'Path or address of a frame’s file, whole.'),
  field('stack.module', 'text', 'Module of a frame.'),
  field('stack.package', 'text', 'Package of a frame, such as a library.'),
  field('stack.in_app', 'boolean', 'Whether a frame is the application’s own.'),
  field('stack.lineno', 'number', 'Line of a frame.', false),
  field('stack.colno', 'number', 'Column of a frame.', false),
  field('firstRelease', 'text', 'Release in which it was first seen; latest: the latest one of each project.'),
  field('lastRelease', 'text', 'Release in which it was last seen; latest.'),
  field('release', 'text', 'Release of the event; latest.'),
  field('dist', 'text', 'Distribution of the release.'),
  field('environment', 'text', 'Environment of the event.'),
  field('transaction', 'text', 'Route or transaction of the event.'),
  field('event.type', 'text', 'Type of the event: error, default, csp.'),
  field('trace', 'text', 'Trace id of the event.'),
  field('digest', 'text', 'Number that a React framework showed instead of the error.'),
  field('id', 'text', 'Event id.'),
  field('url', 'text', 'Address of the request or page.'),
  field('user', 'text', 'Who was hit, with the kind in front, in quotes: "id:42", "email:ada@example.com" and so on.'),
  field('user.id', 'text', 'Id of the user.'),
  field('user.email', 'text', 'E-mail address of the user.'),
  field('user.username', 'text', 'Name of the user.'),
  field('user.ip', 'text', 'Address of the user.'),
  field('release.package', 'text', 'Package of the release: web of web@1.2.3+7.'),
  field(
    'release.version',
    'text',
    'Version of the release, compared by its numbers: >=1.2.0, or 1.2.* for all of them.',
  ),
  field('release.build', 'text', 'Build of the release: 7 of web@1.2.3+7.'),
  field('release.stage', 'text', 'Stage of the release.', false),
  field('error.mechanism', 'text', 'How the SDK caught it, such as onerror.'),
  field('browser.version', 'text', 'Version of the browser.'),
  field('os.version', 'text', 'Version of the operating system.'),
  field('project', 'text', 'Slug of a project.'),
  field('project.id', 'number', 'Id of a project.', false),
  field('transaction.duration', 'duration', 'Duration of a transaction.', false),
]

/** Other spellings that are in use. */
const spellings: Record<string, string> = {
  first_seen: 'firstSeen',
  'first-seen': 'firstSeen',
  last_seen: 'lastSeen',
  'last-seen': 'lastSeen',
  'first_seen()': 'firstSeen',
  'last_seen()': 'lastSeen',
  times_seen: 'timesSeen',
  'count()': 'timesSeen',
  first_release: 'firstRelease',
  'first-release': 'firstRelease',
  last_release: 'lastRelease',
  'platform.name': 'platform',
  assignee: 'assigned',
  'event.timestamp': 'timestamp',
  'timestamp.to_hour': 'timestamp',
  'timestamp.to_day': 'timestamp',
  project_id: 'project.id',
  'project.name': 'project',
  trace_id: 'trace',
  'trace.trace_id': 'trace',
  event_id: 'id',
  'event.id': 'id',
  location: 'culprit',
  'http.url': 'url',
  'user.ip_address': 'user.ip',
  short_id: 'issue',
  shortId: 'issue',
  'group.id': 'issue.id',
}

/** Measurements in milliseconds, by the names that SDKs give them; any other is a plain number. */
const timed =
  /^(?:fp|fcp|lcp|fid|inp|ttfb|ttfb\.requesttime|app_start_(?:cold|warm)|time_to_(?:initial|full)_display|stall_(?:longest|total)_time)$/

/** The field of a key, or undefined for a tag. Prefixed families (measurements, spans) exist for other kinds of data. */
export function fieldOf(key: string): Field | undefined {
  const name = Object.hasOwn(spellings, key) ? spellings[key] : key
  const known = fields.find((item) => item.name === name)
  if (known) return known
  const found = /^(measurements|spans?)\.(.+)$/.exec(key)
  if (!found) return undefined
  const [, family, own = ''] = found
  const base = { name: key, shown: false, sentence: '', measured: true } as const
  if (family === 'measurements') return { ...base, type: timed.test(own) ? 'duration' : 'number' }
  return family === 'spans' || /^(?:duration|self_time)$/.test(own) ? { ...base, type: 'duration' } : undefined
}

/** Fields that the language has and errors do not, as nothing that is stored says them. */
const unmet: ReadonlySet<string> = new Set([
  'detector',
  'stack.lineno',
  'stack.colno',
  'release.stage',
  'transaction.duration',
])

/** Whether a condition on the key is read and met by no error. */
export function isUnmet(key: string): boolean {
  const found = fieldOf(key)
  return found !== undefined && (found.measured === true || unmet.has(found.name))
}

/** Aggregates that are counts or scores, shares, and those that are what their argument is. */
const counted =
  /^(?:count|count_unique|count_if|count_miserable|count_web_vitals|failure_count|epm|eps|tpm|tps|apdex|user_misery|performance_score|opportunity_score)$/
const shares = /^(?:failure_rate|percentage|crash_rate|crash_free_rate)$/
const ofArgument = /^(?:avg|p50|p75|p90|p95|p99|p100|percentile|min|max|sum|any)$/

/** What an aggregate such as `p95(transaction.duration)` counts in; undefined for one that is not known. */
export function aggregateOf(key: string): Measured | undefined {
  const found = /^([A-Za-z_]\w*)\(([^,()]*)/.exec(key)
  const [, name = '', argument = ''] = found ?? []
  if (counted.test(name)) return 'number'
  if (shares.test(name)) return 'percent'
  if (!ofArgument.test(name)) return undefined
  if (argument === '') return 'duration'
  const type = fieldOf(argument)?.type
  return type === 'duration' || type === 'number' ? type : undefined
}

/** What `is:` takes. */
export const states = [
  'unresolved',
  'resolved',
  'archived',
  'ignored',
  'assigned',
  'unassigned',
  'new',
  'ongoing',
  'escalating',
  'regressed',
  'for_review',
  'noise',
  'linked',
  'unlinked',
  'archived_until_escalating',
  'archived_until_condition_met',
  'archived_forever',
] as const
