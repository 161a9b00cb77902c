import { MishapError } from '../../base/errors.ts'
import type { RestUsage } from '../../contract/status.ts'
import type { App } from '../../processes/app.ts'
import type { Organization } from '../../store/meta/meta.ts'

const dayMs = 86_400_000
/** What is stored, and is no event. */
const notEvents: ReadonlySet<string> = new Set(['attachment', 'transaction', 'span'])

/** Rows and bytes of each project in the events store; undefined while it is away. */
async function eventsOf(app: App): Promise<Map<number, { rows: number; bytes: number; thinned: number }> | undefined> {
  try {
    const [counts, tables] = await Promise.all([app.events.rowsByProject(), app.events.size()])
    const onDisk = tables.reduce((sum, table) => sum + (table.table === 'spans' ? 0 : table.bytesOnDisk), 0)
    const received = new Map<number, { quantity: number; bytes: number }>()
    const all = { quantity: 0, bytes: 0 }
    const fromMs = app.clock.now() - app.config.retentionErrorsDays * dayMs
    for (const outcomeSum of app.meta.outcomeSums({ fromMs })) {
      if (outcomeSum.outcome !== 'stored' || notEvents.has(outcomeSum.category)) continue
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
    const whole = weights.reduce((sum, weight) => sum + weight.weight, 0)
    return new Map(
      weights.map(({ projectId, rows, thinned, weight }) => [
        projectId,
        { rows, bytes: whole > 0 ? Math.round((onDisk * weight) / whole) : 0, thinned },
      ]),
    )
  } catch (error) {
    return whenAway(error)
  }
}

function whenAway(error: unknown): undefined {
  if (!(error instanceof MishapError && error.code === 'STORE_UNAVAILABLE')) throw error
}

/** Spans of each project, and their share of the table by rows; undefined while the store is away. */
async function spansOf(app: App): Promise<Map<number, { rows: number; bytes: number }> | undefined> {
  try {
    const [counts, tables] = await Promise.all([app.events.spansByProject(), app.events.size()])
    const onDisk = tables.find((table) => table.table === 'spans')?.bytesOnDisk ?? 0
    const all = counts.reduce((sum, count) => sum + count.rows, 0)
    return new Map(
      counts.map(({ projectId, rows }) => [projectId, { rows, bytes: Math.round((onDisk * rows) / Math.max(1, all)) }]),
    )
  } catch (error) {
    return whenAway(error)
  }
}

/**
 * What an organization's projects take on disk, by kind, most first; for the operator what all share, too. Bytes of events are a share of
 * the store's files by rows and the mean size that a project's items had when they were received: packed columns can't be
 * told apart by project.
 */
export async function usageOf(app: App, organization: Organization, isOperator: boolean): Promise<RestUsage> {
  const under = async (folder: string) => (isOperator ? app.bytesUnder(`${app.config.data}/${folder}`) : null)
  const [events, spans, journalBytes, databaseBytes, spoolBytes] = await Promise.all([
    eventsOf(app),
    spansOf(app),
    ...(['journal', 'meta', 'blobs/spool'] as const).map(under),
  ] as const)
  const kept = new Map(app.meta.bytesByProject().map((byte) => [byte.projectId, byte]))
  const none = { count: 0, bytes: 0 }
  const projects = app.meta.projectsOf(organization.id).map(({ id, slug }) => ({
    id: String(id),
    slug,
    events: events ? (events.get(id) ?? { rows: 0, bytes: 0, thinned: 0 }) : null,
    spans: spans ? (spans.get(id) ?? { rows: 0, bytes: 0 }) : null,
    attachments: kept.get(id)?.attachments ?? none,
    deadItems: kept.get(id)?.dead ?? none,
    artifacts: kept.get(id)?.bundles ?? none,
  }))
  const sum = (item: (typeof projects)[number]) =>
    (item.events?.bytes ?? 0) +
    (item.spans?.bytes ?? 0) +
    item.attachments.bytes +
    item.deadItems.bytes +
    item.artifacts.bytes
  return {
    projects: projects.sort((a, b) => sum(b) - sum(a)),
    journalBytes: journalBytes ?? null,
    databaseBytes: databaseBytes ?? null,
    spoolBytes: spoolBytes ?? null,
  }
}
