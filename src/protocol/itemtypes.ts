import type { DataCategory } from '../outcome.ts'

/** What the framing needs to know about an item type; everything else about it belongs to refine. */
export type ItemKind = {
  category: DataCategory
  /** The item belongs to the event whose id the envelope names; one is made when it names none. */
  needsEventId: boolean
}

const kind = (category: DataCategory, needsEventId = false): ItemKind => ({ category, needsEventId })

/** Every item type that the wire knows (protocol.md 2.3). */
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
  ['span', kind('span')],
  ['log', kind('log_item')],
  ['otel_log', kind('log_item')],
  ['trace_metric', kind('trace_metric')],
  ['statsd', kind('metric_bucket')],
  ['metric_buckets', kind('metric_bucket')],
  ['metric_meta', kind('metric_bucket')],
  ['raw_security', kind('security', true)],
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
