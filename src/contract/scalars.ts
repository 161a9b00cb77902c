import { z } from 'zod'

/** Values that many REST shapes use. */

/** An id: a whole number as text, as other clients expect it. */
export const digits = z.string().regex(/^\d+$/)
/** A time, ISO 8601 in UTC. */
export const time = z.iso.datetime()
export const textOrNull = z.string().nullable()
/** An object whose fields the client chooses. */
export const record = z.record(z.string(), z.unknown())
/** An event id or a trace id: 32 hexadecimal characters. */
export const eventId = z.string().regex(/^[0-9a-f]{32}$/)
/** A span id: 16 hexadecimal characters. */
export const spanId = z.string().regex(/^[0-9a-f]{16}$/)
/** Short form of a project. */
export const restProjectName = z.strictObject({ id: digits, slug: z.string() })

/** The `revision` field of all change bodies. */
export const revisionField = z.number().int().min(0).optional()
/** Project list of a body, each by slug or id. */
export const projectNames = z.array(z.union([z.string(), z.number()]))

/** Parses ISO 8601 to milliseconds. A time without offset is UTC, whatever the server's time zone. NaN if invalid. */
function isoMs(text: string): number {
  const found = /^\d{4}-\d\d-\d\d(?:[T ](.+))?$/.exec(text)
  if (!found) return Number.NaN
  const clockTime = found[1] ?? ''
  return Date.parse(clockTime === '' || /(?:Z|UTC|[+-]\d\d:?\d\d)$/i.test(clockTime) ? text : `${text}Z`)
}

/** Time field of a body: ISO 8601, converted to milliseconds. */
export const moment = z
  .string()
  .max(64)
  .refine((text) => !Number.isNaN(isoMs(text)), 'A time, ISO 8601.')
  .transform(isoMs)

const isWeb = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** Address field of a body that can become a link: http or https. '' and null: none. */
export const address = z
  .string()
  .trim()
  .max(2000, 'At most 2,000 characters.')
  .refine((text) => text === '' || isWeb(text), 'An address with http or https.')
  .nullish()

/** Single-line text field of a body, at most `max` characters. `name` is the error for an empty line. */
export const line = (max: number, name: string) =>
  z
    .string()
    .trim()
    .min(1, name)
    .max(max, `At most ${max} characters.`)
    .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'No control characters.')
