import type { EventFilter, Scope } from './events.ts'

/** Tables that can be asked. Their columns are in `searching/sources.ts`. Outcomes are in the ledger of the meta store. */
export type Asked = 'events' | 'spans' | 'logs' | 'metrics' | 'outcomes'

/** A path into JSON: keys, places in a list from 0, and every element of a list. With the latter, a row has several values. */
export type JsonPath = { steps: readonly ({ key: string } | { at: number } | { each: true })[] }

/**
 * What a question reads of each row. `column` is a name of the closed table of the source, not SQL. An attribute is a
 * text, a number, or whichever it was sent as. Durations are in milliseconds.
 */
export type Value =
  | { of: 'text'; column: string }
  | { of: 'number'; column: string }
  | { of: 'id'; column: string }
  | { of: 'flag'; column: string }
  | { of: 'time' }
  | { of: 'attribute'; key: string; as: 'text' | 'number' | 'any' }
  | { of: 'measurement'; key: string }
  /** The web vitals score, 0 to 1: of one vital, or of all that the span has. */
  | { of: 'score'; vital: Vital | 'total' }
  /** A value within the JSON of a text. The text can have words around the JSON. */
  | { of: 'json'; text: { of: 'text'; column: string } | { of: 'attribute'; key: string; as: 'text' }; path: JsonPath }

/** Web vitals that have a score. */
export type Vital = 'lcp' | 'fcp' | 'cls' | 'inp' | 'ttfb'

export type Compare = '<' | '<=' | '=' | '>=' | '>'

/**
 * A condition on rows. In a `like`, `*` matches any run of characters, `\*` and `\\` the character itself; case is
 * ignored. `has` is a value that is there and not empty. `words`: a text that contains these words. `event`: a condition
 * of the search over errors, for the table of events only.
 */
export type Filter =
  | { op: 'and' | 'or'; of: Filter[] }
  | { op: 'not'; of: Filter }
  | { op: 'match'; value: Value; match: 'is' | 'like' | 'has' | 'words'; text: string }
  | { op: 'compare'; value: Value; compare: Compare; number: number }
  | { op: 'projects'; ids: number[] }
  | { op: 'event'; of: EventFilter }

/** Arithmetic over aggregates, by their place in the list. */
export type Arithmetic =
  | { op: 'number'; value: number }
  | { op: 'aggregate'; at: number }
  | { op: '+' | '-' | '*' | '/'; of: [Arithmetic, Arithmetic] }

/**
 * A number over many rows. Counts, sums, means and shares are weighted: a row stands for 1 / sample rate rows. `samples`
 * counts the stored rows. Percentiles are weighted, too, and leave out spans that an SDK cut off. `only`: over the rows
 * that meet it.
 */
export type Aggregate = { only?: Filter | undefined } & (
  | { fn: 'count' | 'samples' | 'failureCount' | 'failureRate' }
  /** Stored rows of all groups, and what they stand for. */
  | { fn: 'allSamples' | 'allCount' }
  /** The part of the group in the sum of all groups, of the same bucket in a series. */
  | { fn: 'share' }
  | { fn: 'unique' | 'avg' | 'sum' | 'min' | 'max'; of: Value }
  | { fn: 'percentile'; level: number; of: Value }
  /** Rows that have the number, weighted. With it, sums and means of parts of a range are merged. */
  | { fn: 'valued'; of: Value }
  /** How often each bin has the number (`bins.ts`), as the JSON text of two lists. Percentiles of parts are merged from it. */
  | { fn: 'bins'; of: Value }
  /** Rows per `perMs` of the range. */
  | { fn: 'rate'; perMs: number }
  | { fn: 'apdex'; satisfiedMs: number }
  /** Over aggregates before it in the list. A division by 0 is null. */
  | { fn: 'formula'; of: Arithmetic }
)

/** What a cell of an answer can be. Null: the row does not have it. */
export type Cell = string | number | boolean | null

/** A condition on an aggregate of a group. */
export type Having = { aggregate: Aggregate; compare: Compare; number: number }

/** Order of an answer: by the values, then by the aggregates, counted together from 0. */
export type Order = readonly { at: number; descending: boolean }[]

/** Limits of one statement. Default: those of a screen. */
export type Limits = { seconds?: number | undefined; memoryBytes?: number | undefined }

/** A question: a table, the part of it, and who waits for the answer. */
export type Question = {
  from: Asked
  scope: Scope
  /**
   * `received`: the range is of the time of receipt, and so are the buckets. Rows whose own time is over 7 days earlier are
   * left out: an SDK that was offline sends them as news of long ago. `late`: only those. Default: the rows' own time.
   */
  by?: 'received' | 'late' | undefined
  filter: Filter | undefined
  limits?: Limits | undefined
  /** What the engine read is added to it. */
  cost?: Cost | undefined
  signal?: AbortSignal | undefined
}

/** What answers read, summed over their statements. */
export type Cost = { rows: number; bytes: number }

/** Whether percentiles count spans that an SDK cut off (docs/spans.md). */
type WithCut = { withCut: boolean }

