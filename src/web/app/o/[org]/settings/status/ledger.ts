import type { RestStatus } from '../../../../../../contract/status.ts'

export type LedgerOutcome =
  | 'received'
  | 'stored'
  | 'filtered'
  | 'rateLimited'
  | 'invalid'
  | 'duplicate'
  | 'waiting'
  | 'dead'
  | 'lost'
export type LedgerLine = { id: LedgerOutcome; quantity: number; sign: string; isBug: boolean }

/** The ledger of an organization has no `waiting`. */
export type Sums = Omit<RestStatus['ledger'], 'waiting'> & { waiting?: number }

const outcomes = ['stored', 'filtered', 'rateLimited', 'invalid', 'duplicate', 'waiting', 'dead', 'lost'] as const

/** The ledger as a sum: received = stored + … + lost. Any lost item is a bug. */
export function ledgerRows(ledger: Sums): LedgerLine[] {
  return [
    { id: 'received', quantity: ledger.received, sign: '', isBug: false },
    // `waiting` is known for the whole installation only.
    ...outcomes
      .filter((id) => ledger[id] !== undefined)
      .map((id, index) => ({
        id,
        quantity: ledger[id] ?? 0,
        sign: index === 0 ? '=' : '+',
        isBug: id === 'lost' && ledger.lost !== 0,
      })),
  ]
}

/** Versions with an advisory first, the others by name. */
export function advisoryRows(versions: RestStatus['versions']): RestStatus['versions'] {
  return [...versions].sort(
    (a, b) => Number(b.advisory !== null) - Number(a.advisory !== null) || a.name.localeCompare(b.name, 'en'),
  )
}
