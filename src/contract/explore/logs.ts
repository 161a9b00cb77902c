import { z } from 'zod'
import { aroundBy } from '../../domain/log-around.ts'
import { digits } from '../scalars.ts'

const iso = z.iso.datetime()
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()])
const hexId = z.string().regex(/^(?:[0-9a-f]{16}|[0-9a-f]{32})?$/)

/** One log line of a list. */
const line = z
  .strictObject({
    id: z.string().describe('Names the line in other calls.'),
    projectID: digits,
    timestamp: iso.describe('ISO 8601 with microseconds.'),
    level: z.string().describe('trace, debug, info, warning, error or fatal.'),
    severity: z.int().describe('Severity number of OpenTelemetry, 1 to 24.'),
    message: z.string().describe('At most 2,000 characters in lists.'),
    template: z.string().describe('The message with its placeholders, if the SDK sent one.'),
    pattern: z.string().describe('Lines of one shape have the same. Empty: none.'),
    trace: hexId.describe('Empty: none.'),
    span: hexId,
    columns: z.array(cell).describe('The requested columns, in their order.'),
  })
  .meta({ id: 'LogLine' })
export type RestLogLine = z.infer<typeof line>

/** GET organizations/{org}/logs/: lines, newest first. */
export const restLogLines = z
  .strictObject({
    lines: z.array(line),
    next: z.string().nullable().describe('Cursor of older lines.'),
    position: z.string().describe('Where a live tail goes on without a gap.'),
  })
  .meta({ id: 'LogLines' })
export type RestLogLines = z.infer<typeof restLogLines>

const dropped = z
  .strictObject({
    from: iso.describe('Start of the hour.'),
    to: iso,
    projectID: digits,
    count: z.int(),
    reason: z.string().describe('Why they were dropped, as in the ledger.'),
  })
  .meta({ id: 'DroppedLogLines' })
export type RestDroppedLines = z.infer<typeof dropped>

/** GET organizations/{org}/logs/summary/: number of lines over time, and the values of fields. */
export const restLogSummary = z
  .strictObject({
    count: z.number().describe('Lines that match, extrapolated by their sample rates.'),
    samples: z.int().describe('Stored lines that match.'),
    interval: z.int().describe('Length of a bar in milliseconds.'),
    bars: z.array(
      z.strictObject({
        start: z.int().describe('Milliseconds since 1970.'),
        levels: z.record(z.string(), z.number()).describe('Lines by level.'),
      }),
    ),
    facets: z.array(
      z.strictObject({
        key: z.string(),
        values: z.array(z.strictObject({ value: z.string(), count: z.number() })),
        more: z.boolean().describe('There are other values.'),
      }),
    ),
    countedFrom: iso.nullable().describe('Null: the whole range was counted. Otherwise only the lines since then.'),
    dropped: z.array(dropped).describe('Lines of the last 24 hours that a rate limit or quota dropped, by hour.'),
  })
  .meta({ id: 'LogSummary' })
export type RestLogSummary = z.infer<typeof restLogSummary>

const pattern = z
  .strictObject({
    pattern: z.string(),
    shape: z.string().describe('The message with * for its varying parts.'),
    count: z.number(),
    share: z.number().describe('Part of all matching lines, 0 to 1.'),
    level: z.string().describe('The most frequent level.'),
    projectID: digits.describe('The project with the most lines of it.'),
    points: z.array(z.number()).describe('Lines in parts of the range of equal length.'),
    firstSeen: iso.describe('Its first stored line.'),
    lastSeen: iso,
    isNew: z.boolean().describe('Its first stored line came after the start of the release in `release`.'),
  })
  .meta({ id: 'LogPattern' })

/** GET organizations/{org}/logs/patterns/: repeated shapes, the most frequent first. */
export const restLogPatterns = z
  .strictObject({
    patterns: z.array(pattern),
    total: z.int().describe('Number of patterns in the range.'),
    release: z
      .strictObject({ version: z.string(), since: iso })
      .nullable()
      .describe('The newest release of the projects. Null: none is known.'),
    countedFrom: restLogSummary.shape.countedFrom,
  })
  .meta({ id: 'LogPatterns' })
export type RestLogPatterns = z.infer<typeof restLogPatterns>

const attribute = z
  .strictObject({ name: z.string(), value: z.union([z.string(), z.number(), z.boolean()]) })
  .meta({ id: 'LogAttribute' })

/** GET organizations/{org}/logs/{line}/: one line with all its attributes. */
export const restLogDetail = z
  .strictObject({
    ...line.omit({ columns: true }).shape,
    message: z.string(),
    isTruncated: z.boolean().describe('The message was longer than 16 KiB.'),
    isRepaired: z.boolean().describe('The line was not valid as sent.'),
    received: iso,
    fields: z.array(attribute).describe('service, host, logger, environment, release, platform and origin, if set.'),
    attributes: z.array(attribute).describe('By name.'),
    traceDuration: z.number().nullable().describe('Milliseconds. Null: no span of its trace is stored.'),
    spanInfo: z
      .strictObject({
        op: z.string(),
        name: z.string().describe('Its name, else its description.'),
        duration: z.number().describe('Milliseconds.'),
      })
      .nullable()
      .describe('The span that the line was written in. Null: the line has none, or it is not stored.'),
    issues: z
      .array(z.strictObject({ id: digits, shortId: z.string() }))
      .describe('Issues with an error in its trace, at most 3.'),
  })
  .meta({ id: 'LogDetail' })
export type RestLogDetail = z.infer<typeof restLogDetail>

/** GET organizations/{org}/logs/{line}/around/: ten lines before and after it, oldest first, and the line. */
export const restLogsAround = z
  .strictObject({ by: z.enum(aroundBy), value: z.string(), lines: z.array(line) })
  .meta({ id: 'LogsAround' })
export type RestLogsAround = z.infer<typeof restLogsAround>

/**
 * Messages of the live tail. `lines`: new lines, newest first. `gap`: lines that it left out. `slow`: more came than
 * a tail shows. `dropped`: the rate limit dropped them before they were stored.
 */
export type TailMessage =
  | { kind: 'lines'; lines: RestLogLine[] }
  | { kind: 'gap'; count: number; reason: 'slow' | 'dropped'; at: string }

/** GET organizations/{org}/trace-moment/{trace}/: log lines and spans of a trace around a time, oldest first. */
export const restTraceMoment = z
  .strictObject({
    lines: z.array(line),
    spans: z.array(
      z.strictObject({
        id: z.string(),
        projectID: digits,
        op: z.string(),
        name: z.string(),
        start: iso,
        duration: z.number().describe('Milliseconds.'),
        failed: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'TraceMoment' })
export type RestTraceMoment = z.infer<typeof restTraceMoment>
