import type { Scope } from './events.ts'
import type { Question } from './question.ts'

/** Distributions of durations. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE. */
export type DurationStore = {
  /**
   * Returns the distribution of durations: buckets that grow by the factor 2^(1/3), those with spans only. `at` is the
   * number of a bucket.
   */
  durationHistogram(
    question: Pick<Question, 'scope' | 'filter' | 'signal'>,
  ): Promise<{ at: number; count: number; failed: number }[]>
}

/** Questions that only spans have. All throw MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE. */
export type SpanSearchStore = DurationStore & {
  /** Returns these traces, with spans of at most an hour around the range, in no order. */
  traceSummaries(
    range: Pick<Scope, 'projectIds' | 'fromMs' | 'toMs'>,
    traceIds: readonly string[],
    signal?: AbortSignal,
  ): Promise<TraceSummary[]>
}

/** A trace as lists show it, of the spans in the projects that were asked for. */
export type TraceSummary = {
  traceId: string
  /** Its first segment, or its first span. */
  root: { label: string; op: string; projectId: number }
  startMs: number
  durationMs: number
  spans: number
  failed: number
  /** Error events of the trace. */
  errors: number
  projectIds: number[]
}
