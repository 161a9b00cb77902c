/** The span that an error happened in. */
export type RestEventSpan = {
  spanID: string
  projectID: string
  name: string
  op: string
  /** `span`: the one that the SDK named; `parent`: that one is not stored, this is the one above it. */
  relation: 'span' | 'parent'
  /** The segment that it hangs on, with its project; null: it hangs on none that is stored. */
  segment: { spanID: string; projectID: string } | null
}

/** One error of a trace: where its issue is. */
export type RestTraceEvent = {
  eventID: string
  /** Null: its issue was removed meanwhile. */
  groupID: string | null
  shortId: string | null
  title: string
  level: string
  projectID: string
  projectSlug: string
  /** Seconds since 1970. */
  timestamp: number
  /** Null: the SDK named none, or it is not stored: then its time alone says where it belongs. */
  span: RestEventSpan | null
}

/** One segment of a trace: a page load, a navigation, a request of a server; without its child spans. */
export type RestSegment = {
  spanID: string
  parentSpanID: string | null
  projectID: string
  projectSlug: string
  name: string
  op: string
  status: string
  /** Ended before it was over, and how; null: it came to its end. */
  cut: 'deadline_exceeded' | 'heartbeatFailed' | null
  /** Seconds since 1970. */
  startTimestamp: number
  endTimestamp: number
  /** Milliseconds. */
  duration: number
  /** Spans below it that are shown of the trace. */
  spans: number
  platform: string
  environment: string
  release: string
  measurements: Record<string, number>
}

type Stretch = Pick<RestSegment, 'startTimestamp' | 'endTimestamp'>

/** How far both ends of a segment are from a moment at most, seconds. */
export const reachOf = ({ startTimestamp, endTimestamp }: Stretch, atS: number): number =>
  Math.max(Math.abs(startTimestamp - atS), Math.abs(endTimestamp - atS))

/**
 * Of segments the `max` that are nearest to a moment, in the order of time: those that it lies in, then those that it lies
 * beside, the shorter of two first. A page that is built once gives all its visitors one trace, over days.
 */
export function nearestTo<Segment extends Stretch>(segments: readonly Segment[], atS: number, max: number): Segment[] {
  const gap = (item: Segment) => Math.max(0, item.startTimestamp - atS, atS - item.endTimestamp)
  return segments
    .toSorted((a, b) => gap(a) - gap(b) || reachOf(a, atS) - reachOf(b, atS))
    .slice(0, max)
    .toSorted((a, b) => a.startTimestamp - b.startTimestamp)
}

/** organizations/{org}/trace-meta/{trace}/: what a trace has, in short. */
export type RestTraceMeta = {
  errors: number
  performance_issues: number
  logs: number
  /** Spans that were looked at, at most 1,000. */
  span_count: number
  /** Of them by op. */
  span_count_map: Record<string, number>
  transaction_child_count_map: { 'transaction.span_id': string; 'count()': number }[]
  /** More spans are stored than were looked at. */
  truncated: boolean
  /** Segments, or where none came, spans that hang on no other; by their start, the 50 that are nearest to the asked moment. */
  segments: RestSegment[]
  segmentCount: number
  /** Errors of the trace by their time, at most 50. */
  events: RestTraceEvent[]
  /** Days that spans are kept. */
  keptDays: number
}

/** A span of organizations/{org}/trace/{trace}/ with what it hangs on it. */
export type RestTraceSpan = {
  event_type: 'span'
  event_id: string
  parent_span_id: string | null
  transaction_id: string
  project_id: number
  project_slug: string
  is_transaction: boolean
  transaction: string
  op: string
  name: string
  description: string
  status: string
  origin: string
  kind: string
  cut: 'deadline_exceeded' | 'heartbeatFailed' | null
  /** Seconds since 1970. */
  start_timestamp: number
  end_timestamp: number
  /** Milliseconds; `self_time` is null where nobody knows. */
  duration: number
  self_time: number | null
  environment: string
  release: string
  measurements: Record<string, number>
  additional_attributes: Record<string, unknown>
  links: { trace_id: string; span_id: string; sampled: boolean }[]
  /** Faults of what was sent that were repaired. */
  repaired: number
  children: RestTraceSpan[]
  errors: never[]
  occurrences: never[]
}

/** An error of a trace beside its spans, and what it is. */
export type RestTraceError = {
  event_type: 'error'
  id: string
  event_id: string
  /** Null: its issue was removed meanwhile. */
  issue_id: number | null
  short_id: string | null
  project_id: number
  project_slug: string
  /** Of the event itself; its issue may have another one. */
  title: string
  /** The same, where older clients look for it. */
  message: string
  culprit: string
  /** `error`, `default` (a message), `csp` and the other security reports. */
  type: string
  metadata: { type?: string; value?: string }
  level: string
  transaction: string
  /** The stored span that it happened in, or the one above that; null: not known. */
  span_id: string | null
  /** Seconds since 1970; both are the event's time. */
  timestamp: number
  start_timestamp: number
}
