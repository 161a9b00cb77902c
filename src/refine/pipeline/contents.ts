import type { Outcome, OutcomeReason } from '../../base/outcome.ts'
import type { EnvelopeItem } from '../../wire/envelope.ts'
import { claimedCount } from '../../wire/item-types.ts'
import { object, own, parsePayload } from './value.ts'

/** Entries of an item that have the same outcome: their number, and their share of its bytes. */
export type ContentsEnd = { outcome: Outcome; reason: OutcomeReason; quantity: number; bytes: number }

/** Reads the entries of an item. 'broken': the payload is not JSON; 'other': it has no list. */
type Reader = (payload: Buffer) => { entries: readonly unknown[] } | 'broken' | 'other'

/** Trace metrics: `{"items": [...]}`. An object without a list counts as one entry. */
const readContainer: Reader = (payload) => {
  const parsed = parsePayload(payload)
  if ('broken' in parsed) return 'broken'
  const whole = object(parsed.value)
  if (!whole) return 'other'
  const items = own(whole, 'items')
  if (items === undefined) return { entries: [whole] }
  return Array.isArray(items) ? { entries: items } : 'other'
}

/** Buckets of metrics: a list of objects. */
const readBuckets: Reader = (payload) => {
  const parsed = parsePayload(payload)
  if ('broken' in parsed) return 'broken'
  return Array.isArray(parsed.value) ? { entries: parsed.value } : 'other'
}

/** statsd: one metric per line. */
const readLines: Reader = (payload) => {
  const lines = payload.toString('latin1').split('\n')
  return { entries: lines.filter((line) => line.trim() !== '').map(() => ({})) }
}

const readers: ReadonlyMap<string, Reader> = new Map([
  ['trace_metric', readContainer],
  ['metric_buckets', readBuckets],
  ['statsd', readLines],
])

/**
 * Outcomes of the entries of an item whose type is not stored: each entry counts. The payload gives their number; the
 * header's `item_count` is used only if the payload is unreadable. Undefined for item types without entries.
 */
export function endsOfContents(item: EnvelopeItem): ContentsEnd[] | undefined {
  const reader = readers.get(item.type)
  if (!reader) return undefined
  const { type, headers, payload } = item
  const found = reader(payload)
  if (typeof found === 'string') {
    const reason = found === 'broken' ? 'bad_json' : 'bad_item'
    const quantity = claimedCount({ type, headers, bytes: payload.length })
    return [{ outcome: 'invalid', reason, quantity, bytes: payload.length }]
  }
  // An item without entries needs an outcome too.
  if (found.entries.length === 0)
    return [{ outcome: 'invalid', reason: 'bad_item', quantity: 1, bytes: payload.length }]
  const sound = found.entries.filter((entry) => object(entry) !== undefined).length
  const broken = found.entries.length - sound
  const bytesOfBroken = Math.floor((payload.length / found.entries.length) * broken)
  const ends: ContentsEnd[] = [
    { outcome: 'filtered', reason: 'not_stored_yet', quantity: sound, bytes: payload.length - bytesOfBroken },
    { outcome: 'invalid', reason: 'bad_item', quantity: broken, bytes: bytesOfBroken },
  ]
  return ends.filter((end) => end.quantity > 0)
}
