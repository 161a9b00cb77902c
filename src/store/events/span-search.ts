import type { Scope } from './events.ts'

/** Columns of spans that are texts. `label` is the description, or the name where a span has none. */
export type SpanText =
  | 'op'
  | 'category'
  | 'label'
  | 'name'
  | 'status'
  | 'transaction'
  | 'route'
  | 'statement'
  | 'kind'
  | 'origin'
  | 'platform'
  | 'release'
  | 'environment'
  | 'cut'

/** Columns that are numbers. Durations are in milliseconds. */
export type SpanNumber = 'duration' | 'selfTime' | 'httpStatus' | 'weight' | 'projectId'

/** What a question reads of each span. An attribute is a text, a number, or whichever it was sent as. */
export type SpanValue =
  | { of: 'text'; column: SpanText }
  | { of: 'number'; column: SpanNumber }
  | { of: 'id'; column: 'trace' | 'span' | 'parent' | 'segment' }
  | { of: 'flag'; column: 'isSegment' | 'failed' }
  | { of: 'time' }
  | { of: 'user' }
  | { of: 'attribute'; key: string; as: 'text' | 'number' | 'any' }
  | { of: 'measurement'; key: string }
  /** The web vitals score, 0 to 1: of one vital, or of all that the span has. */
  | { of: 'score'; vital: Vital | 'total' }

/** Web vitals that have a score. */
export type Vital = 'lcp' | 'fcp' | 'cls' | 'inp' | 'ttfb'

export type SpanCompare = '<' | '<=' | '=' | '>=' | '>'

/**
 * A condition on spans. In a `like`, `*` matches any run of characters, `\*` and `\\` the character itself; case is
 * ignored. `has` is a value that is there and not empty.
 */
export type SpanFilter =
  | { op: 'and' | 'or'; of: SpanFilter[] }
  | { op: 'not'; of: SpanFilter }
  | { op: 'match'; value: SpanValue; match: 'is' | 'like' | 'has'; text: string }
  | { op: 'compare'; value: SpanValue; compare: SpanCompare; number: number }
  | { op: 'projects'; ids: number[] }

/**
 * A number over many spans. Counts, sums, means and shares are weighted: a span stands for 1 / sample rate spans.
 * `samples` counts the stored spans. Percentiles are weighted, too, and leave out spans that an SDK cut off.
 */
export type SpanAggregate =
  | { fn: 'count' | 'samples' | 'failureCount' | 'failureRate' }
  | { fn: 'unique' | 'avg' | 'sum' | 'min' | 'max'; of: SpanValue }
  | { fn: 'percentile'; level: number; of: SpanValue }
  /** Spans per `perMs` of the range. */
  | { fn: 'rate'; perMs: number }
  | { fn: 'apdex'; satisfiedMs: number }

/** What a cell of an answer can be. Null: the span does not have it. */
export type SpanCell = string | number | boolean | null

/** A condition on an aggregate of a group. */
export type SpanHaving = { aggregate: SpanAggregate; compare: SpanCompare; number: number }

/** Whether percentiles count spans that an SDK cut off (docs/spans.md). */
type WithCut = { withCut: boolean }

type Asked = { scope: Scope; filter: SpanFilter | undefined; signal?: AbortSignal | undefined }

/** Order of an answer: by the values, then by the aggregates, counted together from 0. */
export type SpanOrder = readonly { at: number; descending: boolean }[]

/** One facet: the values of a property among the matching spans, most spans first. */
export type SpanFacet = { key: string; values: { value: string; count: number; samples: number }[] }

/** Searches over spans. All throw MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE. No project: nothing is found. */
export type SpanSearchStore = {
  /**
   * Returns the newest part of a scope that has about `max` spans at most, and its number of spans, whatever the filter.
   * Questions that read every span ask this first, so that a year does not cost more than a day.
   */
  newestSpans(scope: Scope, max: number, signal?: AbortSignal): Promise<{ fromMs: number; spans: number }>
  /** Returns rows with these values. Without an order: newest first. */
  spanRows(
    asked: Asked & { values: readonly SpanValue[]; order: SpanOrder; max: number; offset: number },
  ): Promise<SpanCell[][]>
  /**
   * Returns one row for each distinct combination of the values, with its aggregates behind them. Without values: one
   * row, also if no span matches.
   */
  spanGroups(
    asked: Asked &
      WithCut & {
        values: readonly SpanValue[]
        aggregates: readonly SpanAggregate[]
        having: readonly SpanHaving[]
        order: SpanOrder
        max: number
        offset: number
      },
  ): Promise<SpanCell[][]>
  /**
   * Returns aggregates by bucket (ms since 1970, a multiple of `bucketMs`), and by group if there are values. Empty
   * buckets are left out. `only` limits the groups: their cells, as `spanGroups` returned them.
   */
  spanSeries(
    asked: Asked &
      WithCut & {
        values: readonly SpanValue[]
        aggregates: readonly SpanAggregate[]
        only: readonly (readonly SpanCell[])[]
        bucketMs: number
      },
  ): Promise<{ startMs: number; group: SpanCell[]; cells: SpanCell[] }[]>
  /** Returns the most frequent values of these columns, `max` of each, in the order of the columns. */
  spanFacets(asked: Asked & { columns: readonly SpanText[]; max: number }): Promise<SpanFacet[]>
  /** Returns the `keys` most frequent attributes of the newest 50,000 matching spans, with `max` values each. */
  attributeFacets(asked: Asked & { keys: number; max: number }): Promise<SpanFacet[]>
  /** Returns the number of spans by project. */
  projectFacet(asked: Asked): Promise<{ projectId: number; count: number; samples: number }[]>
  /**
   * Returns the distribution of durations: buckets that grow by the factor 2^(1/3), those with spans only. `atUs` is
   * the lower limit of a bucket.
   */
  durationHistogram(asked: Asked): Promise<{ at: number; count: number; failed: number }[]>
  /** Returns names of attributes in the newest 50,000 spans, most spans first. */
  attributeKeys(scope: Scope, as: 'text' | 'number', max: number, signal?: AbortSignal): Promise<KeyCount[]>
  /** Returns these traces, with spans of at most an hour around the range, in no order. */
  traceSummaries(
    range: Pick<Scope, 'projectIds' | 'fromMs' | 'toMs'>,
    traceIds: readonly string[],
    signal?: AbortSignal,
  ): Promise<TraceSummary[]>
  /** Returns the values of a text in the newest spans that contain `text`, most spans first. */
  spanValues(
    scope: Scope,
    value: SpanValue,
    request: { text: string; max: number; signal?: AbortSignal | undefined },
  ): Promise<{ value: string; events: number }[]>
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

export type KeyCount = { key: string; spans: number; unique: number }
