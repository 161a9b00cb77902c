import { binaryId, field, hash, micros, quoted, repeating, time } from '../encode.ts'
import { attributeMaps } from '../encode-attributes.ts'
import type { SpanRow } from '../span-store.ts'

/** Columns of a line of `encodeSpanRow`, in order. */
export const spanColumns = [
  'project_id',
  'trace_id',
  'span_id',
  'parent_id',
  'segment_id',
  'is_segment',
  'item',
  'transaction',
  'op',
  'name',
  'description',
  'start',
  'duration',
  'self_time',
  'status',
  'kind',
  'origin',
  'cut',
  'measurements',
  'links',
  'platform',
  'release',
  'environment',
  'user_hash',
  'received',
  'jpos',
  'place',
  'repaired',
  'route',
  'category',
  'statement',
  'weight',
  'failed',
  'http_status',
  'clock_shift',
  'tags',
  'numbers',
  'events',
] as const

const whole = (value: number, least: number): number =>
  Number.isFinite(value) ? Math.min(Math.max(Math.round(value), least), Number.MAX_SAFE_INTEGER) : least

function measured(values: Record<string, number>): string {
  let out = ''
  for (const key in values) {
    const value = values[key]
    if (value !== undefined && Number.isFinite(value)) out += `${out ? ',' : ''}${quoted(key)}:${value}`
  }
  return out
}

/** The spans of an item mostly repeat these. Encoding them anew took a tenth of the time of a transaction. */
const traceOf = repeating(binaryId)
const [parentOf, segmentOf, userOf] = [repeating(hash), repeating(hash), repeating(hash)]
const receivedOf = repeating(time)

/** Encodes a row as a line of tab-separated values (UTF-8 once encoded) with newline; columns as in `spanColumns`. */
export function encodeSpanRow(row: SpanRow): string {
  const { tags, numbers } = attributeMaps(row.attributes)
  return (
    `${row.projectId}\t${traceOf(row.traceId)}\t${hash(row.spanId)}\t${parentOf(row.parentId)}\t${segmentOf(row.segmentId)}\t` +
    `${row.isSegment ? 1 : 0}\t${row.item}\t${field(row.transaction)}\t${field(row.op)}\t${field(row.name)}\t` +
    `${field(row.description)}\t${micros(row.startUs)}\t${whole(row.durationUs, 0)}\t${whole(row.selfUs, -1)}\t` +
    `${field(row.status)}\t${field(row.kind)}\t${field(row.origin)}\t${row.cut}\t` +
    `{${measured(row.measurements)}}\t${field(row.links)}\t${field(row.platform)}\t${field(row.release)}\t` +
    `${field(row.environment)}\t${userOf(row.userHash)}\t${receivedOf(row.receivedMs)}\t${row.jpos}\t${row.place}\t` +
    `${Math.min(row.repaired, 255)}\t${field(row.route)}\t${row.category}\t${field(row.statement)}\t` +
    `${row.weight >= 1 && Number.isFinite(row.weight) ? row.weight : 1}\t${row.failed ? 1 : 0}\t` +
    `${Math.min(whole(row.httpStatus, 0), 65_535)}\t${whole(row.clockShiftUs, Number.MIN_SAFE_INTEGER)}\t` +
    `{${tags}}\t{${numbers}}\t${field(row.events)}\n`
  )
}
