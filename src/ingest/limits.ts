import type { ErrorCode } from '../base/errors.ts'
import type { OutcomeReason } from '../base/outcome.ts'
import type { EnvelopeWalk, ItemSpan } from '../wire/envelope.ts'
import { type ItemLimits, isItemType, limitsOf } from '../wire/item-types.ts'

const KiB = 1024
const MiB = 1024 * KiB

/** Body of /store/: base64 takes 4/3 of the event. */
export const storeBytesMax = 2 * MiB
/** From here on a body goes to the blob store instead of into the journal's record. */
export const spoolBytesMin = MiB
/** All header lines of one envelope, as they are held while it comes: 1,000 items with 1 KiB each. */
export const envelopeHeadersBytesMax = MiB
/** Plain fields of a minidump's form: crash reporters send each of their annotations as a field. */
export const formFieldsMax = 900
/**
 * A sender has this long, and a second more for each `slowBytesPerS` that came, but never more than this ahead: one that
 * was fast and stalls holds its room no longer than others.
 */
export const slowMs = 30_000
export const slowBytesPerS = 64 * KiB
/** A body that has come is unpacked and written within this time: 200 MiB take 2 s where the disk does its work. */
export const unpackMs = 60_000

type OverLimit = { code: ErrorCode; reason: OutcomeReason; what: string }

/**
 * Holds the items of one envelope against the limits while it arrives. `check` looks at what the walk has seen since
 * the last call; a declared length counts before its bytes come.
 */
export class LimitCheck {
  /** Items below this index are summed up; the one at it may still grow. */
  #done = 0
  readonly #sums = new Map<ItemLimits, { bytes: number; count: number }>()

  /** Returns the first limit that is passed, or undefined. `end` says that the last item is complete. */
  check(walk: EnvelopeWalk, end: boolean): OverLimit | undefined {
    const { items } = walk
    const last = items.length - 1
    for (let i = this.#done; i <= last; i++) {
      const item = items[i]
      if (item === undefined) break
      const limits = limitsOf(item)
      const bytes = i === last ? walk.lastItemBytes : item.bytes
      if (bytes > limits.eachBytesMax)
        return over('too_large', `item ${i + 1} (${nameOf(item)}) is over ${limits.eachBytesMax} bytes`)
      // One item alone, the case of nearly every envelope, needs no sums.
      if (last === 0) break
      const sum = this.#sums.get(limits) ?? { bytes: 0, count: 0 }
      if (sum.count + 1 > limits.countMax)
        return over('too_many_items', `more than ${limits.countMax} items of type ${nameOf(item)}`)
      if (sum.bytes + bytes > limits.sumBytesMax)
        return over('too_large', `all items of type ${nameOf(item)} are over ${limits.sumBytesMax} bytes`)
      if (i < last || end) {
        this.#sums.set(limits, { bytes: sum.bytes + bytes, count: sum.count + 1 })
        this.#done = i + 1
      }
    }
    return undefined
  }
}

/** Type names go into an answer, so a made-up one is not repeated. */
function nameOf(item: ItemSpan): string {
  return isItemType(item.type) ? item.type : 'unknown'
}

function over(reason: OutcomeReason, what: string): OverLimit {
  return { code: 'ACCEPT_TOO_LARGE', reason, what }
}
