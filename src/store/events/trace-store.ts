import type { SeenSpan } from './span-store.ts'

/** The projects whose spans a trace consists of. Spans of projects that are not `readable` have no texts. */
export type TraceProjects = { all: readonly number[]; readable: readonly number[] }

/** Spans as columns, in no order. A span that was stored twice is there twice. Ids as in `SpanRow`. */
export type TraceColumns = {
  projectIds: number[]
  ids: string[]
  parentIds: string[]
  segmentIds: string[]
  /** 1: the span is a segment. */
  segments: number[]
  startsUs: number[]
  durationsUs: number[]
  ops: string[]
  /** The name, else the description, else the name of the segment; cut. */
  names: string[]
  statuses: string[]
  /** 1: the span ended in an error. */
  failures: number[]
  platforms: string[]
  environments: string[]
  cuts: string[]
  /** Measurements by span id, of readable spans that have any. */
  measurements: (readonly [spanId: string, values: Record<string, number>])[]
}

/** Stored rows of a trace, and its extent in microseconds since 1970. */
export type TraceTotals = { spans: number; byProject: Map<number, number>; fromUs: number; toUs: number }

/** Queries of whole traces. All throw MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE. */
export type TraceStore = {
  /** At most `max` spans of a trace; which ones is not defined if there are more. */
  traceSpans(projects: TraceProjects, traceId: string, max: number): Promise<TraceColumns>
  /** The `max` spans that matter most: segments, then failed ones, then the longest. */
  largestSpans(projects: TraceProjects, traceId: string, max: number): Promise<TraceColumns>
  traceTotals(projects: TraceProjects, traceId: string): Promise<TraceTotals>
  /** All stored details of a span; undefined if it is not in these projects. The first row of a repeated span. */
  spanOfTrace(projectIds: readonly number[], traceId: string, spanId: string): Promise<SeenSpan | undefined>
  /** Ids of the spans with this text, number or truth value in an attribute, at most `max`. */
  spansWithAttribute(
    projectIds: readonly number[],
    traceId: string,
    attribute: { key: string; value: string },
    max: number,
  ): Promise<string[]>
}
