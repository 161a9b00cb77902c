import { binaryId, field, hash, repeating, time } from '../encode.ts'
import { attributeMaps } from '../encode-attributes.ts'
import type { MetricRow } from '../metric-store.ts'

/** Columns of a line of `encodeMetricRow`, in order. */
export const metricColumns = [
  'project_id',
  'time',
  'name',
  'type',
  'unit',
  'value',
  'count',
  'min',
  'max',
  'sum',
  'is_bucket',
  'trace_id',
  'span_id',
  'service',
  'environment',
  'release',
  'tags',
  'numbers',
  'folded',
  'repaired',
  'stream',
  'total',
  'received',
  'jpos',
  'place',
  'entries',
] as const

const finite = (value: number): number => (Number.isFinite(value) ? value : 0)
const whole = (value: number): number => (Number.isSafeInteger(value) && value > 0 ? value : 0)

/** Points of a record mostly repeat these. */
const traceOf = repeating(binaryId)
const receivedOf = repeating(time)
/** Attributes are encoded once for all buckets of a histogram, which share the object. */
const mapsOf = repeating((attributes: MetricRow['attributes']) => {
  const { tags, numbers } = attributeMaps(attributes)
  return `{${tags}}\t{${numbers}}`
})

/** Encodes a row as a line of tab-separated values (UTF-8 once encoded) with newline; columns: `metricColumns`. */
export const encodeMetricRow = (row: MetricRow): string =>
  `${row.projectId}\t${time(row.timeMs)}\t${field(row.name)}\t${row.type}\t${field(row.unit)}\t${finite(row.value)}\t` +
  `${whole(row.count)}\t${finite(row.min)}\t${finite(row.max)}\t${finite(row.sum)}\t${row.isBucket ? 1 : 0}\t` +
  `${traceOf(row.traceId)}\t${hash(row.spanId)}\t${field(row.service)}\t${field(row.environment)}\t${field(row.release)}\t` +
  `${mapsOf(row.attributes)}\t${row.folded}\t${Math.min(row.repaired, 255)}\t${hash(row.stream)}\t` +
  `${finite(row.total)}\t${receivedOf(row.receivedMs)}\t${row.jpos}\t${row.place}\t${row.entries}\n`
