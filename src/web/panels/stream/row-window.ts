/** A part of a list: rows from `from` up to, but not including, `to`. */
export type RowWindow = { from: number; to: number }

/** Where the list is: `topPx` and `scrollPx` count from the start of the document, `viewPx` is the height of the window. */
type ListPlace = { topPx: number; rowPx: number; scrollPx: number; viewPx: number }

/** Rows above and below the window that are rendered too, so that a scroll does not show a gap. */
const overscan = 8
/** The part moves by this many rows. A scroll by a row then renders nothing new three times out of four. */
const step = 4

/** Returns the rows to render. All rows have the same height, so none is measured. */
export function rowWindow(count: number, { topPx, rowPx, scrollPx, viewPx }: ListPlace): RowWindow {
  const first = (scrollPx - topPx) / rowPx
  const last = (scrollPx + viewPx - topPx) / rowPx
  const bound = (row: number) => Math.min(Math.max(row, 0), count)
  return {
    from: bound(Math.floor(first / step) * step - overscan),
    to: bound(Math.ceil(last / step) * step + overscan),
  }
}

/**
 * Returns the scroll position that shows a row, in px; undefined if it is visible. `headPx` and `footPx`: parts of the
 * window that cover rows.
 */
export function scrollToRow(
  index: number,
  { topPx, rowPx, scrollPx, viewPx }: ListPlace,
  { headPx, footPx }: { headPx: number; footPx: number },
): number | undefined {
  const startPx = topPx + index * rowPx
  if (startPx < scrollPx + headPx) return Math.max(0, startPx - headPx)
  const endPx = startPx + rowPx - viewPx + footPx
  return endPx > scrollPx ? endPx : undefined
}
