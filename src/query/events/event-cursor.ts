import { MishapError } from '../../base/errors.ts'
import type { EventPosition, SeenEvent } from '../../store/events/events.ts'
import type { Page } from '../cursor.ts'
import { readCursor } from '../cursor.ts'

/** Limit of rows that a client can skip by offset. Such a page costs as much as all the rows before it. */
const offsetMax = 10_000
/** Microseconds have 16 digits until the year 2286; an id of 128 bits has up to 39. */
const idDigits = 39
const positionForm = /^(\d{1,17})(\d{39}):(\d{1,9}):([01])$/

/**
 * The start of a page of events. `from` is the adjacent row, not part of the page; `newer` tells on which side of it
 * the page lies. Without `from` the page is found by `offset`. `offset` also counts the rows that were paged so far.
 */
type EventCursor = { from: EventPosition | undefined; newer: boolean; offset: number }

/** Parses a cursor of an event list; an absent one is the start. Throws VALIDATION. */
export function readEventCursor(text: string | undefined): EventCursor {
  const found = positionForm.exec(text ?? '')
  if (!found) {
    const { after, offset } = readCursor(text)
    const reason = after ? 'A cursor of this list.' : offset > offsetMax ? `At most ${offsetMax} rows.` : undefined
    if (reason) throw new MishapError('VALIDATION', { fields: { cursor: [reason] } })
    return { from: undefined, newer: false, offset }
  }
  const eventId = BigInt(found[2] ?? '')
    .toString(16)
    .padStart(32, '0')
  if (eventId.length > 32) throw new MishapError('VALIDATION', { fields: { cursor: ['A cursor of this list.'] } })
  return { from: { timestampUs: Number(found[1]), eventId }, newer: found[4] === '1', offset: Number(found[3]) }
}

/** Formats a cursor: three whole numbers, as clients expect. The first is the row's time and id. */
function writeEventCursor(row: EventPosition, newer: boolean, offset: number): string {
  const id = BigInt(`0x${row.eventId}`).toString().padStart(idDigits, '0')
  return `${row.timestampUs}${id}:${Math.max(0, offset)}:${newer ? 1 : 0}`
}

type PageRequest = { order: 'newest' | 'oldest'; max: number; offset: number; from?: EventPosition }

/** Returns the store request for a page. It reads one extra row to learn whether there is another page. */
export const pageRequest = ({ from, newer, offset }: EventCursor, limit: number): PageRequest => ({
  order: newer ? 'oldest' : 'newest',
  max: limit + 1,
  ...(from ? { from, offset: 0 } : { offset }),
})

/**
 * Builds a page of events, newest first, from the store's answer to `pageRequest`. The links name rows instead of
 * offsets, so rows that are added or removed meanwhile cause no repeats or gaps.
 */
export function eventPage(cursor: EventCursor, found: SeenEvent[], limit: number): Page<SeenEvent> {
  const { from, newer, offset } = cursor
  const more = found.length > limit
  const shown = found.slice(0, limit)
  const rows = newer ? shown.reverse() : shown
  const [first, last] = [rows[0] ?? from, rows.at(-1) ?? from]
  const start = newer ? Math.max(0, offset - rows.length) : offset
  const link = (row: EventPosition | undefined, isNewer: boolean, at: number) =>
    row ? writeEventCursor(row, isNewer, at) : `0:0:${isNewer ? 1 : 0}`
  return {
    rows,
    hits: undefined,
    walk: from === undefined && offset > 0 ? 'may-repeat' : 'stable',
    previous: { cursor: link(first, true, start), results: newer ? more : offset > 0 || from !== undefined },
    next: { cursor: link(last, false, start + rows.length), results: newer ? from !== undefined : more },
  }
}
