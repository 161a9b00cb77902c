import { MishapError } from '../../base/errors.ts'
import type { RestLedger } from '../../contract/status.ts'
import type { App } from '../../processes/parts.ts'
import type { Project } from '../../store/meta/meta.ts'
import { todoFor } from './outcome-advice.ts'

const hourMs = 3_600_000
/** The ledger covers 13 months: at most 397 days. */
const ranges = { '1h': hourMs, '24h': 24 * hourMs, '30d': 720 * hourMs, '13m': 400 * 24 * hourMs } as const

type LedgerRange = keyof typeof ranges
export const ledgerRanges = ['1h', '24h', '30d', '13m'] as const satisfies readonly LedgerRange[]

/** A ledger query. `key` is an id. `nobodys` includes items without a known key. */
type LedgerRequest = {
  range: LedgerRange
  projects: readonly Project[]
  key?: string | undefined
  nobodys: boolean
}

/** Returns outcomes by project, key, category and reason, most first. Throws VALIDATION for another project's key. */
export async function ledgerBreakdown(app: App, { range, projects, key, nobodys }: LedgerRequest): Promise<RestLedger> {
  const keys = new Map(
    (await Array.fromAsync(projects, async (project) => app.meta.projects.keysOf(project.id)))
      .flat()
      .map((projectKey) => [projectKey.id, projectKey]),
  )
  if (key !== undefined && !keys.has(Number(key)))
    throw new MishapError('VALIDATION', { fields: { key: ['There is no such key in these projects.'] } })
  const fromMs = Math.floor((app.clock.now() - ranges[range]) / hourMs) * hourMs
  const projectOf = new Map(projects.map((project) => [project.id, { id: String(project.id), slug: project.slug }]))
  const projectIds = [...projectOf.keys(), ...(nobodys && key === undefined ? [0] : [])]
  const sums = await app.meta.ledger.outcomeSums({ projectIds, fromMs })
  const rows = sums
    .filter((outcomeSum) => outcomeSum.outcome !== 'received' && outcomeSum.quantity !== 0)
    .filter((outcomeSum) => key === undefined || String(outcomeSum.keyId) === key)
    .map(({ projectId, keyId, category, outcome, reason, quantity, bytes }) => ({
      project: projectOf.get(projectId) ?? null,
      key: keyId === 0 ? null : { id: String(keyId), label: keys.get(keyId)?.label ?? '' },
      category,
      outcome,
      reason,
      quantity,
      bytes,
      todo: todoFor(reason),
    }))
    .sort((a, b) => b.quantity - a.quantity)
  return { range, from: new Date(fromMs).toISOString(), rows }
}
