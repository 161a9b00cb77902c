import type { Scope } from '../events.ts'
import { aheadMs, type Values } from '../filter.ts'
import type { LogExpression, LogKey, LogLine } from '../log-search.ts'

/** Characters of a message in lists: enough for the widest screen. The detail has all of it. */
export const listBodyMax = 2000

export const timeOf = (values: Values, ms: number): string =>
  `fromUnixTimestamp64Milli(${values.add('Int64', Math.floor(ms))}, 'UTC')`
export const microsOf = (values: Values, us: number): string =>
  `fromUnixTimestamp64Micro(${values.add('Int64', us)}, 'UTC')`

/**
 * Condition for the lines of a scope. `fromMs` is inclusive, `toMs` exclusive. The time of receipt is the key of the
 * partitions: a line is received after it was written, unless the sender's clock is ahead.
 */
export function scopeCondition(values: Values, scope: Scope, where: LogExpression | undefined): string {
  const parts = [
    `project_id IN ${values.add('Array(UInt64)', scope.projectIds)}`,
    `time >= ${timeOf(values, scope.fromMs)}`,
    `time < ${timeOf(values, scope.toMs)}`,
    `received >= ${timeOf(values, Math.max(0, scope.fromMs - aheadMs))}`,
  ]
  if (scope.environments.length > 0) parts.push(`environment IN ${values.add('Array(String)', scope.environments)}`)
  if (where) parts.push(`(${where(values)})`)
  return parts.join(' AND ')
}

/** Condition for the lines after a line, in the order of a list. */
export function afterCondition(values: Values, after: LogKey, order: 'newest' | 'oldest'): string {
  const is = order === 'newest' ? '<' : '>'
  const time = microsOf(values, after.timeUs)
  const place = `(${values.add('UInt64', after.jpos)}, ${values.add('UInt32', after.place)})`
  return `time ${is}= ${time} AND (time ${is} ${time} OR (jpos, place) ${is} ${place})`
}

/** What a list reads of each line, beside its columns. */
export const lineColumns = `project_id, time, jpos, place, level, severity, substringUTF8(body, 1, ${listBodyMax}) AS text,
  template, pattern, trace_id, span_id`

/** The cells of a line as a list of texts, numbers and nulls. */
export const lineCells = `toString(project_id) AS projectId, toString(toUnixTimestamp64Micro(time)) AS timeUs, toString(jpos) AS jposText,
  place, level, severity, text AS body, template, if(pattern = 0, '', toString(pattern)) AS patternText,
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
