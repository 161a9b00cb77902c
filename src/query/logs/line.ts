import type { RestLogLine } from '../../contract/explore/logs.ts'
import type { LogKey, LogLine } from '../../store/events/log-search.ts'

/** The id of a line, as in URLs and calls. It names the line's place in the store, so it is found without a search. */
export const idOfLine = ({ timeUs, projectId, jpos, place }: LogKey): string =>
  `${timeUs}-${projectId}-${jpos}-${place}`

/** Reads the id of a line; undefined for anything else. */
export function keyOfLine(id: string): LogKey | undefined {
  const found = /^(\d{1,16})-(\d{1,15})-(\d{1,16})-(\d{1,9})$/.exec(id)
  if (!found) return undefined
  const [timeUs = 0, projectId = 0, jpos = 0, place = 0] = found.slice(1).map(Number)
  return [timeUs, projectId, jpos].every(Number.isSafeInteger) ? { timeUs, projectId, jpos, place } : undefined
}

/** A time of microseconds as ISO 8601. */
export const isoOfMicros = (us: number): string =>
  `${new Date(Math.floor(us / 1000)).toISOString().slice(0, -1)}${String(us % 1000).padStart(3, '0')}Z`

/** A line as screens and programs get it. */
export const toRestLine = (line: LogLine): RestLogLine => ({
  id: idOfLine(line),
  projectID: String(line.projectId),
  timestamp: isoOfMicros(line.timeUs),
  level: line.level,
  severity: line.severity,
  message: line.body,
  template: line.template,
  pattern: line.pattern,
  trace: line.traceId,
  span: line.spanId,
  columns: line.columns,
})
