import type { ErrorCode } from '../base/errors.ts'
import type { OutcomeReason } from '../base/outcome.ts'
import type { EnvelopeWalk, ItemSpan } from '../wire/envelope.ts'
import { type ItemLimits, isItemType, limitsOf } from '../wire/item-types.ts'

const KiB = 1024
const MiB = 1024 * KiB

/** Maximum body of /store/: base64 needs 4/3 of the event size. */
export const storeBytesMax = 2 * MiB
/** Larger bodies go to the blob store instead of the journal record. */
export const spoolBytesMin = MiB
/** All header lines of one envelope, held in memory during upload: 1,000 items with 1 KiB each. */
export const envelopeHeadersBytesMax = MiB
/** Plain fields of a minidump form. Crash reporters send each annotation as its own field. */
export const formFieldsMax = 900
/**
 * A sender has `slowMs`, plus one second for each `slowBytesPerS` received. The allowance never exceeds `slowMs` ahead,
 * so that a fast sender that stalls does not block its room for longer than others.
 */
export const slowMs = 30_000
export const slowBytesPerS = 64 * KiB
/** Limit to unpack and write a fully received body. 200 MiB take 2 s on a healthy disk. */
export const unpackMs = 60_000

type OverLimit = { code: ErrorCode; reason: OutcomeReason; what: string }

/**
 * Checks the items of an envelope against the limits while it arrives. Each `check` covers the items since the last
 * call. A declared length counts before its bytes arrive.
 */
export class LimitCheck {
  /** Items below this index are summed. The item at this index can still grow. */
  #done = 0
  readonly #sums = new Map<ItemLimits, { bytes: number; count: number }>()

  /** Returns the first exceeded limit, or undefined. `isLast` means that the last item is complete. */
  check(walk: EnvelopeWalk, isLast: boolean): OverLimit | undefined {
    const { items } = walk
    const last = items.length - 1
    for (let i = this.#done; i <= last; i++) {
      const item = items[i]
      if (item === undefined) break
      const limits = limitsOf(item)
      const bytes = i === last ? walk.lastItemBytes : item.bytes
      if (bytes > limits.eachBytesMax)
        return over('too_large', `item ${i + 1} (${nameOf(item)}) is over ${limits.eachBytesMax} bytes`)
      // A single item needs no sums. Nearly all envelopes have one item.
      if (last === 0) break
      const sum = this.#sums.get(limits) ?? { bytes: 0, count: 0 }
      if (sum.count + 1 > limits.countMax)
        return over('too_many_items', `more than ${limits.countMax} items of type ${nameOf(item)}`)
      if (sum.bytes + bytes > limits.sumBytesMax)
        return over('too_large', `all items of type ${nameOf(item)} are over ${limits.sumBytesMax} bytes`)
      if (i < last || isLast) {
        this.#sums.set(limits, { bytes: sum.bytes + bytes, count: sum.count + 1 })
        this.#done = i + 1
      }
    }
    return undefined
  }
}

/** The type name appears in an answer, so invented names are replaced. */
function nameOf(item: ItemSpan): string {
  return isItemType(item.type) ? item.type : 'unknown'
}

function over(reason: OutcomeReason, what: string): OverLimit {
  return { code: 'ACCEPT_TOO_LARGE', reason, what }
}
