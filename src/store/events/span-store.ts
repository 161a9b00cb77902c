import type { Json } from '../../wire/json.ts'

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
  /** Attributes by name. Numbers are stored apart from texts; other values become JSON texts (docs/spans.md). */
  attributes: Readonly<Record<string, Json>>
  /** Web vitals and other values by name. Times are in milliseconds. */
  measurements: Record<string, number>
  /** JSON of a list, or ''. */
  links: string
  /** Span events of OpenTelemetry: JSON of a list, or ''. */
  events: string
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
  /** Parameterized page or endpoint of its segment, such as `/orders/[id]`; '' if unknown. */
  route: string
  /** What the span spends its time on. */
  category: SpanCategory
  /** Parameterized database statement, address of a request or path of an asset; '' for other spans. */
  statement: string
  /** The number of spans that this one stands for: 1 / sample rate. At least 1. */
  weight: number
  /** The span ended in an error: by its status, else by its HTTP status. */
  failed: boolean
  /** Status of the HTTP response; 0 if there is none. */
  httpStatus: number
  /** Microseconds by which the times were corrected, because the sender's clock was wrong. Mostly 0. */
  clockShiftUs: number
}

/** Categories of spans, by what they spend their time on. */
export type SpanCategory =
  | ''
  | 'http'
  | 'db'
  | 'cache'
  | 'queue'
  | 'resource'
  | 'browser'
  | 'ui'
  | 'function'
  | 'template'
  | 'file'
  | 'ai'
  | 'other'

/** Statuses of a span that did not fail. An empty one is unknown. */
export const fineStatuses = ['', 'ok', 'unset', 'cancelled', 'unknown'] as const

/** The displayed part of a span. */
export type SeenSpan = Omit<SpanRow, 'jpos' | 'place' | 'item'>

/** Identifies a transaction for deduplication. */
type TransactionKey = { projectId: number; traceId: string; spanId: string }

/** Queries of spans. `table-store.ts` has the methods that every table shares. */
export type SpanStore = {
  /** Returns at most `max` transactions received since `sinceMs`, newest first. The deduplication starts from them. */
  recentTransactions(sinceMs: number, max: number): Promise<TransactionKey[]>
  /**
   * Returns up to `max` routes of each project since `sinceMs` (rounded down to a day), those with most spans first.
   * Routes that are no paths are left out.
   */
  pathsByProject(sinceMs: number, max: number): Promise<{ projectId: number; routes: string[] }[]>
  /**
   * Returns the spans of a trace within projects (none for an empty list): segments first, then by start, without
   * duplicates. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE.
   */
  spansOfTrace(projectIds: readonly number[], traceId: string, max: number): Promise<SeenSpan[]>
}
