import type { DataCategory } from '../base/outcome.ts'

/** What the framing needs to know about an item type; everything else about it belongs to refine. */
type ItemKind = {
  category: DataCategory
  /** The item belongs to the event whose id the envelope names; one is made when it names none. */
  needsEventId: boolean
  /** The payload may be a list, and each entry of it counts for itself. */
  holdsMany: boolean
}

const kind = (category: DataCategory, needsEventId = false): ItemKind => ({ category, needsEventId, holdsMany: false })
const list = (category: DataCategory, needsEventId = false): ItemKind => ({ category, needsEventId, holdsMany: true })

/** Every item type that the wire knows. */
const kinds = new Map<string, ItemKind>([
  ['event', kind('error', true)],
  ['transaction', kind('transaction', true)],
  ['feedback', kind('feedback', true)],
  ['user_report', kind('feedback', true)],
  ['attachment', kind('attachment', true)],
  ['session', kind('session')],
  ['sessions', kind('session')],
  ['client_report', kind('internal')],
  ['check_in', kind('monitor')],
  ['replay_event', kind('replay', true)],
  ['replay_recording', kind('replay')],
  ['replay_video', kind('replay')],
  ['profile', kind('profile', true)],
  ['profile_chunk', kind('profile_chunk')],
  ['profile_chunk_ui', kind('profile_chunk')],
  ['span', list('span')],
  ['log', list('log_item')],
  ['otel_log', kind('log_item')],
  ['trace_metric', list('trace_metric')],
  ['statsd', list('metric_bucket')],
  ['metric_buckets', list('metric_bucket')],
  ['metric_meta', kind('metric_bucket')],
  ['raw_security', list('security', true)],
  ['security', kind('security', true)],
  ['form_data', kind('attachment', true)],
  ['unreal_report', kind('error', true)],
  ['nel', kind('error')],
])

const unknownKind = kind('unknown')

/** The kind of an item type; unknown types have category `unknown` and need no event id. Never throws. */
export function itemKind(type: string): ItemKind {
  return kinds.get(type) ?? unknownKind
}

/** The fewest bytes of one entry in a list: `{}` and a comma. */
const entryBytesMin = 3

/**
 * How many entries an item says that it holds (`item_count`), for where its payload is not or cannot be read. The header is
 * the sender's word: it counts no more than the payload has room for, and one that is no count stands for one.
 */
export function claimedCount({
  type,
  headers,
  bytes,
}: {
  type: string
  headers: { [key: string]: unknown }
  bytes: number
}): number {
  const claimed = headers['item_count']
  // A span item without a content type is the old form: one span.
  const isList = itemKind(type).holdsMany && (type !== 'span' || typeof headers['content_type'] === 'string')
  if (!isList || typeof claimed !== 'number' || !Number.isInteger(claimed) || claimed < 1) return 1
  return Math.min(claimed, Math.max(1, Math.floor(bytes / entryBytesMin)))
}

/** Whether the wire knows this item type; names of others come from the sender and are not for lists of ours. */
export function isItemType(type: string): boolean {
  return kinds.has(type)
}

const traceAttachments = new Set([
  'application/vnd.sentry.trace-attachment',
  'application/vnd.sentry.attachment.v2',
  'application/vnd.sentry.trace-attachment.v2',
])

/** Whether this item rides on the envelope's event id: by type, but for attachments that belong to a trace. */
export function needsEventId(type: string, headers: { [key: string]: unknown }): boolean {
  if (type === 'attachment') {
    const contentType = headers.content_type
    return !(typeof contentType === 'string' && traceAttachments.has(contentType))
  }
  return itemKind(type).needsEventId
}
