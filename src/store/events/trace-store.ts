import type { RouteKey, TracedSegment } from './performance-store.ts'
import type { SeenSpan } from './span-store.ts'

/** The projects whose spans a trace consists of. Spans of projects that are not `readable` have no texts. */
export type TraceProjects = { all: readonly number[]; readable: readonly number[] }

/** Texts of spans: `texts[numbers[n]]` is the text of span n. `texts[0]` is ''. */
export type TextColumn = { texts: string[]; numbers: number[] }

/** Spans as columns, in no order. A span that was stored twice is there twice. Ids as in `SpanRow`. */
export type TraceColumns = {
  projectIds: number[]
  ids: string[]
  parentIds: string[]
  segmentIds: TextColumn
  /** 1: the span is a segment. */
  segments: number[]
  /** The first start, microseconds since 1970. */
  originUs: number
  /** Microseconds after it. */
  starts: number[]
  durationsUs: number[]
  ops: TextColumn
  /** The name, else the description, else the name of the segment; cut. */
  names: TextColumn
  statuses: TextColumn
  /** 1: the span ended in an error. */
  failures: number[]
  platforms: TextColumn
  environments: TextColumn
  cuts: TextColumn
  /** Measurements by span id, of readable spans that have any. */
  measurements: (readonly [spanId: string, values: Record<string, number>])[]
}

/** Stored rows of a trace, and its extent in microseconds since 1970. */
export type TraceTotals = { spans: number; byProject: Map<number, number>; fromUs: number; toUs: number }

/** `samples`: the spans that were read. `count`: what they stand for. `hash`: as in `StatementStats`. Percentiles are within 5 %, in ms. */
type StatementDurations = {
  hash: string
  samples: number
  count: number
  p5Ms: number
  p50Ms: number
  p95Ms: number
  p99Ms: number
}

/** `links` and `events`: JSON as in `SeenSpan`. */
type SpanExtras = Pick<SeenSpan, 'spanId' | 'startUs' | 'links' | 'events'>

/** Queries of whole traces. All throw MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE. */
export type TraceStore = {
  /** At most `max` spans of a trace; which ones is not defined if there are more. */
  traceSpans(projects: TraceProjects, traceId: string, max: number, signal?: AbortSignal): Promise<TraceColumns>
  /** The `max` spans that matter most: segments, then failed ones, then the longest. */
  largestSpans(projects: TraceProjects, traceId: string, max: number): Promise<TraceColumns>
  /** Stored spans of a trace by op. A repeated span counts once. */
  spanCounts(projectIds: readonly number[], traceId: string): Promise<Map<string, number>>
  traceTotals(projects: TraceProjects, traceId: string, signal?: AbortSignal): Promise<TraceTotals>
  /** All stored details of a span; undefined if it is not in these projects. The first row of a repeated span. */
  spanOfTrace(projectIds: readonly number[], traceId: string, spanId: string): Promise<SeenSpan | undefined>
  /** Spans with links or events of their own, the first `max` by start. Both are the JSON that was stored, or ''. */
  spansWithExtras(projectIds: readonly number[], traceId: string, max: number): Promise<SpanExtras[]>
  /** Ids of the spans with this text, number or truth value in an attribute, at most `max`. */
  spansWithAttribute(
    projectIds: readonly number[],
    traceId: string,
    attribute: { key: string; value: string },
    max: number,
  ): Promise<string[]>
  /** The longest segment of a trace in these projects. */
  mainSegment(
    projectIds: readonly number[],
    traceId: string,
  ): Promise<{ key: RouteKey; spanId: string; startUs: number } | undefined>
  /** The segment of a route in another trace that began last before this time, at most 7 days earlier. */
  segmentBefore(
    key: RouteKey,
    startUs: number,
    traceId: string,
  ): Promise<Omit<TracedSegment, 'failed' | 'release'> | undefined>
  /** Durations of a statement in a project since a time, from the rollup. Undefined without any. */
  statementDurations(projectId: number, statement: string, sinceMs: number): Promise<StatementDurations | undefined>
}
