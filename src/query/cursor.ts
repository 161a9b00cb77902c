import { MishapError } from '../base/errors.ts'

/**
 * A place in a list: `value:offset:isPrevious`, three whole numbers (docs/rest.md). `value` 0: counted by offset.
 * Else it names the last row of the page before: its time in ms and, in the last ten digits, its id.
 */
export type Cursor = { after: { valueMs: number; id: number } | undefined; offset: number }

const idDigits = 10

/** Reads a cursor; the start when absent. Throws VALIDATION. */
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
 * What a walk by the `next` links gives of rows that are in the list from its beginning to its end. `stable`: each once.
 * `may-skip`: none twice, and one whose value changes may be missed. `may-repeat`: one may come twice or be missed, as the
 * rows before a page are counted.
 */
type Walk = 'stable' | 'may-skip' | 'may-repeat'

/** One page of a list: the rows, how many there are in all where known, and where older and newer rows begin. */
export type Page<Row> = {
  rows: Row[]
  hits: number | undefined
  walk: Walk
  previous: { cursor: string; results: boolean }
  next: { cursor: string; results: boolean }
}

/** The page of a list that is counted by offset. */
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
