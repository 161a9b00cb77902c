import type { Scope } from './events.ts'
import type { Cell, Filter, Value } from './question.ts'

/** Names a stored line: its project, its time, and its record. */
export type LogKey = { projectId: number; timeUs: number; jpos: number; place: number }

/** A line in a list. Ids are lower-case hex, '' for none. */
export type LogLine = LogKey & {
  level: string
  severity: number
  /** At most `listBodyMax` characters. */
  body: string
  template: string
  /** Hash of the line's shape, 16 lower-case hex, '' for none. */
  pattern: string
  traceId: string
  spanId: string
  columns: Cell[]
}

/** What a line has besides what lists show of it. */
export type LogFields = {
  service: string
  host: string
  logger: string
  environment: string
  release: string
  platform: string
  origin: string
  tags: Record<string, string>
  numbers: Record<string, number>
}

/** A line with everything that is stored of it. */
export type LogDetail = Omit<LogLine, 'columns'> &
  LogFields & { truncated: boolean; repaired: boolean; receivedMs: number }

type Asked = { scope: Scope; filter: Filter | undefined; signal?: AbortSignal | undefined }

/** A repeated shape. `newest` is its newest line. */
type LogPatternRow = { pattern: string; count: number; lastUs: number; newest: LogKey; level: string }

/** Reads of log lines. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT. */
export type LogSearchStore = {
  /** At most `max` lines, in their order, after `after` in that order. */
  logLines(
    asked: Asked & {
      columns: readonly Value[]
      order: 'newest' | 'oldest'
      after?: LogKey | undefined
      max: number
    },
  ): Promise<LogLine[]>
  /** The most frequent shapes, most lines first, and how many there are. */
  logPatterns(asked: Asked & { max: number }): Promise<{ patterns: LogPatternRow[]; total: number; lines: number }>
  /** The number of shapes. Exact for thousands of them, within 1 % beyond. */
  patternCount(asked: Asked): Promise<number>
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
    asked: Asked & { columns: readonly Value[]; from: number; to: number; max: number },
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
