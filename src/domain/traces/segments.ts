/** A time span in seconds since 1970. */
type Interval = { startTimestamp: number; endTimestamp: number }

/** Returns the larger distance of both ends of a segment from a moment, in seconds. */
export const reachOf = ({ startTimestamp, endTimestamp }: Interval, atS: number): number =>
  Math.max(Math.abs(startTimestamp - atS), Math.abs(endTimestamp - atS))

/**
 * Returns the `max` segments nearest to a moment, by time. Segments around the moment come first, then others. At equal
 * distance, the smaller reach wins. A statically built page gives all visitors the same trace for days.
 */
export function nearestTo<Segment extends Interval>(segments: readonly Segment[], atS: number, max: number): Segment[] {
  const gap = (segment: Segment) => Math.max(0, segment.startTimestamp - atS, atS - segment.endTimestamp)
  return segments
    .toSorted((a, b) => gap(a) - gap(b) || reachOf(a, atS) - reachOf(b, atS))
    .slice(0, max)
    .toSorted((a, b) => a.startTimestamp - b.startTimestamp)
}