/** One facet: the values of a property among the matching rows, most rows first. */
export type Facet = { key: string; values: { value: string; count: number; samples: number }[] }

/** Numbers of different values of windows, of a part and a group: the number from each end of a window on. */
export type UniqueSeries = { part: number; group: Cell[]; changes: { endMs: number; count: number }[] }

export type KeyCount = { key: string; rows: number; unique: number }

/** A question with the names of its columns, as people wrote them. */
export type Explained = Pick<Question, 'from' | 'scope' | 'filter'> &
  WithCut & {
    values: readonly { name: string; value: Value }[]
    aggregates: readonly { name: string; aggregate: Aggregate }[]
    having: readonly Having[]
    order: Order
    max: number
    /** Of a series. */
    bucketMs?: number | undefined
  }

/**
 * Questions over one table. All throw MishapError QUERY_TIMEOUT (with the cause `memory` if that was the limit) or
 * STORE_UNAVAILABLE.
 * No project: nothing is found.
 */
export type QuestionStore = {
  /**
   * Returns the newest part of a scope that has about `max` rows at most, and its number of rows, whatever the filter.
   * Questions that read every row ask this first, so that a year does not cost more than a day.
   */
  newestPart(
    question: Pick<Question, 'from' | 'scope' | 'signal'>,
    max: number,
  ): Promise<{ fromMs: number; rows: number }>
  /** Returns rows with these values. Without an order: newest first. */
  listRows(
    question: Question & { values: readonly Value[]; order: Order; max: number; offset: number },
  ): Promise<Cell[][]>
  /**
   * Returns one row for each distinct combination of the values, with its aggregates behind them. Without values: one
   * row, also if nothing matches. A value with several elements of a list is counted in the group of each.
   */
  groupRows(
    question: Question &
      WithCut & {
        values: readonly Value[]
        aggregates: readonly Aggregate[]
        having: readonly Having[]
        order: Order
        max: number
        offset: number
        /** Limits the groups: their cells, as an earlier answer has them. */
        only?: readonly (readonly Cell[])[]
      },
  ): Promise<Cell[][]>
  /**
   * Returns aggregates by bucket (ms since 1970, a multiple of `bucketMs`), and by group if there are values. Empty
   * buckets are left out. `only` limits the groups: their cells, as `groupRows` returned them.
   */
  seriesOfRows(
    question: Question &
      WithCut & {
        values: readonly Value[]
        aggregates: readonly Aggregate[]
        only: readonly (readonly Cell[])[]
        bucketMs: number
      },
  ): Promise<{ startMs: number; group: Cell[]; cells: Cell[] }[]>
  /**
   * Returns aggregates by bucket of the groups with the largest first aggregate in it, at most `max`, the largest first.
   * Groups whose first aggregate is 0 are left out. `groups`: how many the bucket has in all.
   */
  largestOfBuckets(
    question: Question &
      WithCut & {
        values: readonly Value[]
        aggregates: readonly Aggregate[]
        max: number
        bucketMs: number
      },
  ): Promise<{ startMs: number; group: Cell[]; cells: Cell[]; groups: number }[]>
  /**
   * Returns how many different values the windows of a range have, exactly: for each multiple of `stepMs` at which the
   * number changes, the number of the window of `windowMs` that ends there. By time of receipt. A window that begins
   * before the range counts only what is in it. Each part counts one value of the rows that meet its condition, by group
   * if there are `values`. `only` limits the groups: their cells, as an answer has them. A series without values is left
   * out.
   */
  uniqueOfWindows(
    question: Question & {
      parts: readonly { of: Value; only: Filter | undefined }[]
      values: readonly Value[]
      only?: readonly (readonly Cell[])[] | undefined
      stepMs: number
      windowMs: number
    },
  ): Promise<UniqueSeries[]>
  /** Returns the first and last hour, by their own time, of errors that the disk budget removed. Null: none was. */
  removedHours(scope: Pick<Scope, 'projectIds' | 'fromMs' | 'toMs'>): Promise<{ fromMs: number; toMs: number } | null>
  /** Returns the most frequent values of these texts, `max` of each, in their order. The key is the column. */
  columnFacets(question: Question & { columns: readonly string[]; max: number }): Promise<Facet[]>
  /** Returns the `keys` most frequent attributes of the newest 50,000 matching rows, with `max` values each. */
  attributeFacets(question: Question & { keys: number; max: number }): Promise<Facet[]>
  /** Returns the number of rows by project. */
  projectFacet(question: Question): Promise<{ projectId: number; count: number; samples: number }[]>
  /** Returns the SQL of a question for people, with its values in place. */
  explain(question: Explained): string
  /** Returns names of attributes in the newest 50,000 rows, most rows first. */
  attributeKeys(
    question: Pick<Question, 'from' | 'scope' | 'signal'>,
    as: 'text' | 'number',
    max: number,
  ): Promise<KeyCount[]>
  /** Returns the values of a text in the newest rows that contain `text`, most rows first. */
  valuesOf(
    question: Pick<Question, 'from' | 'scope' | 'signal'>,
    request: { value: Value; text: string; max: number },
  ): Promise<{ value: string; events: number }[]>
}
