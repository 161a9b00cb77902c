/** Why a page load or navigation ended early, as SDKs name it. */
export type SpanCut = '' | 'deadline_exceeded' | 'heartbeatFailed'

/** One span as a row. Ids are lower-case hex: 32 characters for a trace, 16 for a span, '' for none. */
export type SpanRow = {
  projectId: number
  traceId: string
  spanId: string
  parentId: string
  /** The first span of this one's segment; '' if unknown. */
  segmentId: string
  /** The span is a segment: the root span of a transaction, or of a service's part of a trace. */
  isSegment: boolean
  /** The item type. With `isSegment` it identifies transactions. */
  item: 'transaction' | 'span'
  /** Name of its segment. */
  transaction: string
  op: string
  name: string
  description: string
  /** Microseconds since 1970. */
  startUs: number
  durationUs: number
  /** Time outside its children in microseconds; -1 if unknown. */
  selfUs: number
  status: string
  kind: string
  origin: string
  cut: SpanCut
  /** JSON of an object, or ''. */
  attributes: string
  /** Web vitals and other values by name. Times are in milliseconds. */
  measurements: Record<string, number>
  /** JSON of a list, or ''. */
  links: string
  platform: string
  release: string
  environment: string
  userHash: string
  receivedMs: number
  /** Position of the row's record and number within the record: together they identify the row. */
  jpos: number
  place: number
  /** Number of faults in the sent data that were repaired. */
  repaired: number
}

/** The displayed part of a span. */
export type SeenSpan = Omit<SpanRow, 'jpos' | 'place' | 'item'>

/** Identifies a transaction for deduplication. */
type TransactionKey = { projectId: number; traceId: string; spanId: string }

/** Queries of spans. `table-store.ts` has the methods that every table shares. */
export type SpanStore = {
  /** Returns at most `max` transactions received since `sinceMs`, newest first. The deduplication starts from them. */
  recentTransactions(sinceMs: number, max: number): Promise<TransactionKey[]>
  /**
   * Returns the spans of a trace within projects (none for an empty list): segments first, then by start, without
   * duplicates. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE.
   */
  spansOfTrace(projectIds: readonly number[], traceId: string, max: number): Promise<SeenSpan[]>
}
