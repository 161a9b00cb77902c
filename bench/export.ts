// One million rows as a file: how long an export takes, and how much more memory client and engine need meanwhile.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { silent } from '../src/base/observe.ts'
import type { Plan } from '../src/contract/explore/explore.ts'
import { type ExportFormat, exportFormats } from '../src/domain/exports.ts'
import { createExports } from '../src/jobs/exports.ts'
import { exportAsk } from '../src/query/explore/export-ask.ts'
import { openFileBlobs } from '../src/store/blobs/files.ts'
import type { EventStore } from '../src/store/events/event-store.ts'
import { openSqliteMeta } from '../src/store/meta/sqlite.ts'
import { pssOf, type Row } from './measure.ts'
import { spanDays, spansEndMs, withSpans } from './span-rows.ts'

const rowCount = 1_000_000
const goalSeconds = 30
const goalMb = 150
const columns = [
  'timestamp',
  'span.op',
  'span.description',
  'span.duration',
  'span.status',
  'transaction',
  'route',
  'release',
  'environment',
  'customer.id',
]

const plan: Plan = {
  dataset: 'spans',
  query: '',
  columns,
  groupBy: [],
  series: [],
  formulas: [],
  order: '',
  limit: 100,
}

/** The meta store, blobs and exports of a product with one project, over this store. */
async function openExports(store: EventStore, folder: string) {
  const clock = { ...systemClock, now: () => spansEndMs }
  const meta = await openSqliteMeta(join(folder, 'meta.sqlite'), { clock })
  const blobs = openFileBlobs(join(folder, 'blobs'))
  const { id: organizationId } = await meta.organizations.createOrganization({
    slug: 'acme',
    name: 'Acme',
    ownerUserId: 'u',
  })
  const project = await meta.projects.createProject({ organizationId, slug: 'web', name: 'Web', platform: 'node' })
  const deps = {
    meta,
    events: store,
    clock: systemClock,
    config: {
      url: 'http://bench.test',
      retentionErrorsDays: 90,
      retentionSpansDays: 30,
      retentionLogsDays: 14,
      retentionMetricsDays: 90,
    },
    auth: { personByEmail: async () => undefined },
    readers: { isCatchingUp: () => false },
  }
  const exports = createExports({
    clock: systemClock,
    observe: silent,
    meta,
    blobs,
    askOf: (value, signal) => exportAsk(deps, value, signal),
    roomBytes: async () => Number.MAX_SAFE_INTEGER,
  })
  /** Requests an export of all spans since this time, and writes it. */
  async function write(format: ExportFormat, fromMs: number) {
    const request = { plan, projectIds: [project.id], environments: [], fromMs, toMs: spansEndMs }
    const { id } = await meta.explore.requestExport({ organizationId, userId: 'u', format, request })
    await exports.run()
    const done = await meta.explore.exportById(id)
    if (done?.state !== 'done') throw new Error(`the export ended as ${done?.state}: ${done?.error}`)
    return done
  }
  return { write, close: () => meta.close() }
}

/** Runs work and returns its seconds and the peak of the memory of this process and the engine above that before. */
async function watched<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number; more: number }> {
  const before = pssOf(process.pid, 'Pss_Anon').total
  let most = before
  const cancel = systemClock.every(200, () => {
    most = Math.max(most, pssOf(process.pid, 'Pss_Anon').total)
  })
  const began = performance.now()
  try {
    const result = await work()
    return { result, seconds: (performance.now() - began) / 1000, more: most - before }
  } finally {
    cancel()
  }
}

/** Exports every span in each format. */
async function exported(store: EventStore, folder: string): Promise<Row[]> {
  const { write, close } = await openExports(store, folder)
  // The engine and this process get their ordinary memory first.
  await write('csv', spansEndMs - 6 * 3_600_000)
  const rows: Row[] = []
  for (const format of exportFormats.toReversed()) {
    const { result, seconds, more } = await watched(() => write(format, spansEndMs - spanDays * 86_400_000))
    rows.push({
      what: `${result.rowsDone.toLocaleString('en')} spans with ${columns.length} columns exported as ${format}`,
      goal: `${goalSeconds} s, at most ${goalMb} MB more memory`,
      result: `${seconds.toFixed(1)} s, ${more} MB more, file of ${Math.round(result.bytes / 1e6)} MB`,
      met: seconds <= goalSeconds && more <= goalMb && Math.abs(result.rowsDone - rowCount) < 100,
      note: 'Memory is that of the exporting process and the engine together.',
    })
  }
  await close()
  return rows
}

/** Rows for exports of one million spans. */
export const benchExport = (): Promise<Row[]> =>
  withSpans(
    async (store) => {
      const folder = mkdtempSync(join(tmpdir(), 'mishap-export-bench-'))
      try {
        return await exported(store, folder)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
    [rowCount],
  )
