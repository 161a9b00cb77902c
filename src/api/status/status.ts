import { readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { isOutage } from '../../base/errors.ts'
import type { Outcome } from '../../base/outcome.ts'
import type { RestOrganizationStatus, RestStatus } from '../../contract/status.ts'
import type { App } from '../../processes/parts.ts'
import { selfProject } from '../../query/self-project.ts'
import type { Organization } from '../../store/meta/meta.ts'
import { advisoryOf } from './advisories.ts'

const deadLettersMax = 100
const downsamplingRunsMax = 10
/** Range of the sums: the ledger covers 13 months. */
const ledgerMs = 400 * 86_400_000
/** Parts that process untrusted input or hold stored data. */
const watched = ['chdb', 'next', 'better-auth', 'brotli-wasm', 'hono', 'react', '@clickhouse/client', 'kysely'] as const

/** Returns versions of the pinned parts from package.json, which has exact versions. */
function versionsOf(app: App): RestStatus['versions'] {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  ) as Record<'dependencies' | 'devDependencies', Record<string, string> | undefined>
  // Parts used to build the screens are devDependencies.
  const pinned: Record<string, string> = { ...devDependencies, ...dependencies }
  const parts: [string, string][] = [
    ['mishap', app.version],
    ['node', process.versions.node],
    ...watched.flatMap((name): [string, string][] => (pinned[name] ? [[name, pinned[name]]] : [])),
  ]
  return parts.map(([name, version]) => ({ name, version, advisory: advisoryOf(name, version) }))
}

/**
 * Sums the ledger without Mishap's own project, whose items are one sum (`own`). `waiting`: records that refine has not
 * committed. `projectIds`: only these projects.
 */
async function ledgerOf(app: App, waiting: number, projectIds?: number[]): Promise<RestStatus['ledger']> {
  const rows = new Map<string, RestStatus['ledger']['rows'][number]>()
  const sums = new Map<Outcome, number>()
  const [first] = await app.meta.organizations.organizations()
  const selfId = first && (await selfProject(app.meta, first.id))?.id
  let own = 0
  for (const outcomeSum of await app.meta.ledger.outcomeSums({
    ...(projectIds ? { projectIds } : {}),
    fromMs: app.clock.now() - ledgerMs,
  })) {
    if (outcomeSum.projectId === selfId) {
      if (outcomeSum.outcome === 'received') own += outcomeSum.quantity
      continue
    }
    sums.set(outcomeSum.outcome, (sums.get(outcomeSum.outcome) ?? 0) + outcomeSum.quantity)
    if (outcomeSum.outcome === 'received') continue
    const name = `${outcomeSum.category} ${outcomeSum.outcome} ${outcomeSum.reason}`
    const row = rows.get(name)
    if (row) Object.assign(row, { quantity: row.quantity + outcomeSum.quantity, bytes: row.bytes + outcomeSum.bytes })
    else
      rows.set(name, {
        category: outcomeSum.category,
        outcome: outcomeSum.outcome,
        reason: outcomeSum.reason,
        quantity: outcomeSum.quantity,
        bytes: outcomeSum.bytes,
      })
  }
  const sum = (outcome: Outcome) => sums.get(outcome) ?? 0
  const ended = sum('stored') + sum('filtered') + sum('rate_limited') + sum('invalid') + sum('duplicate') + sum('dead')
  // A waiting record counts as one item until refine counts the items of its envelope.
  return {
    received: sum('received') + waiting,
    stored: sum('stored'),
    filtered: sum('filtered'),
    rateLimited: sum('rate_limited'),
    invalid: sum('invalid'),
    duplicate: sum('duplicate'),
    waiting,
    dead: sum('dead'),
    lost: sum('received') - ended,
    clientDiscards: sum('client_discard'),
    thinned: sum('thinned'),
    own,
    rows: [...rows.values()].sort((a, b) => b.quantity - a.quantity),
  }
}

