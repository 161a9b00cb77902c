/** A stretch of time, seconds since 1970. */
type Stretch = { startTimestamp: number; endTimestamp: number }

/** How far both ends of a segment are from a moment at most, seconds. */
export const reachOf = ({ startTimestamp, endTimestamp }: Stretch, atS: number): number =>
  Math.max(Math.abs(startTimestamp - atS), Math.abs(endTimestamp - atS))

/**
 * The `max` segments that are nearest to a moment, in the order of time. Segments around the moment come first, then
 * those beside it, and the shorter of two. A page that is built once gives all its visitors one trace, over days.
 */
export function nearestTo<Segment extends Stretch>(segments: readonly Segment[], atS: number, max: number): Segment[] {
  const gap = (item: Segment) => Math.max(0, item.startTimestamp - atS, atS - item.endTimestamp)
  return segments
    .toSorted((a, b) => gap(a) - gap(b) || reachOf(a, atS) - reachOf(b, atS))
    .slice(0, max)
    .toSorted((a, b) => a.startTimestamp - b.startTimestamp)
}
