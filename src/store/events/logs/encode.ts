import { binaryId, field, hash, micros, repeating, time } from '../encode.ts'
import { attributeMaps } from '../encode-attributes.ts'
import type { LogRow } from '../log-store.ts'
import { createSeenShapes, storedText } from './text.ts'

/** Columns of a line of `encodeLogRow`, in order. */
export const logColumns = [
  'project_id',
  'time',
  'trace_id',
  'span_id',
  'severity',
  'level',
  'shape',
  'changing',
  'body',
  'template',
  'pattern',
  'service',
  'host',
  'logger',
  'environment',
  'release',
  'platform',
  'origin',
  'user_hash',
  'tags',
  'numbers',
  'repaired',
  'truncated',
  'weight',
  'received',
  'jpos',
  'place',
] as const

/** The lines of a process mostly repeat these. */
const traceOf = repeating(binaryId)
const [spanOf, patternOf, userOf] = [repeating(hash), repeating(hash), repeating(hash)]
const receivedOf = repeating(time)

const isSeen = createSeenShapes()

/** Encodes a row as a line of tab-separated values (UTF-8 once encoded) with newline; columns as in `logColumns`. */
export const encodeLogRow = (row: LogRow): string => encodeWith(row, isSeen)

/** Like `encodeLogRow`. `isRepeated` decides which texts are stored as a shape and values. */
export function encodeWith(row: LogRow, isRepeated: (shape: string) => boolean): string {
  const { shape, changing, body } = storedText(row.body, isRepeated, row.parts)
  const { tags, numbers } = attributeMaps(row.attributes)
  return (
    `${row.projectId}\t${micros(row.timeUs)}\t${traceOf(row.traceId)}\t${spanOf(row.spanId)}\t${row.severity}\t` +
    `${row.level}\t${field(shape)}\t${field(changing)}\t${field(body)}\t${field(row.template)}\t${patternOf(row.pattern)}\t${field(row.service)}\t` +
    `${field(row.host)}\t${field(row.logger)}\t${field(row.environment)}\t${field(row.release)}\t` +
    `${field(row.platform)}\t${field(row.origin)}\t${userOf(row.userHash)}\t{${tags}}\t{${numbers}}\t` +
    `${Math.min(row.repaired, 255)}\t${row.truncated ? 1 : 0}\t` +
    `${row.weight >= 1 && Number.isFinite(row.weight) ? row.weight : 1}\t${receivedOf(row.receivedMs)}\t${row.jpos}\t${row.place}\n`
  )
}