/** Returns stored bytes and the disk budget. Null while the events store is down. */
async function budgetOf(app: App): Promise<RestStatus['disk']['budget']> {
  try {
    const { budget, stored, tables, blobs, database, copies } = await app.disk()
    return {
      budgetBytes: budget,
      storedBytes: stored,
      eventBytes: tables.events.bytes,
      spanBytes: tables.spans.bytes,
      logBytes: tables.logs.bytes,
      metricBytes: tables.metrics.bytes,
      blobBytes: blobs,
      databaseBytes: database,
      copyBytes: copies,
    }
  } catch (error) {
    if (isOutage(error)) return null
    throw error
  }
}

const downsampledRuns = async (app: App): Promise<RestStatus['disk']['thinned']> =>
  (await app.meta.retention.downsampleRuns(downsamplingRunsMax)).map(({ id: _id, startedMs, endedMs, ...run }) => ({
    ...run,
    startedAt: new Date(startedMs).toISOString(),
    endedAt: endedMs === null ? null : new Date(endedMs).toISOString(),
  }))

/** Returns the status for members: sums of their organization's projects, and nothing about the machine. */
export async function organizationStatusOf(app: App, organization: Organization): Promise<RestOrganizationStatus> {
  const projectIds = (await app.meta.projects.projectsOf(organization.id)).map((project) => project.id)
  const { waiting: _waiting, ...ledger } = await ledgerOf(app, 0, projectIds)
  const projectBytes = (await app.meta.ledger.bytesByProject()).filter((usage) => projectIds.includes(usage.projectId))
  return {
    ledger,
    deadItems: projectBytes.reduce((sum, usage) => sum + usage.dead.count, 0),
    projects: projectIds.length,
  }
}

/** Returns which events store is used, and its version if it answers. */
function storeOf(
  app: App,
  serverVersion: string | null,
  versions: RestStatus['versions'],
): Omit<RestStatus['engine'], 'up'> {
  const server = app.eventsServer()
  if (server) return { kind: 'server', host: server.host, version: serverVersion, away: server.away ?? null }
  const version = versions.find(({ name }) => name === 'chdb')?.version ?? null
  return { kind: 'embedded', host: null, version, away: null }
}

/** Returns the state of the installation: lag, ledger, disk, dead letters, versions. Works without the events store. */
export async function statusOf(app: App): Promise<RestStatus> {
  const [dataBytes, disk, tables, budget, serverVersion] = await Promise.all([
    app.bytesUnder(app.config.data),
    statfs(app.config.data).catch(() => undefined),
    app.events.size().catch((error: unknown) => {
      if (isOutage(error)) return []
      throw error
    }),
    budgetOf(app),
    app.eventsServer() ? app.events.version().catch(() => null) : null,
  ])
  const versions = versionsOf(app)
  // Count only once: each count reads the heads of up to 5,000 records on the thread that commits.
  const journal = await app.journal()
  const wait = app.waitsFor()
  return {
    version: app.version,
    startedAt: new Date(app.startedMs).toISOString(),
    engine: { up: app.engineUp(), ...storeOf(app, serverVersion, versions) },
    blobStore: { place: app.blobs.isRemote ? 's3' : 'files', ...app.blobState() },
    journal: {
      ...journal,
      waitsFor: wait ? { store: wait.store, since: new Date(wait.sinceMs).toISOString() } : null,
    },
    ledger: await ledgerOf(app, journal.waitingRecords),
    disk: {
      dataBytes,
      freeBytes: disk ? disk.bavail * disk.bsize : 0,
      totalBytes: disk ? disk.blocks * disk.bsize : 0,
      tables,
      budget,
      thinned: await downsampledRuns(app),
    },
    deadItems: (await app.meta.ledger.deadLetters(deadLettersMax)).map((deadLetter) => ({
      jpos: String(deadLetter.jpos),
      projectId: String(deadLetter.projectId),
      receivedAt: new Date(deadLetter.receivedMs).toISOString(),
      reason: deadLetter.reason,
      bytes: deadLetter.bytes,
    })),
    versions,
  }
}
