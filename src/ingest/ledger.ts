import type { DataCategory, Outcome, OutcomeCount, OutcomeReason } from '../base/outcome.ts'
import type { IngestKey } from '../store/meta/meta.ts'
import { isItemType } from '../wire/item-types.ts'

export type KeyUse = { keyId: number; atMs: number; refusedCode: string | null }

/** What accept counts itself, summed until the caller takes it out. */
export type Ledger = {
  /** `itemType` '' when the body was not read; made-up types are summed under 'unknown'. */
  count(
    key: IngestKey | undefined,
    category: DataCategory,
    outcome: Outcome,
    reason: OutcomeReason,
    itemType: string,
    bytes: number,
    quantity?: number,
  ): void
  /** Remembers that a key was used, and with which code it was refused. */
  use(key: IngestKey, atMs: number, refusedCode: string | null): void
  drainOutcomes(): OutcomeCount[]
  drainUses(): KeyUse[]
}

/** Makes an empty ledger. Its memory is bounded by keys times item types times reasons; no name of a sender is a key. */
export function createLedger(): Ledger {
  let counts = new Map<string, OutcomeCount>()
  let accepted = new Map<number, KeyUse>()
  let refused = new Map<number, KeyUse>()
  return {
    count: (key, category, outcome, reason, type, bytes, quantity = 1) => {
      const itemType = type === '' || isItemType(type) ? type : 'unknown'
      // Without a known key there is no project that could be told: the path's number is only a claim.
      const projectId = key?.projectId ?? 0
      const keyId = key?.keyId ?? 0
      const name = `${projectId} ${keyId} ${category} ${outcome} ${reason} ${itemType}`
      const found = counts.get(name)
      if (found) {
        found.quantity += quantity
        found.bytes += bytes
      } else counts.set(name, { projectId, keyId, category, outcome, reason, itemType, quantity, bytes })
    },
    use: (key, atMs, refusedCode) => {
      const uses = refusedCode === null ? accepted : refused
      const found = uses.get(key.keyId)
      if (found) {
        found.atMs = atMs
        found.refusedCode = refusedCode
      } else uses.set(key.keyId, { keyId: key.keyId, atMs, refusedCode })
    },
    drainOutcomes: () => {
      if (counts.size === 0) return []
      const drained = [...counts.values()]
      counts = new Map()
      return drained
    },
    drainUses: () => {
      if (accepted.size + refused.size === 0) return []
      const drained = [...accepted.values(), ...refused.values()].sort((a, b) => a.atMs - b.atMs)
      accepted = new Map()
      refused = new Map()
      return drained
    },
  }
}
