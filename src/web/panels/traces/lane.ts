import type { RestSegment } from '../../../contract/explore/traces.ts'
import { reachOf } from '../../../domain/traces/segments.ts'

/** The time range of a lane, seconds since 1970. */
export type Lane = { fromS: number; toS: number }

/** A bar or marker on the lane, in per cent of its width (0 to 100). `isOutside`: its time lies beyond the lane. */
type LanePosition = { x: number; width: number; isOutside: boolean }

/** Extend the lane for an error by at most this many lengths of the segments, so that bars stay visible. */
const stretchMax = 2
/** A segment can reach this many times as far as the nearer ones. Beyond that its clock is probably wrong. */
const reachMax = 100
/** Segments within this distance always count as near, seconds. */
const nearS = 1
/** Narrowest visible bar, per cent. */
const widthMin = 0.4

/**
 * The range from the first start to the last end of the segments around `hereS`, extended to the near moments: an error
 * on an open page comes minutes after its page load. Segments that reach much farther than the others are left outside,
 * because they would make the rest invisible. Undefined without segments.
 */
export function laneOf(
  segments: readonly Pick<RestSegment, 'startTimestamp' | 'endTimestamp'>[],
  hereS: number,
  othersS: readonly number[],
): Lane | undefined {
  if (segments.length === 0) return undefined
  const byReach = segments.toSorted((a, b) => reachOf(a, hereS) - reachOf(b, hereS))
  const endIndex = byReach.findIndex((segment, at) => {
    const before = byReach[at - 1]
    return before !== undefined && reachOf(segment, hereS) > reachMax * Math.max(nearS, reachOf(before, hereS))
  })
  const shown = endIndex < 0 ? byReach : byReach.slice(0, endIndex)
  const fromS = Math.min(...shown.map((segment) => segment.startTimestamp))
  const toS = Math.max(...shown.map((segment) => segment.endTimestamp))
  const momentsS = [hereS, ...othersS]
  const length = Math.max(toS - fromS, 0.001)
  const near = momentsS.filter((at) => at >= fromS - length * stretchMax && at <= toS + length * stretchMax)
  const [first, last] = [Math.min(fromS, ...near), Math.max(toS, ...near)]
  return { fromS: first, toS: Math.max(last, first + 0.001) }
}

/** Position of the time from `fromS` to `toS` on the lane. Equal times are a moment of width 0. */
export function positionOn(lane: Lane, fromS: number, toS: number = fromS): LanePosition {
  const length = lane.toS - lane.fromS
  const at = (s: number) => Math.min(100, Math.max(0, ((s - lane.fromS) / length) * 100))
  const x = Math.min(at(fromS), 100 - (toS > fromS ? widthMin : 0))
  const width = toS > fromS ? Math.max(at(toS) - x, widthMin) : 0
  return { x, width, isOutside: toS < lane.fromS || fromS > lane.toS }
}

/** The kind of a segment by its op. Undefined for other ops. */
export function kindOf(op: string): 'pageload' | 'navigation' | 'server' | undefined {
  if (op === 'pageload' || op === 'navigation') return op
  return op === 'http.server' ? 'server' : undefined
}
