import type { RestLedger } from '../../../contract/status.ts'

const levels: Readonly<Record<string, 'ok' | 'info' | 'warning' | 'error' | 'debug'>> = {
  stored: 'ok',
  waiting: 'debug',
  duplicate: 'info',
  filtered: 'info',
  client_discard: 'info',
  thinned: 'info',
  rate_limited: 'warning',
  invalid: 'error',
  dead: 'error',
}

/** The severity shape of an outcome. */
export const verdictOf = (outcome: string) => levels[outcome] ?? 'debug'

type Row = RestLedger['rows'][number]
export type LedgerCategory = { category: string; quantity: number; rows: Row[] }
/** One project of the ledger. `slug` is null for items without a known key. */
export type LedgerGroup = { slug: string | null; quantity: number; categories: LedgerCategory[] }

/** Adds up the rows of all keys by outcome and reason, largest first. */
function joined(rows: readonly Row[]): Row[] {
  const sums = new Map<string, Row>()
  for (const row of rows) {
    const name = `${row.outcome} ${row.reason}`
    const sum = sums.get(name)
    sums.set(name, sum ? { ...sum, quantity: sum.quantity + row.quantity, bytes: sum.bytes + row.bytes } : { ...row })
  }
  return [...sums.values()].filter((row) => row.quantity !== 0).sort((a, b) => b.quantity - a.quantity)
}

/** Downsampled events are already counted as stored. */
const quantityOf = (rows: readonly Row[]) =>
  rows.reduce((sum, row) => sum + (row.outcome === 'thinned' ? 0 : row.quantity), 0)

/** The ledger's rows by project, category, outcome and reason; largest first, items without a known key last. */
export function ledgerGroups(rows: RestLedger['rows']): LedgerGroup[] {
  const projects = Map.groupBy(rows, (row) => row.project?.slug ?? null)
  return [...projects]
    .map(([slug, projectRows]) => {
      const categories = [...Map.groupBy(projectRows, (row) => row.category)]
        .map(([category, all]) => ({ category, quantity: quantityOf(all), rows: joined(all) }))
        .filter((group) => group.rows.length > 0)
        .sort((a, b) => b.quantity - a.quantity)
      return { slug, quantity: quantityOf(projectRows), categories }
    })
    .sort((a, b) => Number(a.slug === null) - Number(b.slug === null) || b.quantity - a.quantity)
}
