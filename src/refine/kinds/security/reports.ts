import type { RecordHead } from '../../../journal/journal.ts'
import { normalizeId } from '../../../wire/ids.ts'
import { ended } from '../../pipeline/item-outcome.ts'
import { type Parsed, parsePayload, scalar } from '../../pipeline/value.ts'
import { refineEvent } from '../error/events.ts'
import { bodyKind, itemKind, type RecordWork } from '../kind.ts'
import { reportsMax, reportsOf } from './security.ts'

/** A browser's payload: one report, or a list in the Reporting API. `reports` is undefined if it has none. */
type ReadReports = { parsed: Parsed; reports: ReturnType<typeof reportsOf> }

function readReports(payload: Buffer): ReadReports {
  const parsed = parsePayload(payload)
  return { parsed, reports: 'broken' in parsed ? undefined : reportsOf(parsed.value) }
}

/** Each report counts by itself. A payload without reports counts as one item. */
const countOfReports = ({ reports }: ReadReports): number => (reports ? reports.events.length + reports.other : 1)

type Incoming = ReadReports & { bytes: number; itemType: string; head: RecordHead }

function refineReports(work: RecordWork, { parsed, reports, bytes, itemType, head }: Incoming): void {
  if (!reports) {
    const reason = 'broken' in parsed ? 'bad_json' : 'bad_item'
    work.out.outcomes.push(ended(work, itemType, 'security', 'invalid', reason, bytes))
    return
  }
  const accepted = reports.events.slice(0, reportsMax)
  const bytesEach = Math.floor(bytes / Math.max(1, reports.events.length + reports.other))
  for (const [index, report] of accepted.entries()) {
    const eventId = index === 0 ? normalizeId(head.eventId) : undefined
    const repaired = 'repaired' in parsed && parsed.repaired
    refineEvent(work, {
      parsed: { value: report, repaired },
      bytes: bytesEach,
      itemType,
      eventId,
      index,
      sentMs: undefined,
      head,
      category: 'security',
    })
  }
  const leftOver = reports.events.length - accepted.length
  if (leftOver)
    work.out.outcomes.push(
      ended(work, itemType, 'security', 'invalid', 'too_many_items', bytesEach * leftOver, leftOver),
    )
  if (reports.other)
    work.out.outcomes.push(
      ended(work, itemType, 'security', 'filtered', 'not_stored_yet', bytesEach * reports.other, reports.other),
    )
}

export const securityKind = itemKind<ReadReports>({
  itemTypes: ['raw_security'],
  read: ({ item }) => readReports(item.payload),
  countsAs: countOfReports,
  refine: (work, read, { item: { type, payload, headers } }) => {
    const head: RecordHead = { ...work.head }
    const release = scalar(headers['sentry_release'])
    const environment = scalar(headers['sentry_environment'])
    if (release) head.release = release
    if (environment) head.environment = environment
    if (work.envelope.named) head.eventId = work.envelope.named
    refineReports(work, { ...read, bytes: payload.length, itemType: type, head })
  },
})

export const securityBody = bodyKind<ReadReports>({
  record: 'security',
  read: (_work, body) => readReports(body),
  countsAs: countOfReports,
  refine: (work, read, body) =>
    refineReports(work, { ...read, bytes: body.length, itemType: 'security', head: work.head }),
})
