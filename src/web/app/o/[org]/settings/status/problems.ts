import type {
  RestIngestHealth,
  RestJob,
  RestOrganizationStatus,
  RestStatus,
} from '../../../../../../contract/status.ts'

/** One thing that is wrong with the installation. `id` names its sentence in `frame.status`. */
export type Problem =
  | { id: 'down' }
  | { id: 'waiting'; store: 'events' | 'database' | 'files' | 'blobs'; sinceMs: number }
  | { id: 'blobs'; reason: string }
  | { id: 'serverDown'; host: string; away: 'silent' | 'refused' }
  | { id: 'behind'; ms: number }
  | { id: 'disk'; freeBytes: number }
  | { id: 'budget' }
  | { id: 'dead'; count: number }
  | { id: 'lost'; count: number }
  | { id: 'jobs'; names: string[] }
  | { id: 'advisory'; name: string; version: string }
  | { id: 'rejecting'; count: number }

/** The same threshold as the sidebar's (api/status/health.ts), ms. */
const behindMs = 15_000
/** Ingest stops a little before the disk is full. */
const freeShareMin = 0.05

/** Problems that every member sees: of the organization's items and requests. */
export function organizationProblems(
  { ledger, deadItems }: Pick<RestOrganizationStatus, 'deadItems'> & { ledger: Pick<RestStatus['ledger'], 'lost'> },
  health: RestIngestHealth | undefined,
): Problem[] {
  const problems: Problem[] = []
  if (deadItems > 0) problems.push({ id: 'dead', count: deadItems })
  if (ledger.lost !== 0) problems.push({ id: 'lost', count: Math.abs(ledger.lost) })
  if (health && health.rejectedRequests > 0) problems.push({ id: 'rejecting', count: health.rejectedRequests })
  return problems
}

/** All problems of the installation, the most severe first. Parts that are not loaded yet have none. */
export function problemsOf(
  status: RestStatus,
  jobs: readonly RestJob[] | undefined,
  health: RestIngestHealth | undefined,
): Problem[] {
  const { engine, blobStore, journal, disk, versions } = status
  const problems: Problem[] = []
  if (!engine.up)
    problems.push(
      engine.host === null ? { id: 'down' } : { id: 'serverDown', host: engine.host, away: engine.away ?? 'silent' },
    )
  if (!blobStore.up) problems.push({ id: 'blobs', reason: blobStore.reason ?? '' })
  if (journal.waitsFor)
    problems.push({ id: 'waiting', store: journal.waitsFor.store, sinceMs: Date.parse(journal.waitsFor.since) })
  else if (journal.oldestWaitingMs > behindMs) problems.push({ id: 'behind', ms: journal.oldestWaitingMs })
  if (disk.totalBytes > 0 && disk.freeBytes < disk.totalBytes * freeShareMin)
    problems.push({ id: 'disk', freeBytes: disk.freeBytes })
  const { budget } = disk
  if (budget && budget.budgetBytes !== null && budget.storedBytes > budget.budgetBytes) problems.push({ id: 'budget' })
  problems.push(...organizationProblems({ ledger: status.ledger, deadItems: status.deadItems.length }, health))
  const failing = (jobs ?? []).filter((job) => job.error).map((job) => job.name)
  if (failing.length) problems.push({ id: 'jobs', names: failing })
  for (const { name, version, advisory } of versions) if (advisory) problems.push({ id: 'advisory', name, version })
  return problems
}
