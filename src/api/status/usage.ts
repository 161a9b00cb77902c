import { isOutage } from '../../base/errors.ts'
import type { RestUsage } from '../../contract/status.ts'
import type { App } from '../../processes/parts.ts'
import { sizesByTable, type TableName, tableOfCategory } from '../../store/events/tables.ts'
import type { Organization } from '../../store/meta/meta.ts'

const dayMs = 86_400_000

/** Returns rows and bytes of each project in the events store; undefined while it is down. */
async function eventsOf(app: App): Promise<Map<number, { rows: number; bytes: number; thinned: number }> | undefined> {
  try {
    const [counts, tables] = await Promise.all([app.events.rowsByProject(), app.events.size()])
    const onDisk = sizesByTable(tables).events.bytes
    const received = new Map<number, { quantity: number; bytes: number }>()
    const all = { quantity: 0, bytes: 0 }
    const fromMs = app.clock.now() - app.config.retentionErrorsDays * dayMs
    for (const outcomeSum of await app.meta.ledger.outcomeSums({ fromMs })) {
      if (outcomeSum.outcome !== 'stored' || tableOfCategory(outcomeSum.category) !== 'events') continue
      const sum = received.get(outcomeSum.projectId) ?? { quantity: 0, bytes: 0 }
      for (const into of [sum, all]) {
        into.quantity += outcomeSum.quantity
        into.bytes += outcomeSum.bytes
      }
      received.set(outcomeSum.projectId, sum)
    }
    const meanOf = ({ quantity, bytes }: typeof all) => (quantity > 0 && bytes > 0 ? bytes / quantity : undefined)
    const weights = counts.map((count) => ({
      ...count,
      weight: count.rows * (meanOf(received.get(count.projectId) ?? all) ?? meanOf(all) ?? 1),
    }))
    const totalWeight = weights.reduce((sum, weight) => sum + weight.weight, 0)
    return new Map(
      weights.map(({ projectId, rows, thinned, weight }) => [
        projectId,
        { rows, bytes: totalWeight > 0 ? Math.round((onDisk * weight) / totalWeight) : 0, thinned },
      ]),
    )
  } catch (error) {
    return whenAway(error)
  }
}

function whenAway(error: unknown): undefined {
  if (!isOutage(error)) throw error
}

/** Returns rows per project in a table, and bytes in proportion to them; undefined while the store is down. */
async function rowsOf(app: App, table: TableName): Promise<Map<number, { rows: number; bytes: number }> | undefined> {
  try {
    const [counts, sizes] = await Promise.all([app.events.countByProject(table), app.events.size()])
    const onDisk = sizesByTable(sizes)[table].bytes
    const all = counts.reduce((sum, count) => sum + count.rows, 0)
    return new Map(
      counts.map(({ projectId, rows }) => [projectId, { rows, bytes: Math.round((onDisk * rows) / Math.max(1, all)) }]),
    )
  } catch (error) {
    return whenAway(error)
  }
}

/**
 * Returns the disk usage of an organization's projects by kind, most first. The operator also gets the shared usage.
 * Event bytes are estimated: the files of the store, split by rows and the mean received size of a project's items.
 * Packed columns cannot be measured per project.
 */
export async function usageOf(app: App, organization: Organization, isOperator: boolean): Promise<RestUsage> {
  const under = async (folder: string) => (isOperator ? app.bytesUnder(`${app.config.data}/${folder}`) : null)
  const [events, spans, logs, metrics, journalBytes, databaseBytes, spoolBytes] = await Promise.all([
    eventsOf(app),
    rowsOf(app, 'spans'),
    rowsOf(app, 'logs'),
    rowsOf(app, 'metrics'),
    ...(['journal', 'meta', 'blobs/spool'] as const).map(under),
  ] as const)
  const projectBytes = new Map((await app.meta.ledger.bytesByProject()).map((byte) => [byte.projectId, byte]))
  const none = { count: 0, bytes: 0 }
  const projects = (await app.meta.projects.projectsOf(organization.id)).map(({ id, slug }) => ({
    id: String(id),
    slug,
    events: events ? (events.get(id) ?? { rows: 0, bytes: 0, thinned: 0 }) : null,
    spans: spans ? (spans.get(id) ?? { rows: 0, bytes: 0 }) : null,
    logs: logs ? (logs.get(id) ?? { rows: 0, bytes: 0 }) : null,
    metrics: metrics ? (metrics.get(id) ?? { rows: 0, bytes: 0 }) : null,
    attachments: projectBytes.get(id)?.attachments ?? none,
    deadItems: projectBytes.get(id)?.dead ?? none,
    artifacts: projectBytes.get(id)?.bundles ?? none,
  }))
  const sum = (usage: (typeof projects)[number]) =>
    (usage.events?.bytes ?? 0) +
    (usage.spans?.bytes ?? 0) +
    (usage.logs?.bytes ?? 0) +
    (usage.metrics?.bytes ?? 0) +
    usage.attachments.bytes +
    usage.deadItems.bytes +
    usage.artifacts.bytes
  return {
    projects: projects.sort((a, b) => sum(b) - sum(a)),
    journalBytes: journalBytes ?? null,
    databaseBytes: databaseBytes ?? null,
    spoolBytes: spoolBytes ?? null,
  }
}
