/** A span as detectors read it. Ids are 16 hex digits, '' for none. Times are microseconds. */
export type DetectorSpan = {
  spanId: string
  parentId: string
  op: string
  category: string
  /** Without its values, as stored (docs/spans.md). */
  statement: string
  /** With them, if the SDK sent them: a statement or an address. */
  text: string
  startUs: number
  durationUs: number
  failed: boolean
  httpStatus: number
  /** What the browser says about an asset: `blocking`, `non-blocking` or ''. */
  blocking: string
  /** Bytes that came over the network, and after decoding; -1 if unknown. */
  bytes: number
  decodedBytes: number
}

/** A segment with its spans: a request, a page load, a job. */
export type DetectorSegment = {
  segmentId: string
  op: string
  kind: string
  /** Its name, and its parameterized page or endpoint. */
  transaction: string
  route: string
  startUs: number
  durationUs: number
  /** First contentful paint after the start, ms; 0 if unknown. */
  paintMs: number
  /** In any order, without the segment itself. */
  spans: readonly DetectorSpan[]
}

/** What a detector found: one for each cause in a segment. */
export type Finding = {
  /** What has the problem: a statement without values, a list of addresses, an asset. Equal causes are one issue. */
  cause: string
  /** The span around all of them: the segment, or a nearer span. */
  parentId: string
  /** By start. */
  spans: readonly DetectorSpan[]
  /** Sum of their lengths. */
  totalUs: number
  /** What could be saved at most, microseconds. */
  savedUs: number
}

export const endOf = ({ startUs, durationUs }: Pick<DetectorSpan, 'startUs' | 'durationUs'>): number =>
  startUs + durationUs

export const totalOf = (spans: readonly DetectorSpan[]): number =>
  spans.reduce((sum, { durationUs }) => sum + durationUs, 0)

export const byStart = (a: DetectorSpan, b: DetectorSpan): number =>
  a.startUs - b.startUs || (a.spanId < b.spanId ? -1 : 1)

/** SDKs round times: a span can begin some microseconds before the one that it waited for ends. */
export const toleranceUs = 1000

const requestOps = /^(?:http\.server|rpc\.server|grpc\.server|websocket\.server|graphql|pageload|navigation|ui\.action)/

/** Whether somebody waits for this segment: a request, a page load. Nobody waits for a job. */
export const isAwaited = ({ op, kind }: Pick<DetectorSegment, 'op' | 'kind'>): boolean =>
  requestOps.test(op) || kind === 'server'

/** The middle value; 0 of none. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** The span that contains all of these: their parent, or its parent if each is alone in a span of its own. */
export function commonParent(
  spans: readonly DetectorSpan[],
  byId: ReadonlyMap<string, DetectorSpan>,
): string | undefined {
  const [first] = spans
  if (!first) return undefined
  if (spans.every(({ parentId }) => parentId === first.parentId)) return first.parentId
  const above = byId.get(first.parentId)
  const isAlike = spans.every(({ parentId }) => {
    const parent = byId.get(parentId)
    return parent !== undefined && parent.op === above?.op && parent.parentId === above.parentId
  })
  return isAlike ? above?.parentId : undefined
}

/**
 * Time between two spans in which no other span of the segment ran. Spans that contain both do not count. `sorted` is by
 * start; `from` is the index of the first span that starts when `before` ends, or later.
 */
export function idleBetween(
  before: DetectorSpan,
  after: DetectorSpan,
  sorted: readonly DetectorSpan[],
  from: number,
): number {
  let [idle, upTo] = [0, endOf(before)]
  for (let at = from; at < sorted.length; at++) {
    const span = sorted[at]
    if (!span || span.startUs >= after.startUs) break
    if (endOf(span) <= upTo) continue
    idle += Math.max(0, span.startUs - upTo)
    upTo = Math.min(endOf(span), after.startUs)
  }
  return idle + Math.max(0, after.startUs - upTo)
}
