import { describe, expect, test } from 'vitest'
import type { EventPosition, SeenEvent } from '../../store/events/events.ts'
import { eventPage, pageRequest, readEventCursor } from './event-cursor.ts'

/** Events at three times, newest first. Two share a time, so the id decides. */
const row = (timestampUs: number, id: string) => ({ timestampUs, eventId: id.padStart(32, '0') }) as SeenEvent
const newestFirst = [
  row(1_790_000_000_000_003, 'f'.repeat(32)),
  ...Array.from({ length: 9 }, (_, n) => row(1_790_000_000_000_002, (9 - n).toString(16))),
  row(1, '0'),
]

const compare = (a: EventPosition, b: EventPosition) =>
  a.timestampUs - b.timestampUs || (a.eventId < b.eventId ? -1 : a.eventId > b.eventId ? 1 : 0)

/** Answers like the events store. */
function ask(rows: SeenEvent[], { from, order, offset = 0, max }: ReturnType<typeof pageRequest>): SeenEvent[] {
  const sorted = rows.toSorted((a, b) => (order === 'newest' ? compare(b, a) : compare(a, b)))
  const side = (event: SeenEvent) =>
    from ? (order === 'newest' ? compare(event, from) < 0 : compare(event, from) > 0) : true
  return sorted.filter(side).slice(offset, offset + max)
}

const pageOf = (rows: SeenEvent[], text: string | undefined, limit: number) => {
  const cursor = readEventCursor(text)
  return eventPage(cursor, ask(rows, pageRequest(cursor, limit)), limit)
}

describe('a walk through events', () => {
  test.each([1, 2, 3, 5, 10, 11, 12])('%i a page: each event once to the end, and back the same pages', (limit) => {
    const pages: SeenEvent[][] = []
    const cursors: (string | undefined)[] = [undefined]
    for (;;) {
      const page = pageOf(newestFirst, cursors.at(-1), limit)
      pages.push(page.rows)
      if (!page.next.results) break
      cursors.push(page.next.cursor)
    }
    expect(pages.flat()).toEqual(newestFirst)
    let page = pageOf(newestFirst, cursors.at(-1), limit)
    for (const expected of pages.slice(0, -1).toReversed()) {
      expect(page.previous.results).toBe(true)
      page = pageOf(newestFirst, page.previous.cursor, limit)
      expect([page.rows, page.next.results]).toEqual([expected, true])
    }
    expect(page.previous.results).toBe(false)
  })

  test('events that arrive or go meanwhile neither repeat nor hide others', () => {
    const first = pageOf(newestFirst, undefined, 4)
    const meanwhile = [row(1_790_000_000_000_009, 'a'), ...newestFirst.slice(1)]
    const second = pageOf(meanwhile, first.next.cursor, 4)
    expect([...first.rows, ...second.rows]).toEqual(newestFirst.slice(0, 8))
  })

  test('offsets as clients count them still work, up to 10,000 rows', () => {
    expect(pageOf(newestFirst, '0:3:0', 2).rows).toEqual(newestFirst.slice(3, 5))
    expect(readEventCursor('0:10000:0')).toEqual({ from: undefined, newer: false, offset: 10_000 })
  })

  test('an empty page keeps its place', () => {
    const cursor = readEventCursor(pageOf(newestFirst, undefined, 11).next.cursor)
    const page = eventPage(cursor, [], 5)
    expect(readEventCursor(page.next.cursor).from).toEqual(cursor.from)
    expect([page.previous.results, page.next.results]).toEqual([true, false])
    expect(eventPage(readEventCursor(undefined), [], 5).next).toEqual({ cursor: '0:0:0', results: false })
  })

  test.each(['0:10001:0', '17900000000000000000000007:25:0', `1${'9'.repeat(39)}:0:0`, `${'1'.repeat(58)}:0:0`, 'x'])(
    '%s is refused',
    (text) => {
      expect(() => readEventCursor(text)).toThrow(
        expect.objectContaining({ code: 'VALIDATION', fields: { cursor: [expect.any(String)] } }),
      )
    },
  )
})
