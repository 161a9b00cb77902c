/**
 * Every end of an item. Nothing ends without one:
 * received = stored + filtered + rate_limited + invalid + duplicate + waiting + dead + lost.
 * `waiting` and `lost` are computed (what the journal still holds; the rest of the sum), never recorded.
 * `received` is no end: it is counted from an envelope's framing when refine opens its record, apart from what becomes
 * of the items, so that an item that ends nowhere shows as lost. `thinned` is none either: such an event was stored, and
 * stays counted so; it says how many of those were taken out since.
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

/** The closed list of reasons; a new one is added here and in docs/, never made up at the place of use. */
export const reasons = [
  'ok',
  'not_stored_yet', // an item kind that this version counts but has no store for
  'unknown_item_type',
  'key_limit',
  'organization_limit',
  'attachment_quota', // attachments without an event, over what the project may send of them in an hour
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
  'event_missing', // an attachment whose event is not known
  'same_event_id', // came within the hour already: an event by its id, a transaction or a span item by the ids of its spans
  'failed', // a dead item: it could not be refined, or the store refused its rows
  'sent_again', // takes a dead item out of the dead: what it holds is counted anew
  'deleted', // a dead item that a person deleted
  'sdk', // what a client says that it discarded itself
  'disk_budget', // stored, and taken out since by the disk budget
  'discarded', // of an issue or a project that people deleted for good
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

/** Data categories as the wire names them (docs/outcomes.md). */
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
  'internal',
  'unknown',
] as const
export type DataCategory = (typeof categories)[number]

/** `quantity` items of one category of one project key that ended one way; `bytes` is their payload size. */
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
