import { isItemType, itemKind as typeOf } from '../../../wire/item-types.ts'
import { discardsOf } from '../../pipeline/client-reports.ts'
import { type ContentsEnd, endsOfContents, notStoredReason } from '../../pipeline/contents.ts'
import { ended } from '../../pipeline/item-outcome.ts'
import { itemKind, type PlacedItem, type RecordWork } from '../kind.ts'

type Contents = ContentsEnd[] | undefined

const countOfContents = (contents: Contents): number =>
  contents ? contents.reduce((sum, { quantity }) => sum + quantity, 0) : 1

/** Counts an item of a type that is not stored: each entry of a list counts by itself, otherwise the item. */
function countOnly(work: RecordWork, contents: Contents, { item: { type, payload } }: PlacedItem): void {
  const { category } = typeOf(type)
  for (const { outcome, reason, quantity, bytes } of contents ?? [])
    work.out.outcomes.push(ended(work, type, category, outcome, reason, bytes, quantity))
  if (contents) return
  const known = isItemType(type)
  const outcome = type === 'integration' ? 'invalid' : 'filtered'
  const reason = type === 'integration' ? 'bad_item' : known ? notStoredReason(type) : 'unknown_item_type'
  work.out.outcomes.push(ended(work, known ? type : 'other', category, outcome, reason, payload.length))
}

/** Every item type without a kind of its own. */
export const countedKind = itemKind<Contents>({
  itemTypes: [],
  read: ({ item }) => endsOfContents(item),
  countsAs: countOfContents,
  refine: countOnly,
})

/** Discards that SDKs report. The discarded items were never received, so they count in addition to the report. */
export const clientReportKind = itemKind<undefined>({
  itemTypes: ['client_report'],
  read: () => undefined,
  countsAs: () => 1,
  refine: (work, _payload, placed) => {
    const { type, payload } = placed.item
    for (const { category, quantity, bytes } of discardsOf(payload))
      work.out.outcomes.push(ended(work, type, category, 'client_discard', 'sdk', bytes, quantity))
    countOnly(work, undefined, placed)
  },
})
