/**
 * Every outcome of an item. Each item has one:
 * received = stored + filtered + rate_limited + invalid + duplicate + waiting + dead + lost.
 * `waiting` (still in the journal) and `lost` (the rest of the sum) are computed, never recorded. `received` is not an
 * outcome: refine counts it from an envelope's framing when it opens the record, independently of the items, so an item
 * without an outcome shows as lost. `thinned` is not one either: such events stay counted as stored, and it counts how
 * many of them were downsampled later.
 */
export const outcomes = [
  'received',
  'stored',
  'filtered',
  'rate_limited',
  'invalid',
  'duplicate',
  'dead',
  'client_discard',
  'thinned',
] as const
export type Outcome = (typeof outcomes)[number]

/** The closed list of reasons. New ones are added here and in docs/, never invented where they are used. */
export const reasons = [
  'ok',
  'not_stored_yet', // an item type that this version counts but does not store
  'unsupported', // an item type that SDKs gave up and Mishap never stores: statsd and its buckets
  'unknown_item_type',
  'key_limit',
  'organization_limit',
  'attachment_quota', // attachments without an event, over the project's hourly limit
  'too_large',
  'too_many_items',
  'bad_json',
  'bad_envelope',
  'bad_item',
  'bad_encoding',
  'bad_event_id',
  'no_key',
  'unknown_key',
  'disabled_key',
  'origin',
  'project_mismatch',
  'overloaded',
  'disk_full',
  'event_missing', // an attachment of an unknown event
  'same_event_id', // a duplicate within the hour: an event by its id, a transaction or a span item by its span ids
  'failed', // a dead letter: it failed to process, or the store refused its rows
  'sent_again', // removes a replayed dead letter: its content is counted anew
  'deleted', // a dead letter that a user deleted
  'sdk', // discarded by the client, according to its report
  'disk_budget', // stored, then removed for the disk budget
  'discarded', // belongs to an issue or project that was permanently deleted
  // the project's filters
  'browser_extension',
  'legacy_browser',
  'localhost',
  'web_crawler',
  'hydration_error',
  'chunk_load_error',
  'error_message',
  'release_version',
  'ip_address',
  'csp_source',
] as const
export type OutcomeReason = (typeof reasons)[number]

/** Data categories with their names on the wire (docs/outcomes.md). */
export const categories = [
  'default',
  'error',
  'transaction',
  'security',
  'attachment',
  'session',
  'profile',
  'profile_chunk',
  'replay',
  'monitor',
  'feedback',
  'span',
  'log_item',
  'metric_bucket',
  'trace_metric',
  'performance_issue', // an occurrence that a detector found in stored spans
  'internal',
  'unknown',
] as const
export type DataCategory = (typeof categories)[number]

/** `quantity` items of one category and project key with the same outcome. `bytes` is their payload size. */
export type OutcomeCount = {
  projectId: number
  keyId: number
  category: DataCategory
  outcome: Outcome
  reason: OutcomeReason
  itemType: string
  quantity: number
  bytes: number
}
