import type { DataCategory, Outcome, OutcomeCount, OutcomeReason } from '../base/outcome.ts'
import type { IngestKey } from '../store/meta/meta.ts'
import { isItemType } from '../wire/item-types.ts'

export type KeyUse = { keyId: number; atMs: number; refusedCode: string | null }

/** Outcomes and key uses that ingest counts itself, summed until the caller drains them. */
export type Ledger = {
  /** `itemType` is '' if the body was not read. Invented types are summed as 'unknown'. */
  count(
    key: IngestKey | undefined,
    category: DataCategory,
    outcome: Outcome,
    reason: OutcomeReason,
    itemType: string,
    bytes: number,
    quantity?: number,
  ): void
  /** Records the use of a key, and the error code if it was refused. */
  use(key: IngestKey, atMs: number, refusedCode: string | null): void
  drainOutcomes(): OutcomeCount[]
  drainUses(): KeyUse[]
}

/** Creates an empty ledger. Its memory is bounded by keys × item types × reasons. No client text becomes a map key. */
export function createLedger(): Ledger {
  let counts = new Map<string, OutcomeCount>()
  let accepted = new Map<number, KeyUse>()
  let refused = new Map<number, KeyUse>()
  return {
    count: (key, category, outcome, reason, type, bytes, quantity = 1) => {
      const itemType = type === '' || isItemType(type) ? type : 'unknown'
      // Without a known key there is no project to charge: the project id in the path is only a claim.
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
