import type { SeenSpan } from './span-store.ts'

/** A trace of a project. */
export type TraceKey = { projectId: number; traceId: string }

/** The least that a detector needs, over all projects. Durations are microseconds. */
export type CandidateLimits = {
  repeatsMin: number
  repeatedUs: number
  statementUs: number
  requestsMin: number
  requestUs: number
  assetUs: number
}

export type CandidateRequest = {
  /** Rows with fromJpos <= jpos < toJpos are new. Those from `sinceJpos` on are counted with them. */
  sinceJpos: number
  fromJpos: number
  toJpos: number
  limits: CandidateLimits
  max: number
}

/** Queries of the detectors of performance issues. */
export type DetectorStore = {
  /**
   * Finds traces with new spans in which a detector may find something, and in which no span came after `toJpos` (traces
   * that began before `fromJpos` come anyway). `total` also counts those over `max`. `receivedMs`: the first of their
   * new rows. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE.
   */
  detectorCandidates(request: CandidateRequest): Promise<{ traces: TraceKey[]; total: number; receivedMs: number }>
  /** Reads the spans of traces that were received since `sinceMs`, at most `max` of each, segments first. */
  spansOfTraces(traces: readonly TraceKey[], sinceMs: number, max: number): Promise<SeenSpan[]>
  /** Which of these spans of a trace are still stored. */
  storedSpans(projectId: number, traceId: string, spanIds: readonly string[]): Promise<string[]>
}
