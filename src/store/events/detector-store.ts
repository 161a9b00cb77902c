import type { DetectorRow } from '../../domain/detectors/detector-rows.ts'

/** A trace of a project. */
type TraceKey = { projectId: number; traceId: string }

/** A trace that is worth a look. `spans`: how many it has of the categories that detectors read. */
export type CandidateTrace = TraceKey & { spans: number }

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
  /** Rows from here on are not read, not even to see that a trace goes on. */
  untilJpos: number
  limits: CandidateLimits
  max: number
  /** Limit of traces of one project, so that none takes all. */
  projectMax: number
}

/** Queries of the detectors of performance issues. */
export type DetectorStore = {
  /**
   * Finds traces with new spans in which a detector may find something, and in which no span came after `toJpos` (traces
   * that began before `fromJpos` come anyway). Projects take turns. `total` also counts those over `max`. `receivedMs`: the first of their
   * new rows. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE.
   */
  detectorCandidates(
    request: CandidateRequest,
  ): Promise<{ traces: CandidateTrace[]; total: number; receivedMs: number }>
  /**
   * Reads the spans of traces that were received since `sinceMs`, segments first, with what detectors read of them. An
   * answer of `max` spans can be cut. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE.
   */
  spansOfTraces(
    traces: readonly TraceKey[],
    sinceMs: number,
    limits: { each: number; max: number },
  ): Promise<DetectorRow[]>
  /** Which of these spans of a trace are still stored. */
  storedSpans(projectId: number, traceId: string, spanIds: readonly string[]): Promise<string[]>
}
