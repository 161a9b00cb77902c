// Log lines of every source that is accepted, for traffic during failures, and how many must be stored of them.
import { ingest, type Project } from '../product.ts'

export const linesEach = 6
const numbers = Array.from({ length: linesEach }, (_, n) => n)

/** A container of log lines, as SDK 11 sends it. */
function containerOf(id: string): string {
  const items = numbers.map((n) => ({
    timestamp: Date.now() / 1000,
    trace_id: id,
    level: n === 0 ? 'error' : 'info',
    body: `line ${n} of ${id}`,
    attributes: { 'sentry.release': { type: 'string', value: 'crash@1' }, n: { type: 'integer', value: n } },
  }))
  const head = { type: 'log', item_count: items.length, content_type: 'application/vnd.sentry.items.log+json' }
  return `{}\n${JSON.stringify(head)}\n${JSON.stringify({ version: 2, items })}\n`
}

/** An export of OpenTelemetry. */
function exportOf(id: string): string {
  const timeUnixNano = String(BigInt(Date.now()) * 1_000_000n)
  const logRecords = numbers.map((n) => ({
    timeUnixNano,
    severityNumber: 9,
    traceId: id,
    body: { stringValue: `line ${n} of ${id}` },
  }))
  return JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })
}

/** Frames of Heroku's drain. */
const framesOf = (id: string): string =>
  numbers
    .map((n) => `<190>1 ${new Date().toISOString()} host app web.1 - line ${n} of ${id}`)
    .map((text) => `${text.length} ${text}`)
    .join('')

/** Sends six lines: by turns as a container, over OTLP, and through the drains of Heroku and Vercel. */
export function sendLogs(product: { url: string }, project: Project, id: string, n: number): Promise<Response> {
  const as = (path: string, type: string, body: string) =>
    ingest(product, project, body, { path, headers: { 'content-type': type } })
  if (n % 4 === 0) return ingest(product, project, containerOf(id))
  if (n % 4 === 1) return as('integration/otlp/v1/logs', 'application/json', exportOf(id))
  if (n % 4 === 2) return as('integration/heroku/logs', 'application/logplex-1', framesOf(id))
  const lines = numbers.map((at) => ({ timestamp: Date.now(), level: 'info', message: `line ${at} of ${id}` }))
  return as('integration/vercel/logs', 'application/json', JSON.stringify(lines))
}
