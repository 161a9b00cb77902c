import type { DataCategory } from '../../base/outcome.ts'
import { categories } from '../../base/outcome.ts'
import { listOf, object, own, parsePayload, scalar, whole } from './value.ts'

const discardsMax = 1000
const quantityMax = 1e9

const knownCategories: ReadonlyMap<string, DataCategory> = new Map<string, DataCategory>([
  ...categories.map((name): [string, DataCategory] => [name, name]),
  ['metric', 'trace_metric'],
  ['attachment_item', 'attachment'],
  ['profile_chunk_ui', 'profile_chunk'],
  ['session_update', 'session'],
])

/** These categories report the bytes of items, whose number SDKs report under another category too. */
const byteCategories: ReadonlyMap<string, DataCategory> = new Map([
  ['log_byte', 'log_item'],
  ['trace_metric_byte', 'trace_metric'],
])

/**
 * Reads a client report: how many items the SDK discarded, by category, and their bytes if it says so. An entry of bytes
 * has no items. Other payloads give an empty list.
 */
export function discardsOf(payload: Buffer): { category: DataCategory; quantity: number; bytes: number }[] {
  const parsed = parsePayload(payload)
  const report = 'broken' in parsed ? undefined : object(parsed.value)
  const listed = (report ? listOf(own(report, 'discarded_events')) : []).slice(0, discardsMax)
  const named = new Set(listed.map((entry) => scalar(own(object(entry) ?? {}, 'category'))))
  return listed.flatMap((entry) => {
    const loose = object(entry)
    const quantity = loose && whole(own(loose, 'quantity'))
    if (!loose || !quantity || quantity < 0) return []
    const name = scalar(own(loose, 'category')) ?? ''
    // If the report also counts attachments, the category "attachment" has their bytes.
    if (name === 'attachment' && named.has('attachment_item')) return []
    const amount = Math.min(quantity, quantityMax)
    const ofItems = byteCategories.get(name)
    if (ofItems) return [{ category: ofItems, quantity: 0, bytes: amount }]
    return [{ category: knownCategories.get(name) ?? 'unknown', quantity: amount, bytes: 0 }]
  })
}
