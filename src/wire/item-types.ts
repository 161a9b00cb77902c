import type { DataCategory } from '../base/outcome.ts'

const KiB = 1024
const MiB = 1024 * KiB

/** Limit of decompressed bytes of an envelope, or of a multipart body of attachments. */
export const envelopeBytesMax = 200 * MiB
/** Byte limit of an event as JSON, and of reports that become events. */
export const eventBytesMax = MiB
/** Limit of items per envelope; SDKs send about 100 at most. Limits the cost of a body that consists of headers. */
export const itemsMax = 1000
/** Limit of parts in one multipart body. */
export const attachmentsMax = 30

/** Item types that share a limits object also share its sum and its count. */
export type ItemLimits = { eachBytesMax: number; sumBytesMax: number; countMax: number }

const limit = (eachBytesMax: number, countMax = itemsMax, sumBytesMax = envelopeBytesMax): ItemLimits => ({
  eachBytesMax,
  sumBytesMax,
  countMax,
})

const event = limit(eventBytesMax, 1)
const session = limit(10 * MiB, 100, 10 * MiB)
const profile = limit(50 * MiB)
const recording = limit(10 * MiB)
const statsd = limit(MiB)
const small = limit(MiB, 100)
/** The limits of the whole envelope. */
const defaultLimits = limit(envelopeBytesMax)

/** Properties of an item type that the framing needs. Refine handles everything else. */
type ItemKind = {
  category: DataCategory
  limits: ItemLimits
  /** Limits for an item with a content type, if different. Newer clients pack many spans into one item. */
  containerLimits?: ItemLimits
  /** The item belongs to the event in the envelope's header. If the header has no event id, a new one is created. */
  needsEventId?: true
  /** The payload can be a list. Each entry counts as an item. */
  holdsMany?: true
}

/** Every known item type (docs/limits.md). */
const kinds: ReadonlyMap<string, ItemKind> = new Map<string, ItemKind>([
  ['event', { category: 'error', limits: event, needsEventId: true }],
  ['transaction', { category: 'transaction', limits: event, needsEventId: true }],
  ['feedback', { category: 'feedback', limits: event, needsEventId: true }],
  ['user_report', { category: 'feedback', limits: small, needsEventId: true }],
  ['attachment', { category: 'attachment', limits: limit(envelopeBytesMax, attachmentsMax), needsEventId: true }],
  ['session', { category: 'session', limits: session }],
  ['sessions', { category: 'session', limits: session }],
  ['client_report', { category: 'internal', limits: limit(100 * KiB, 100, 100 * KiB) }],
  ['check_in', { category: 'monitor', limits: limit(100 * KiB, 1) }],
  ['replay_event', { category: 'replay', limits: limit(MiB, 1), needsEventId: true }],
  ['replay_recording', { category: 'replay', limits: recording }],
  ['replay_video', { category: 'replay', limits: recording }],
  ['profile', { category: 'profile', limits: profile, needsEventId: true }],
  ['profile_chunk', { category: 'profile_chunk', limits: profile }],
  ['profile_chunk_ui', { category: 'profile_chunk', limits: profile }],
  ['span', { category: 'span', limits: limit(MiB, 25), containerLimits: limit(12 * MiB, 1), holdsMany: true }],
  // The bodies of OTLP requests and log drains. In an envelope such an item is only counted.
  ['otlp', { category: 'span', limits: limit(12 * MiB, 1), holdsMany: true }],
  ['vercel_logs', { category: 'log_item', limits: limit(12 * MiB, 1), holdsMany: true }],
  ['heroku_logs', { category: 'log_item', limits: limit(12 * MiB, 1), holdsMany: true }],
  ['otlp_metrics', { category: 'trace_metric', limits: limit(12 * MiB, 1), holdsMany: true }],
  ['otlp_logs', { category: 'log_item', limits: limit(12 * MiB, 1), holdsMany: true }],
  ['log', { category: 'log_item', limits: limit(12 * MiB, 1), holdsMany: true }],
  ['otel_log', { category: 'log_item', limits: limit(MiB) }],
  ['trace_metric', { category: 'trace_metric', limits: limit(12 * MiB, 1), holdsMany: true }],
  ['statsd', { category: 'metric_bucket', limits: statsd, holdsMany: true }],
  ['metric_buckets', { category: 'metric_bucket', limits: statsd, holdsMany: true }],
  ['metric_meta', { category: 'metric_bucket', limits: defaultLimits }],
  ['raw_security', { category: 'security', limits: event, needsEventId: true, holdsMany: true }],
  ['security', { category: 'security', limits: event, needsEventId: true }],
  ['form_data', { category: 'attachment', limits: limit(MiB, 1), needsEventId: true }],
  ['unreal_report', { category: 'error', limits: defaultLimits, needsEventId: true }],
  ['nel', { category: 'error', limits: small }],
])

const unknownKind: ItemKind = { category: 'unknown', limits: defaultLimits }

/** Returns the limits of an item by its type and headers. */
export function limitsOf({ type, headers }: { type: string; headers: { [key: string]: unknown } }): ItemLimits {
  const { limits, containerLimits } = itemKind(type)
  return containerLimits && typeof headers['content_type'] === 'string' ? containerLimits : limits
}

/** Returns the kind of an item type. Unknown types have category `unknown` and need no event id. Never throws. */
export function itemKind(type: string): ItemKind {
  return kinds.get(type) ?? unknownKind
}

/** Categories of bulk data: many small parts, and nobody waits for a single part. */
const bulkCategories: ReadonlySet<DataCategory> = new Set<DataCategory>([
  'transaction',
  'span',
  'log_item',
  'trace_metric',
  'metric_bucket',
  'profile',
  'profile_chunk',
])

/** Returns whether the item is bulk data. A record of nothing else is in lane `bulk` of the journal (base/lane.ts). */
export const isBulk = (type: string): boolean => bulkCategories.has(itemKind(type).category)

/** Minimum bytes of one entry in a list: `{}` and a comma. */
const entryBytesMin = 3

/**
 * Returns the declared number of entries of an item (`item_count`), for payloads that are not read. The sender declares
 * it, so it is limited by the payload's size, and an invalid count means 1 entry.
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
  // A span item without a content type has the old form: one span.
  const isList = itemKind(type).holdsMany === true && (type !== 'span' || typeof headers['content_type'] === 'string')
  if (!isList || typeof claimed !== 'number' || !Number.isInteger(claimed) || claimed < 1) return 1
  return Math.min(claimed, Math.max(1, Math.floor(bytes / entryBytesMin)))
}

/** Returns whether the item type is known. Other names are sender input and must not enter our lists. */
export function isItemType(type: string): boolean {
  return kinds.has(type)
}

const traceAttachments = new Set([
  'application/vnd.sentry.trace-attachment',
  'application/vnd.sentry.attachment.v2',
  'application/vnd.sentry.trace-attachment.v2',
])

/** Returns whether this item needs the envelope's event id: by type, except for attachments of a trace. */
export function needsEventId(type: string, headers: { [key: string]: unknown }): boolean {
  if (type === 'attachment') {
    const contentType = headers.content_type
    return !(typeof contentType === 'string' && traceAttachments.has(contentType))
  }
  return itemKind(type).needsEventId === true
}
