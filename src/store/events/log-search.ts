import type { Scope } from './events.ts'
import type { Values } from './filter.ts'

/** SQL over the table of logs, made by the compiler of queries. Its values are added to `values`. */
export type LogExpression = (values: Values) => string

/** Names a stored line: its project, its time, and its record. */
export type LogKey = { projectId: number; timeUs: number; jpos: number; place: number }

/** A line in a list. Ids are lower-case hex, '' for none. */
export type LogLine = LogKey & {
  level: string
  severity: number
  /** At most `listBodyMax` characters. */
  body: string
  template: string
  /** Number of the line's shape as text, '' for none. */
  pattern: string
  traceId: string
  spanId: string
  columns: (string | number | boolean | null)[]
}

/** A line with everything that is stored of it. */
export type LogDetail = Omit<LogLine, 'columns'> & {
  service: string
  host: string
  logger: string
  environment: string
  release: string
  platform: string
  origin: string
  tags: Record<string, string>
  numbers: Record<string, number>
  truncated: boolean
  repaired: boolean
  receivedMs: number
}

type Asked = { scope: Scope; where: LogExpression | undefined; signal?: AbortSignal | undefined }

export type LogFacetRow = { key: string; value: string; count: number; values: number }

/** A repeated shape. `newest` is its newest line. */
export type LogPatternRow = { pattern: string; count: number; lastUs: number; newest: LogKey; level: string }

/** Reads of log lines. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT. */
export type LogSearchStore = {
  /** The start of the newest part of a scope that has at most `max` lines; the fewest that it can tell apart. */
  newestLogs(scope: Scope, max: number, signal?: AbortSignal): Promise<{ fromMs: number; lines: number }>
  /** At most `max` lines, in their order, after `after` in that order. */
  logLines(
    asked: Asked & {
      columns: readonly LogExpression[]
      order: 'newest' | 'oldest'
      after?: LogKey | undefined
      max: number
    },
  ): Promise<LogLine[]>
  /** Lines by level and bucket, extrapolated and stored. */
  logSeries(
    asked: Asked & { bucketMs: number },
  ): Promise<{ startMs: number; level: string; count: number; samples: number }[]>
  /** The most frequent values of expressions, most lines first, and the number of values of each. */
  logFacets(
    asked: Asked & { fields: readonly { key: string; of: LogExpression }[]; max: number },
  ): Promise<LogFacetRow[]>
  /** The most frequent shapes, most lines first, and how many there are. */
  logPatterns(asked: Asked & { max: number }): Promise<{ patterns: LogPatternRow[]; total: number; lines: number }>
  /** Lines of shapes by bucket. */
  patternSeries(
    asked: Asked & { patterns: readonly string[]; bucketMs: number },
  ): Promise<{ pattern: string; startMs: number; count: number }[]>
  /** The time of the first stored line of shapes, in µs. */
  patternStarts(scope: Scope, patterns: readonly string[]): Promise<Map<string, number>>
  /** Lines by their keys. */
  logDetails(keys: readonly LogKey[]): Promise<LogDetail[]>
  /** Lines with from <= position < to, the newest positions first, and the number of all of them. */
  logTail(
    asked: Asked & { columns: readonly LogExpression[]; from: number; to: number; max: number },
  ): Promise<{ lines: LogLine[]; total: number }>
  /** Lines of a trace between two times, oldest first. */
  logsOfTrace(request: {
    projectIds: readonly number[]
    traceId: string
    fromMs: number
    toMs: number
    max: number
    newest: boolean
  }): Promise<LogLine[]>
}
