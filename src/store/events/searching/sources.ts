import { logTextSql } from '../logs/text.ts'
import type { Asked } from '../question.ts'

/**
 * A table that can be asked: the SQL of its columns by the names that questions use. Names and operators cannot be
 * bound, so they come from these closed tables; everything else of a question is bound.
 */
export type Source = {
  table: string
  /** Column of the time, and what follows it in the order of rows. */
  time: string
  tie: string
  /** The table is ordered by project and time, so that the newest rows of a project are read from its end. */
  isByTime: boolean
  /** How many rows this one stands for. Undefined: itself only. */
  weight: string | undefined
  /** 1 for a row that failed. */
  failed: string
  /** Condition of rows that percentiles leave out, unless they are asked for. */
  isCut: string | undefined
  /** Condition of every question. */
  always: string | undefined
  /**
   * The text whose words have indexes, and the columns that have these words: each word of the text is a word of at least
   * one of them. `whole` columns are one word of their index, others are split into words.
   */
  words: { text: string; whole: readonly string[]; split: readonly string[] } | undefined
  /** Microseconds that Apdex compares. */
  duration: string | undefined
  texts: Readonly<Record<string, string>>
  numbers: Readonly<Record<string, string>>
  /** `bytes`: an id of 16 bytes, else a number of 64 bits. */
  ids: Readonly<Record<string, { sql: string; bytes: boolean }>>
  flags: Readonly<Record<string, string>>
  /** Attributes that are numbers have a map of their own. Else they are the texts that are numbers. */
  hasNumbers: boolean
  hasMeasurements: boolean
}

const bytes = (sql: string) => ({ sql, bytes: true })
const number = (sql: string) => ({ sql, bytes: false })
const same = (...names: string[]) => Object.fromEntries(names.map((name) => [name, name]))
const projectId = { projectId: 'toFloat64(project_id)' }

const spans: Source = {
  table: 'spans',
  time: 'start',
  tie: 'jpos DESC, place DESC',
  isByTime: true,
  weight: 'weight',
  failed: 'failed',
  isCut: "cut != ''",
  always: undefined,
  words: undefined,
  duration: 'duration',
  texts: {
    ...same('op', 'category', 'name', 'status', 'transaction', 'route', 'statement', 'kind', 'origin', 'platform'),
    ...same('release', 'environment', 'cut'),
    /** The description of a transaction's child, or the name of a streamed span: what SDKs call `span.description`. */
    label: "if(description != '', description, name)",
  },
  numbers: {
    duration: 'duration / 1000',
    selfTime: 'if(self_time < 0, NULL, self_time / 1000)',
    httpStatus: 'if(http_status = 0, NULL, http_status)',
    weight: 'weight',
    ...projectId,
  },
  ids: {
    trace: bytes('trace_id'),
    span: number('span_id'),
    parent: number('parent_id'),
    segment: number('segment_id'),
    user: number('user_hash'),
  },
  flags: { isSegment: 'is_segment', failed: 'failed' },
  hasNumbers: true,
  hasMeasurements: true,
}

/** Errors. Performance issues are rows of this table, too, but no errors. */
const events: Source = {
  table: 'events',
  time: 'timestamp',
  tie: 'event_id DESC',
  isByTime: false,
  weight: undefined,
  failed: '1',
  isCut: undefined,
  // Feedback is no error either.
  always: "type NOT IN ('generic', 'feedback')",
  words: undefined,
  duration: undefined,
  texts: {
    ...same('level', 'environment', 'release', 'transaction', 'type', 'platform', 'message', 'digest'),
    title: "substringIndex(message, '\\n', 1)",
  },
  numbers: {
    ...projectId,
    /** The time of receipt, in ms and in whole minutes since 1970. */
    received: 'toFloat64(toUnixTimestamp64Milli(received))',
    receivedMinute: 'toFloat64(intDiv(toUnixTimestamp64Milli(received), 60000))',
  },
  ids: {
    trace: bytes('trace_id'),
    event: bytes('event_id'),
    user: number('user_hash'),
    group: number('group_hash'),
  },
  flags: {},
  hasNumbers: false,
  hasMeasurements: false,
}

const logs: Source = {
  table: 'logs',
  time: 'time',
  tie: 'jpos DESC, place DESC',
  isByTime: true,
  weight: 'weight',
  failed: '(severity >= 17)',
  isCut: undefined,
  always: undefined,
  words: { text: logTextSql(), whole: ['shape'], split: ['changing', 'body'] },
  duration: undefined,
  texts: {
    body: logTextSql(),
    ...same('level', 'template', 'service', 'host', 'logger', 'environment', 'release', 'platform', 'origin'),
    /** What tells a line from all others. */
    item: "lower(concat(leftPad(hex(jpos), 16, '0'), leftPad(hex(place), 16, '0')))",
  },
  numbers: {
    nanoseconds: 'toFloat64(toUnixTimestamp64Micro(time)) * 1000',
    severity: 'if(severity = 0, NULL, severity)',
    weight: 'weight',
    ...projectId,
  },
  ids: {
    trace: bytes('trace_id'),
    span: number('span_id'),
    pattern: number('pattern'),
    user: number('user_hash'),
  },
  flags: { truncated: 'truncated', repaired: '(repaired > 0)' },
  hasNumbers: true,
  hasMeasurements: false,
}

/** A row of a histogram stands for the points of its bucket. */
const metrics: Source = {
  table: 'metrics',
  time: 'time',
  tie: 'jpos DESC, place DESC',
  isByTime: false,
  weight: 'count',
  failed: '0',
  isCut: undefined,
  // A cumulative histogram has a row of its total, which is no measurement.
  always: 'count > 0',
  words: undefined,
  duration: undefined,
  texts: same('name', 'type', 'unit', 'service', 'environment', 'release'),
  numbers: { value: 'value', points: 'count', ...projectId },
  ids: { trace: bytes('trace_id'), span: number('span_id') },
  flags: { folded: 'folded' },
  hasNumbers: true,
  hasMeasurements: false,
}

const sources: Readonly<Partial<Record<Asked, Source>>> = { events, spans, logs, metrics }

/** Returns the source of a table. Throws for what is no table of this store: a fault of this program. */
export function sourceOf(from: Asked): Source {
  const source = sources[from]
  if (!source) throw new Error(`no table: ${from}`)
  return source
}

/** Returns the SQL of a column. Throws for a name that the source does not have: a fault of this program. */
export function columnOf<Sql>(columns: Readonly<Record<string, Sql>>, name: string): Sql {
  const found = Object.hasOwn(columns, name) ? columns[name] : undefined
  if (found === undefined) throw new Error(`no column: ${name.slice(0, 50)}`)
  return found
}

/** Like `sourceOf`, for SQL that people read, and can run on the views of their SQL: these have the text of a line as one column. */
export function shownSourceOf(from: Asked): Source {
  const source = sourceOf(from)
  if (source !== logs) return source
  return { ...logs, words: { text: 'body', whole: [], split: ['body'] }, texts: { ...logs.texts, body: 'body' } }
}
