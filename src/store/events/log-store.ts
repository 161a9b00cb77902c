import type { TextParts } from '../../domain/log-shape.ts'
import type { Json } from '../../wire/json.ts'

/** Levels of log lines, by rising severity. `warn` of SDKs is stored as `warning`. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warning' | 'error' | 'fatal'

/** One log line as a row. Ids are lower-case hex: 32 characters for a trace, 16 for a span, '' for none. */
export type LogRow = {
  projectId: number
  /** Microseconds since 1970. */
  timeUs: number
  traceId: string
  spanId: string
  /** OpenTelemetry's severity number, 1 to 24. */
  severity: number
  level: LogLevel
  /** The text. JSON bodies are kept as sent, so that queries can read paths in them. */
  body: string
  /** The text as `splitText` splits it, if that is known. Its pattern was found with it. */
  parts?: TextParts | undefined
  /** The text with placeholders, if the SDK sent one; '' otherwise. Its parameters are attributes. */
  template: string
  /** Hash of the line's shape (16 hex digits), '' for none. Lines of one shape form a pattern. */
  pattern: string
  service: string
  host: string
  logger: string
  environment: string
  release: string
  platform: string
  origin: string
  userHash: string
  /** Attributes by name. Numbers are stored apart from texts; other values become JSON texts (docs/logs.md). */
  attributes: Readonly<Record<string, Json>>
  /** Number of faults in the sent data that were repaired. */
  repaired: number
  /** The body was longer than `logBodyMax` characters and is cut. */
  truncated: boolean
  /** The number of lines that this one stands for: 1 / sample rate. At least 1. */
  weight: number
  receivedMs: number
  /** Position of the row's record and number within the record: together they identify the row. */
  jpos: number
  place: number
}
