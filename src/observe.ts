import pino from 'pino'

/** Our own output: log lines and nothing of an event's content in them. The user's logs are another thing ("log"). */
export type Observe = {
  debug(fields: Record<string, unknown>, sentence: string): void
  info(fields: Record<string, unknown>, sentence: string): void
  warn(fields: Record<string, unknown>, sentence: string): void
  error(fields: Record<string, unknown>, sentence: string): void
}

/** Log lines as JSON on standard error (standard output belongs to the command's answer). `part` names the process. */
export function createObserve(part: string, level: string): Observe {
  return pino(
    { level, base: { part }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  )
}

/** Says nothing; for tests that are not about log lines. */
export const silent: Observe = { debug() {}, info() {}, warn() {}, error() {} }
