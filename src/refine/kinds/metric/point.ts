import { type MetricType, metricBytesMax, metricTypes } from '../../../domain/metrics.ts'
import type { MetricRow } from '../../../store/events/metric-store.ts'
import { normalizeId, normalizeSpanId } from '../../../wire/ids.ts'
import { jsonOf, type Loose, object, own, scalar } from '../../pipeline/value.ts'
import { environmentOf, releaseOf } from '../error/normalize.ts'
import { seconds } from '../error/time.ts'
import { ownConventional } from '../span/conventions.ts'
import { type ByteBudget, boundedAttributes, line, plainAttributes, type Repairs } from '../span/parts.ts'

/** A row before scrubbing and folding. */
export type BareMetric = Omit<MetricRow, 'attributes' | 'folded' | 'place'> & { attributes: Loose }

/** The surroundings of a point: its record, and the header of its envelope. */
type PointContext = {
  projectId: number
  receivedMs: number
  jpos: number
  /** Milliseconds to add to all times, because the sender's clock is wrong. */
  moveMs: number
  release: unknown
  environment: unknown
  budget: ByteBudget
}

export const nameLengthMax = 200
const unitLengthMax = 64
const futureMaxMs = 60_000
const pastMaxMs = 30 * 86_400_000

/** A plausible time of a point; else that of its receipt, which counts as a repair. */
export function timeOf(ms: number | undefined, receivedMs: number, repairs: Repairs): number {
  if (ms !== undefined && ms <= receivedMs + futureMaxMs && ms >= receivedMs - pastMaxMs) return ms
  repairs.count++
  return receivedMs
}

/** A number, also from a text that stands for a number. Undefined for everything else, NaN and infinity too. */
function numberIn(sent: unknown, repairs: Repairs): number | undefined {
  if (typeof sent === 'number') return Number.isFinite(sent) ? sent : undefined
  if (
    typeof sent !== 'string' ||
    !/^\s{0,8}[+-]?(?:\d{1,30}\.?\d{0,30}|\.\d{1,30})(?:e[+-]?\d{1,3})?\s{0,8}$/i.test(sent)
  )
    return undefined
  repairs.count++
  const value = Number(sent)
  return Number.isFinite(value) ? value : undefined
}

const types: ReadonlySet<string> = new Set(metricTypes)
function typeOf(sent: unknown, repairs: Repairs): MetricType | undefined {
  if (typeof sent !== 'string') return undefined
  if (types.has(sent)) return sent as MetricType
  const lower = sent.trim().toLowerCase()
  if (!types.has(lower)) return undefined
  repairs.count++
  return lower as MetricType
}

/** A unit; SDKs write `none` for numbers without a unit. */
export function unitOf(sent: unknown, repairs: Repairs): string {
  const unit = line(sent, unitLengthMax, repairs)
  return unit === 'none' || unit === '1' ? '' : unit
}

/** Every character takes at most 6 bytes of JSON. */
const jsonGrowthMax = 6
/** Quotes, names and braces of an attribute, and of a metric without attributes. */
const [attributeBytes, plainBytes] = [40, 300]

/** Whether a metric is over the limit. Most are so small that their JSON need not be written again. */
function isTooLarge(sent: Loose): boolean {
  const attributes = object(own(sent, 'attributes'))
  const texts = [own(sent, 'name'), own(sent, 'unit'), own(sent, 'trace_id')]
  let chars = texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 16), 0)
  let bytes = plainBytes
  for (const key in attributes) {
    const value = own(object(own(attributes, key)) ?? {}, 'value')
    chars += key.length + (typeof value === 'string' ? value.length : typeof value === 'object' ? metricBytesMax : 16)
    bytes += attributeBytes
  }
  if (bytes + chars * jsonGrowthMax <= metricBytesMax) return false
  const json = jsonOf(sent)
  return json === undefined || Buffer.byteLength(json) > metricBytesMax
}

/** Attributes with a column of their own, and what a metric does not need: each point has another sequence number. */
const columns: ReadonlySet<string> = new Set([
  'service.name',
  'sentry.release',
  'sentry.environment',
  'sentry.sdk.name',
  'sentry.sdk.version',
  'sentry.timestamp.sequence',
  'sentry.trace.parent_span_id',
  'sentry._internal.replay_is_buffering',
])

/** A point of an SDK's container as a row, or why it is none. */
export function pointOf(sent: unknown, context: PointContext): BareMetric | 'bad_item' | 'too_large' {
  const metric = object(sent)
  if (!metric) return 'bad_item'
  const repairs: Repairs = { count: 0 }
  const name = line(own(metric, 'name'), nameLengthMax, repairs)
  const type = typeOf(own(metric, 'type'), repairs)
  const value = numberIn(own(metric, 'value'), repairs)
  if (name === '' || type === undefined || value === undefined) return 'bad_item'
  if (isTooLarge(metric)) return 'too_large'
  const { projectId, receivedMs, jpos, moveMs } = context
  const sentS = seconds(own(metric, 'timestamp'))
  const traceId = normalizeId(own(metric, 'trace_id'))
  if (traceId === undefined) repairs.count++
  const attributes = ownConventional(plainAttributes(own(metric, 'attributes')))
  const kept: Loose = boundedAttributes(attributes, context.budget, repairs, columns)
  return {
    projectId,
    timeMs: timeOf(sentS === undefined ? undefined : Math.floor(sentS * 1000 + moveMs), receivedMs, repairs),
    name,
    type,
    unit: unitOf(own(metric, 'unit'), repairs),
    value,
    count: 1,
    min: 0,
    max: 0,
    sum: 0,
    isBucket: false,
    traceId: traceId ?? '',
    spanId: normalizeSpanId(own(metric, 'span_id')) ?? '',
    service: scalar(own(attributes, 'service.name'))?.slice(0, nameLengthMax) ?? '',
    environment: environmentOf(own(attributes, 'sentry.environment') ?? context.environment) ?? '',
    release: releaseOf(own(attributes, 'sentry.release') ?? context.release) ?? '',
    attributes: kept,
    repaired: repairs.count,
    stream: '',
    total: 0,
    receivedMs,
    jpos,
    entries: 1,
  }
}
