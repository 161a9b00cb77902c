/** How the value of a key is read. Keys that are not here are tags, whose values are text. */
export type FieldType = 'text' | 'number' | 'date' | 'boolean' | 'duration' | 'is' | 'has'

/** Name after spelling variants are folded, and the type. `shown` ones are offered while typing. */
export type Field = { name: string; type: FieldType; shown: boolean; sentence: string }

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
    'State of the issue: unresolved, resolved, archived, ignored, assigned, unassigned, new, ongoing, escalating, regressed, for_review.',
  ),
  field('has', 'has', 'The event has this tag or field.'),
  field('assigned', 'text', 'Who it is assigned to: me, none, any, or an e-mail address.'),
  field('issue', 'text', 'Short id of an issue, such as WEB-42.'),
  field('issue.id', 'number', 'Id of an issue.'),
  field('issue.category', 'text', 'Category of the issue: error.', false),
  field('issue.type', 'text', 'Type of the issue: error.', false),
  field('issue.priority', 'text', 'Priority: high, medium, low.'),
  field('firstSeen', 'date', 'When it was first seen: -24h (younger), +7d (older), >2026-01-31.'),
  field('lastSeen', 'date', 'When it was last seen.'),
  field('age', 'date', 'The same as firstSeen.'),
  field('timestamp', 'date', 'When the event happened.'),
  field('timesSeen', 'number', 'Events over the issue’s life: >10.'),
  field('level', 'text', 'fatal, error, warning, info, debug.'),
  field('title', 'text', 'Title of the issue.'),
  field('culprit', 'text', 'Where it happened: function or transaction.'),
  field('message', 'text', 'Words of the event’s message.'),
  field('platform', 'text', 'Platform of the SDK, such as javascript.'),
  field('logger', 'text', 'Name of the logger.'),
  field('error.type', 'text', 'Type of the exception.'),
  field('error.value', 'text', 'Message of the exception.'),
  field('error.handled', 'boolean', 'Whether the application caught it.'),
  field('error.unhandled', 'boolean', 'Whether nobody caught it.'),
  field('error.main_thread', 'boolean', 'Whether it happened on the main thread.', false),
  field('symbolicated_in_app', 'boolean', 'Whether all own frames are mapped.', false),
  field('stack.in_app', 'boolean', 'Whether a frame is the application’s own.', false),
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
  assigned_or_suggested: 'assigned',
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
  short_id: 'issue',
  shortId: 'issue',
  'group.id': 'issue.id',
}

/** The field of a key, or undefined for a tag. Prefixed families (measurements, spans) exist for other kinds of data. */
export function fieldOf(key: string): Field | undefined {
  const name = Object.hasOwn(spellings, key) ? spellings[key] : key
  const known = fields.find((one) => one.name === name)
  if (known) return known
  if (/^(measurements|spans)\./.test(key)) return { name: key, type: 'duration', shown: false, sentence: '' }
  return undefined
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
  'linked',
  'unlinked',
  'archived_until_escalating',
  'archived_until_condition_met',
  'archived_forever',
] as const
