/** Under this name meta keeps whether spans left by their age or for the disk budget: the ledger counts more than stand then. */
export const spansGoneName = 'spans-gone'

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
type TransactionKey = { projectId: number; traceId: string; spanId: string }

/** Spans of a project for `mishap verify`: transactions, all other spans, rows that stand twice, the last position. */
export type SpanTally = { projectId: number; transactions: number; spans: number; twice: number; lastJpos: number }

export type SpanStore = {
  /** Inserts rows encoded by `encodeSpanRow`; the same token with identical rows counts once. Durable when it resolves. */
  insertSpans(tsv: Buffer, token: string): Promise<void>
  /**
   * Waits until no insert of this token runs any more (KILL first), then returns what stands of the records with
   * from <= jpos < to: their rows' places by position.
   */
  settleSpans(token: string, from: number, to: number): Promise<Map<number, Set<number>>>
  /** Transactions received since `sinceMs`, newest first, at most `max`: the memory of what counts as duplicate. */
  recentTransactions(sinceMs: number, max: number): Promise<TransactionKey[]>
  /**
   * Spans of a trace within projects (empty list: none found): segments first, then by their start; one that came twice
   * stands once. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE.
   */
  spansOfTrace(projectIds: readonly number[], traceId: string, max: number): Promise<SeenSpan[]>
  /**
   * Drops days whose spans were all received before `beforeMs`, by their names or by their places as `dropBefore` does.
   * Returns their names.
   */
  dropSpansBefore(beforeMs: number, nowMs: number): Promise<string[]>
  /** Drops the oldest day of spans that ended before `beforeMs`; undefined: there is none. */
  dropOldestSpans(beforeMs: number): Promise<string | undefined>
  /** Takes what was received before midnight of a day (UTC, ms) out of the spans of these projects. Returns how many went. */
  removeSpansBefore(projectIds: readonly number[], dayMs: number): Promise<number>
  /** Spans that stand of each project that has any. */
  spansByProject(): Promise<{ projectId: number; rows: number }[]>
  /** Counts what stands, of all times. */
  spanTally(): Promise<SpanTally[]>
}
