import { MishapError } from '../base/errors.ts'

/**
 * A position in a list: `value:offset:isPrevious`, three whole numbers (docs/rest.md). With `value` 0 the list is paged
 * by offset. Otherwise it names the last row of the previous page: its time in ms and, in the last ten digits, its id.
 */
export type Cursor = { after: { valueMs: number; id: number } | undefined; offset: number }

const idDigits = 10

/** Parses a cursor; an absent one is the start. Throws VALIDATION. */
export function readCursor(text: string | undefined): Cursor {
  if (text === undefined || text === '') return { after: undefined, offset: 0 }
  const found = /^(\d{1,26}):(\d{1,9}):([01])$/.exec(text)
  if (!found)
    throw new MishapError('VALIDATION', {
      detail: 'Invalid cursor parameter.',
      fields: { cursor: ['A cursor of a Link header, such as 0:100:0.'] },
    })
  const value = found[1] ?? '0'
  const offset = Number(found[2])
  if (value.length <= idDigits) return { after: undefined, offset }
  return { after: { valueMs: Number(value.slice(0, -idDigits)), id: Number(value.slice(-idDigits)) }, offset }
}

/** Writes a cursor for the rows that follow. */
export function writeCursor(cursor: Cursor, previous = false): string {
  const value = cursor.after ? `${cursor.after.valueMs}${String(cursor.after.id).padStart(idDigits, '0')}` : '0'
  return `${value}:${cursor.offset}:${previous ? 1 : 0}`
}

/**
 * Guarantee for rows that stay in the list while a client follows the `next` links. `stable`: each appears once.
 * `may-skip`: no duplicates, but rows whose value changes can be skipped. `may-repeat`: rows can repeat or be skipped,
 * because pages count rows by offset.
 */
type Walk = 'stable' | 'may-skip' | 'may-repeat'

/** One page of a list: the rows, the total if known, and the cursors of the previous and next page. */
export type Page<Row> = {
  rows: Row[]
  hits: number | undefined
  walk: Walk
  previous: { cursor: string; results: boolean }
  next: { cursor: string; results: boolean }
}

/** Builds a page of a list that is paged by offset. */
export function pageByOffset<Row>(rows: Row[], offset: number, limit: number, more: boolean, hits?: number): Page<Row> {
  return {
    rows,
    hits,
    walk: 'may-repeat',
    previous: {
      cursor: writeCursor({ after: undefined, offset: Math.max(0, offset - limit) }, true),
      results: offset > 0,
    },
    next: { cursor: writeCursor({ after: undefined, offset: offset + limit }), results: more },
  }
}

/** Cuts a page out of all rows of a list. */
export const sliceByOffset = <Row>(all: readonly Row[], offset: number, limit: number): Page<Row> =>
  pageByOffset(all.slice(offset, offset + limit), offset, limit, all.length > offset + limit, all.length)
