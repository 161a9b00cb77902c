import type { DataCategory } from '../outcome.ts'
import { categories } from '../outcome.ts'
import { listOf, object, own, parsePayload, scalar, whole } from './value.ts'

const discardsMax = 1000
const quantityMax = 1e9

const knownCategories: ReadonlyMap<string, DataCategory> = new Map<string, DataCategory>([
  ...categories.map((name): [string, DataCategory] => [name, name]),
  ['metric', 'trace_metric'],
  ['log_byte', 'log_item'],
  ['attachment_item', 'attachment'],
  ['profile_chunk_ui', 'profile_chunk'],
  ['session_update', 'session'],
])

/** What an SDK says that it threw away itself, by category; nothing of a payload that is no report. */
export function discardsOf(payload: Buffer): { category: DataCategory; quantity: number }[] {
  const parsed = parsePayload(payload)
  const report = 'broken' in parsed ? undefined : object(parsed.value)
  return (report ? listOf(own(report, 'discarded_events')) : []).slice(0, discardsMax).flatMap((one) => {
    const loose = object(one)
    const quantity = loose && whole(own(loose, 'quantity'))
    if (!loose || !quantity || quantity < 0) return []
    const category = knownCategories.get(scalar(own(loose, 'category')) ?? '') ?? 'unknown'
    return [{ category, quantity: Math.min(quantity, quantityMax) }]
  })
}
