import type { LogKey, LogLine } from '../log-search.ts'
import { logTextSql } from '../logs/text.ts'
import type { Values } from '../reading/filter.ts'
import { sourceOf } from '../searching/sources.ts'

export const logSource = sourceOf('logs')

/** Characters of a message in lists: enough for the widest screen. The detail has all of it. */
export const listBodyMax = 2000

export const timeOf = (values: Values, ms: number): string =>
  `fromUnixTimestamp64Milli(${values.add('Int64', Math.floor(ms))}, 'UTC')`
export const microsOf = (values: Values, us: number): string =>
  `fromUnixTimestamp64Micro(${values.add('Int64', us)}, 'UTC')`

/** Condition for the lines after a line, in the order of a list. */
export function afterCondition(values: Values, after: LogKey, order: 'newest' | 'oldest'): string {
  const is = order === 'newest' ? '<' : '>'
  const time = microsOf(values, after.timeUs)
  const place = `(${values.add('UInt64', after.jpos)}, ${values.add('UInt32', after.place)})`
  return `time ${is}= ${time} AND (time ${is} ${time} OR (jpos, place) ${is} ${place})`
}

/** What a list reads of each line, beside its columns. */
export const lineColumns = `project_id, time, jpos, place, level, severity, substringUTF8(${logTextSql()}, 1, ${listBodyMax}) AS text,
  template, pattern, trace_id, span_id`

/** The cells of a line as a list of texts, numbers and nulls. */
export const lineCells = `toString(project_id) AS projectId, toString(toUnixTimestamp64Micro(time)) AS timeUs, toString(jpos) AS jposText,
  place, level, severity, text AS body, template, if(pattern = 0, '', lower(leftPad(hex(pattern), 16, '0'))) AS patternText,
  if(trace_id = toFixedString('', 16), '', lower(hex(trace_id))) AS traceId,
  if(span_id = 0, '', lower(leftPad(hex(span_id), 16, '0'))) AS spanId`

export type LineCells = {
  projectId: string
  timeUs: string
  jposText: string
  place: number
  level: string
  severity: number
  body: string
  template: string
  patternText: string
  traceId: string
  spanId: string
}

/** A line without its columns, as the engine answered it. */
export const readLine = (cells: LineCells): Omit<LogLine, 'columns'> => ({
  projectId: Number(cells.projectId),
  timeUs: Number(cells.timeUs),
  jpos: Number(cells.jposText),
  place: cells.place,
  level: cells.level,
  severity: cells.severity,
  body: cells.body,
  template: cells.template,
  pattern: cells.patternText,
  traceId: cells.traceId,
  spanId: cells.spanId,
})
