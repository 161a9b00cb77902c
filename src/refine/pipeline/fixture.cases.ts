import type { NormalEvent } from '../../domain/event.ts'
import type { JournalRecord, RecordHead } from '../../journal/journal.ts'
import type { Places } from '../../store/events/table.ts'
import type { ProjectSettings } from '../../store/meta/meta.ts'
import type { GroupDetails, Refined } from '../kinds/kind.ts'
import type { RangeMaps } from '../symbolicate/maps.ts'
import { createTools, type Tools } from './context.ts'
import { refineRecord } from './record.ts'

// For tests and benches of this folder: records without a journal.

/** 21 November 2026, 09:40 UTC: the hour in which the envelopes were recorded. */
export const recordedMs = Date.UTC(2026, 10, 21, 9, 40)

export const plainSettings: ProjectSettings = {
  projectId: 7,
  organizationId: 1,
  scrubDefaults: true,
  scrubIpAddresses: false,
  sensitiveFields: [],
  safeFields: [],
}

const ownTools: Tools = createTools()

/** A refined record, with the groups of each table separate. */
export function viewOf(refined: Refined) {
  const { groups, effects } = refined
  const events = groups.flatMap((group) => {
    if (group.table !== 'events') return []
    const { rows, forms, effect, outcomes, index } = group
    const [[row], [outcome]] = [rows, outcomes]
    return row && forms && effect && outcome ? [{ row, forms, effect, outcome, index }] : []
  })
  const spans = groups.flatMap(({ window, key, index, outcomes, ...group }) =>
    group.table === 'spans' ? [{ item: itemOf(window), key, index, outcomes, rows: group.rows }] : [],
  )
  const logs = groups.flatMap((group) => (group.table === 'logs' ? [group] : []))
  return { ...refined, ...effects, events, spans, logs }
}

const itemOf = (window: GroupDetails['window']) => (window === 'transactions' ? 'transaction' : 'span')

/** Refines a body as a record at position 1000. `stored`: places that all tables have already. */
export function refineBody(
  body: Buffer | string,
  head: Partial<RecordHead> = {},
  settings: Partial<ProjectSettings> = {},
  maps?: RangeMaps,
  stored?: Places,
  tools: Tools = ownTools,
) {
  const bytes = Buffer.from(body)
  const record: JournalRecord = {
    jpos: 1000,
    end: 1000 + bytes.length + 200,
    head: {
      kind: 'envelope',
      receivedMs: recordedMs,
      projectId: 7,
      organizationId: 1,
      keyId: 3,
      clientAddress: '203.0.113.9',
      userAgent: '',
      origin: '',
      contentType: '',
      ...head,
    },
    body: bytes,
  }
  const tableNames = ['events', 'spans', 'logs', 'metrics'] as const
  const places = stored && new Map(tableNames.map((table) => [table, stored]))
  return viewOf(refineRecord(record, bytes, { ...plainSettings, ...settings }, tools, undefined, maps, places))
}

/** Refines an event like the store endpoint. Throws if it was not stored. */
export function refineEvent(
  event: unknown,
  head: Partial<RecordHead> = {},
  settings: Partial<ProjectSettings> = {},
  maps?: RangeMaps,
) {
  const refined = refineBody(
    typeof event === 'string' ? event : JSON.stringify(event),
    { kind: 'store', ...head },
    settings,
    maps,
  )
  const first = refined.events[0]
  if (!first) throw new Error(`not stored: ${JSON.stringify(refined.outcomes)}`)
  const [normal = '', received = ''] = first.row.payload.split('\n')
  return {
    ...first,
    event: JSON.parse(normal) as NormalEvent,
    received: JSON.parse(received) as Record<string, unknown>,
  }
}
