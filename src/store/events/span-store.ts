/** How a page load or navigation was ended before it was over, as SDKs name it. */
export type SpanCut = '' | 'deadline_exceeded' | 'heartbeatFailed'

/** One span as a row. Ids are lower-case hex: 32 characters of a trace, 16 of a span, '' for none. */
export type SpanRow = {
  projectId: number
  traceId: string
  spanId: string
  parentId: string
  /** The span that this one's segment begins with; '' where nobody said. */
  segmentId: string
  /** Whether it is a segment: the one span of a transaction, or of a service's part of a trace, that all others hang on. */
  isSegment: boolean
  /** What brought it; with `isSegment` it says which rows are transactions. */
  item: 'transaction' | 'span'
  /** Name of its segment. */
  transaction: string
  op: string
  name: string
  description: string
  /** Microseconds since 1970. */
  startUs: number
  durationUs: number
  /** Time in none of its children, microseconds; -1 where nobody knows. */
  selfUs: number
  status: string
  kind: string
  origin: string
  cut: SpanCut
  /** JSON of an object, or ''. */
  attributes: string
  /** Web vitals and others by name; times in milliseconds. */
  measurements: Record<string, number>
  /** JSON of a list, or ''. */
  links: string
  platform: string
  release: string
  environment: string
  userHash: string
  receivedMs: number
  /** Position of the record that brought it, and its number within: together they are one row. */
  jpos: number
  place: number
  /** Faults of what was sent that were repaired. */
  repaired: number
}

/** What is shown of a span. */
export type SeenSpan = Omit<SpanRow, 'jpos' | 'place' | 'item'>

/** A transaction by what tells that it came again. */
export type TransactionKey = { projectId: number; traceId: string; spanId: string }

/** What only spans are asked; what every table can do is in `table-store.ts`. */
export type SpanStore = {
  /** Transactions received since `sinceMs`, newest first, at most `max`: the memory of what counts as duplicate. */
  recentTransactions(sinceMs: number, max: number): Promise<TransactionKey[]>
  /**
   * Spans of a trace within projects (empty list: none found): segments first, then by their start; one that came twice
   * is listed once. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE.
   */
  spansOfTrace(projectIds: readonly number[], traceId: string, max: number): Promise<SeenSpan[]>
}
