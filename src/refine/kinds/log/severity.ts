import type { LogLevel } from '../../../store/events/log-store.ts'

/** OpenTelemetry's severity number (1 to 24), and the level of its band. */
export type Severity = { severity: number; level: LogLevel }

const bands: readonly LogLevel[] = ['trace', 'debug', 'info', 'warning', 'error', 'fatal']

/** The first number of each level. */
const firstOf: Readonly<Record<LogLevel, number>> = { trace: 1, debug: 5, info: 9, warning: 13, error: 17, fatal: 21 }

/** Names of SDKs, of libraries for logs, and of syslog, with their numbers in OpenTelemetry's data model. */
const named: ReadonlyMap<string, number> = new Map([
  ['trace', 1],
  ['verbose', 1],
  ['finest', 1],
  ['silly', 1],
  ['debug', 5],
  ['finer', 5],
  ['fine', 5],
  ['info', 9],
  ['information', 9],
  ['informational', 9],
  ['log', 9],
  ['config', 9],
  ['success', 9],
  ['notice', 10],
  ['warn', 13],
  ['warning', 13],
  ['err', 17],
  ['error', 17],
  ['severe', 17],
  ['crit', 21],
  ['critical', 21],
  ['alert', 21],
  ['emerg', 21],
  ['emergency', 21],
  ['panic', 21],
  ['fatal', 21],
])

/** Syslog's severities 0 (emergency) to 7 (debug). */
const syslog = [21, 21, 21, 17, 13, 10, 9, 5] as const

export const unknownSeverity: Severity = { severity: firstOf.info, level: 'info' }

const bandOf = (severity: number): LogLevel => bands[Math.floor((severity - 1) / 4)] ?? 'info'
const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 24

/** The severity of a level's name in any case: `warn`, `WARNING`, `INFO2`; undefined for unknown names. */
function severityOfText(text: unknown): Severity | undefined {
  if (typeof text !== 'string' || text.length > 20) return undefined
  const exact = named.get(text)
  const plain = exact === undefined ? text.trim().toLowerCase() : text
  const found = exact ?? named.get(plain)
  if (found !== undefined) return { severity: found, level: bandOf(found) }
  // OpenTelemetry numbers the four steps of a level: ERROR, ERROR2, ERROR3, ERROR4.
  const step = Number(plain.at(-1))
  const base = step >= 2 && step <= 4 ? named.get(plain.slice(0, -1)) : undefined
  return base === undefined ? undefined : { severity: base + step - 1, level: bandOf(base) }
}

/**
 * The severity of a line from its number and its text. A number within the level of the text is more exact; if they
 * contradict each other, `text` counts for SDKs (`wins: 'text'`), where the number is optional, and the number for
 * OpenTelemetry, where the text is the name in the source. Undefined if neither is known.
 */
export function severityOf(number: unknown, text: unknown, wins: 'text' | 'number'): Severity | undefined {
  const byNumber: Severity | undefined = isNumber(number) ? { severity: number, level: bandOf(number) } : undefined
  if (byNumber && wins === 'number') return byNumber
  const byText = severityOfText(text)
  return byNumber && (!byText || byText.level === byNumber.level) ? byNumber : byText
}

/** The severity of a syslog priority (facility * 8 + severity). */
export function severityOfPriority(priority: number): Severity {
  const severity = syslog[priority & 7] ?? firstOf.info
  return { severity, level: bandOf(severity) }
}
