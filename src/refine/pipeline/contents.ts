import type { Outcome, OutcomeReason } from '../../base/outcome.ts'
import type { EnvelopeItem } from '../../wire/envelope.ts'
import { claimedCount } from '../../wire/item-types.ts'
import { object, own, parsePayload } from './value.ts'

/** How many entries of an item end one way, and their share of its bytes. */
export type ContentsEnd = { outcome: Outcome; reason: OutcomeReason; quantity: number; bytes: number }

/** What a list of an item type holds; undefined where the payload is no such list. */
type Reader = (payload: Buffer) => { entries: readonly unknown[] } | 'broken' | 'other'

/** Logs and trace metrics: `{"items": [...]}`. An object without a list is one entry by itself. */
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

/** statsd: one metric a line. */
const readLines: Reader = (payload) => {
  const lines = payload.toString('latin1').split('\n')
  return { entries: lines.filter((line) => line.trim() !== '').map(() => ({})) }
}

const readers: ReadonlyMap<string, Reader> = new Map([
  ['log', readContainer],
  ['trace_metric', readContainer],
  ['metric_buckets', readBuckets],
  ['statsd', readLines],
])

/**
 * How the entries of an item end that no store takes: each counts for itself. The entries themselves decide how many they
 * are; the header's `item_count` is asked only where they cannot be read. Undefined for items that are one by themselves.
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
  // an item without entries ends, too
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
