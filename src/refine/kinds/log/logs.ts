import { hash } from 'node:crypto'
import type { OutcomeReason } from '../../../base/outcome.ts'
import type { LogRow } from '../../../store/events/log-store.ts'
import { claimedCount } from '../../../wire/item-types.ts'
import { filtered } from '../../filter/filter.ts'
import type { Context } from '../../pipeline/context.ts'
import type { Draft } from '../../pipeline/draft.ts'
import { ended } from '../../pipeline/item-outcome.ts'
import { type Parsed, parsePayload } from '../../pipeline/value.ts'
import { userAgent } from '../error/user-agent.ts'
import {
  derivedId,
  isStored,
  isStoredAt,
  itemKind,
  nextPlace,
  type RecordWork,
  type RepeatWindow,
  type RowGroup,
  skipPlaces,
} from '../kind.ts'
import { draftOf, type LogItem, linesOf, logItem, logLinesMax } from './items.ts'
import { logRows } from './line.ts'

/**
 * Log containers of the last hour. A client that gets no answer sends its container again, unchanged. Lines have no ids,
 * so the bytes of the payload are the key. A start reads nothing back.
 */
export const logWindow: RepeatWindow = { name: 'logs', max: 200_000 }

/** The dedup key of lines that arrived together: of their bytes. SHA-1, because processors compute it at 1.5 GB/s. */
export const logKey = (payload: Uint8Array): string => hash('sha1', payload, 'hex').slice(0, 32)

/** Adds rows that are stored, counted and refused together. */
export function addLogRows(
  work: RecordWork,
  rows: readonly LogRow[],
  { key, index, outcomes }: Pick<RowGroup, 'key' | 'index' | 'outcomes'>,
): void {
  const { projectId, receivedMs } = work.head
  const first = rows[0]?.place ?? 0
  // A filter of now can keep lines that were dropped before, so the first row of a recovery can be new.
  const isListed = isStored(work, 'logs', work.record.jpos) || rows.some(({ place }, at) => place !== first + at)
  work.out.groups.push({
    table: 'logs',
    window: logWindow.name,
    key,
    projectId,
    receivedMs,
    jpos: work.record.jpos,
    place: first,
    ...(isListed ? { places: rows.map(({ place }) => place) } : {}),
    index,
    part: 'onlyItem',
    outcomes,
    rows,
  })
}

/** The places of lines that one draft decides about. */
type JudgedPlaces = { first: number; count: number }

/** Why the project's filters drop lines with this draft. Stored lines already passed the filters in the previous run. */
export function droppedLines(
  work: RecordWork,
  context: Context,
  { first, count }: JudgedPlaces,
  draft: () => Draft,
): OutcomeReason | undefined {
  const { settings, tools, head } = work
  if (!settings.filters || isStoredAt(work, 'logs', first, count)) return undefined
  const made = draft()
  userAgent(made, context)
  return filtered(made, settings, tools, head)?.reason
}

/** A parsed container. `item` is undefined if the payload has no such form. */
type ReadLogs = { parsed: Parsed; item: LogItem | undefined; claimed: number }

/** A container of log lines. Each line has its own outcome. */
export const logKind = itemKind<ReadLogs>({
  itemTypes: ['log'],
  read: ({ item: { type, headers, payload } }, { trace }) => {
    const parsed = parsePayload(payload)
    const item = 'broken' in parsed ? undefined : logItem(parsed.value, trace, parsed.sent)
    // An unreadable payload counts as the number of lines in its header.
    return { parsed, item, claimed: claimedCount({ type, headers, bytes: payload.length }) }
  },
  countsAs: ({ item, claimed }) => (item ? Math.max(1, item.lines.length) : claimed),
  refine: (work, { parsed, item, claimed }, { item: { payload }, index }) => {
    const { head, settings, tools, record, out } = work
    const total = item ? Math.max(1, item.lines.length) : claimed
    const bytesOf = (quantity: number) => Math.floor((payload.length * quantity) / total)
    const invalid = (reason: OutcomeReason, quantity: number) => {
      if (quantity > 0)
        out.outcomes.push(ended(work, 'log', 'log_item', 'invalid', reason, bytesOf(quantity), quantity))
    }
    if ('broken' in parsed) return invalid('bad_json', claimed)
    if (!item || item.lines.length === 0) return invalid('bad_item', total)
    const context: Context = {
      head,
      eventId: derivedId(work, index),
      sentMs: work.envelope.sentMs,
      settings,
      tools,
      maps: undefined,
    }
    const places: JudgedPlaces = { first: nextPlace(work, 'logs'), count: Math.min(item.lines.length, logLinesMax) }
    const dropped = droppedLines(work, context, places, () => draftOf(item, context))
    if (dropped) {
      skipPlaces(work, 'logs', places.count)
      out.outcomes.push(ended(work, 'log', 'log_item', 'filtered', dropped, payload.length, total))
      return
    }
    const { lines, excess, broken } = linesOf(item, context, payload.length)
    invalid('too_many_items', excess)
    invalid('bad_item', broken)
    if (lines.length === 0) return
    const rows = logRows(lines, item.sent, context, { jpos: record.jpos, placeOf: (at) => places.first + at })
    const bytes = payload.length - bytesOf(excess) - bytesOf(broken)
    const outcomes = [ended(work, 'log', 'log_item', 'stored', 'ok', bytes, rows.length)]
    addLogRows(work, rows, { key: logKey(payload), index, outcomes })
  },
})
