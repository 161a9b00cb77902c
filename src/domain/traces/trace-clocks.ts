import { isBoundary, type TraceSpans, textOf } from './trace-spans.ts'

/** Differences up to this are not corrected: clocks of one machine differ as much, and so do roundings. Microseconds. */
const toleranceUs = 1000

/** Ops of a caller that waits for the answer, so that the callee lies within it. */
const waits = /^(?:http|rpc|grpc|graphql)(?:\.|$)/
/** Ops of spans that begin before their parent: a page load names the span of the server that answered it. */
export const beginsBeforeParent = /^(?:pageload|navigation|ui)(?:\.|$)/

type Tree = {
  parents: Int32Array
  order: Int32Array
  durations: Float64Array
  /** Changed in place. */
  starts: Float64Array
}

/** How far the start of a called service must move so that it fits to its caller, microseconds. */
function shiftOf(isWaiting: boolean, caller: [start: number, length: number], called: [start: number, length: number]) {
  const [[start, length], [ownStart, ownLength]] = [caller, called]
  const isBefore = ownStart < start - toleranceUs
  const isAfter = ownStart + ownLength > start + length + toleranceUs
  // As the way there and the way back are unknown, the call lies in the middle.
  if (isWaiting && ownLength <= length && (isBefore || isAfter)) return start + (length - ownLength) / 2 - ownStart
  return isBefore ? start - ownStart : 0
}

/**
 * Corrects the clocks of called services: no service begins before the call that it answers, and one whose caller waits
 * ends before the answer arrives. Each call is corrected with all spans of its service below it; a service called from
 * there is compared by its own clock. Changes `starts` and returns the shift of each node, microseconds.
 */
export function correctClocks(spans: TraceSpans, { parents, order, starts, durations }: Tree): Float64Array {
  const shifts = new Float64Array(starts.length)
  const spanCount = spans.ids.length
  for (const node of order) {
    const parent = parents[node] ?? -1
    if (parent < 0 || parent >= spanCount || node >= spanCount) continue
    if (!isBoundary(spans, node, parent)) shifts[node] = shifts[parent] ?? 0
    else if (!beginsBeforeParent.test(textOf(spans, 'ops', node)))
      shifts[node] = shiftOf(
        waits.test(textOf(spans, 'ops', parent)),
        [starts[parent] ?? 0, durations[parent] ?? 0],
        [starts[node] ?? 0, durations[node] ?? 0],
      )
    starts[node] = (starts[node] ?? 0) + (shifts[node] ?? 0)
  }
  return shifts
}
