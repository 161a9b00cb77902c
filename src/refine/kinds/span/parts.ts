import { softVitalPrefix } from '../../../domain/traces/vitals.ts'
import type { SpanCut } from '../../../store/events/span-store.ts'
import { normalizeId, normalizeSpanId } from '../../../wire/ids.ts'
import type { Json } from '../../../wire/json.ts'
import { bounded, type Loose, type MetaNotes, object, own, safeKey, scalar } from '../../pipeline/value.ts'
import { seconds } from '../error/time.ts'

/** Spans per item. The others count as too many. */
export const spansMax = 1000
/** Bytes of attributes that all spans of one item can keep together. */
export const attributeBytesMax = 800 * 1024
/** Limits of the attributes of one span: bytes, names, and characters of a value. */
export const ownBytesMax = 4096
export const keysMax = 64
export const valueTextMax = 1024
const measurementsMax = 50
const linksMax = 20
const futureMaxUs = 60e6
const pastMaxUs = 30 * 86_400e6

/** Maximum characters of each text. */
export const lengths = { op: 128, name: 200, description: 1024, status: 32, kind: 32, origin: 128 } as const

/** The remaining budget for the attributes of an item. */
export type ByteBudget = { bytes: number }

/** The number of repaired faults in one span. */
export type Repairs = { count: number }

/** Metadata notes that are discarded: the row of a span has a count instead. */
const unread = (): MetaNotes => ({ path: [], meta: {}, errors: [] })

/** A one-line text of at most `max` characters; '' if it is no text. */
export function line(value: unknown, max: number, repairs: Repairs): string {
  const text = scalar(value)?.trim()
  if (!text) {
    if (value !== undefined && value !== null && value !== '' && text !== '') repairs.count++
    return ''
  }
  if (text.length <= max) return text
  repairs.count++
  return `${text.slice(0, max - 3).toWellFormed()}...`
}

/** A protocol word such as a status or an op: only characters of names, otherwise ''. */
export function word(value: unknown, max: number, repairs: Repairs): string {
  const text = line(value, max, repairs)
  if (text === '' || /^[\w.:/ -]+$/.test(text)) return text
  repairs.count++
  return ''
}

/** Whether a value needs no cut. Nearly all are such, and a span has about 30. */
const isSmall = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' ? value.length <= valueTextMax : typeof value === 'number' || typeof value === 'boolean'

/** Bytes of a value as it counts against the budget. A number is stored in 8: writing it as text cost more. */
const bytesOf = (value: Json): number =>
  typeof value === 'string' ? value.length : typeof value === 'number' ? 8 : JSON.stringify(value).length

/** Attributes within the remaining budget. Objects and lists are cut at three levels. */
export function boundedAttributes(
  sent: Loose | undefined,
  budget: ByteBudget,
  repairs: Repairs,
  without: ReadonlySet<string>,
) {
  const out: { [key: string]: Json } = {}
  if (!sent) return out
  const metaNotes = unread()
  let [keys, left] = [0, Math.min(ownBytesMax, budget.bytes)]
  for (const key in sent) {
    const value = own(sent, key)
    if (value === undefined || value === null || without.has(key)) continue
    const name = safeKey(key)
    const limited = isSmall(value) ? value : bounded(metaNotes, '', value, { depth: 3, bytes: valueTextMax })
    const bytes = name.length + 6 + bytesOf(limited)
    if (keys >= keysMax || bytes > left) {
      repairs.count++
      continue
    }
    out[name] = limited
    keys++
    left -= bytes
    budget.bytes -= bytes
  }
  return out
}

/** Reduces each `{type, value}` of span v2 to its value. */
export function plainAttributes(sent: unknown): Loose {
  const loose = object(sent)
  const out: Loose = {}
  for (const key in loose) {
    const entry = object(own(loose, key))
    const value = entry ? own(entry, 'value') : undefined
    if (value === undefined || value === null) continue
    const type = entry && own(entry, 'type')
    const isNumber = type === 'integer' || type === 'double'
    // Integers beyond the range of JSON numbers arrive as text.
    out[safeKey(key)] = isNumber && typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
  }
  return out
}

const perMs: Readonly<Record<string, number>> = { second: 1000, microsecond: 1e-3, nanosecond: 1e-6 }

/** Measurements by name. Times are in milliseconds. */
export function measurementsOf(sent: unknown, repairs: Repairs): Record<string, number> {
  const out: Record<string, number> = {}
  const loose = object(sent)
  let count = 0
  for (const key in loose) {
    const entry = own(loose, key)
    const value = typeof entry === 'number' ? entry : own(object(entry) ?? {}, 'value')
    const unit = scalar(own(object(entry) ?? {}, 'unit')) ?? ''
    if (typeof value !== 'number' || !/^[\w.:-]{1,64}$/.test(key) || key === '__proto__' || count >= measurementsMax) {
      repairs.count++
      continue
    }
    out[key] = value * (Object.hasOwn(perMs, unit) ? (perMs[unit] ?? 1) : 1)
    count++
  }
  return out
}

const vitalPrefix = 'browser.web_vital.'
const vitalForm = /^browser\.web_vital\.(lcp|fcp|fp|ttfb|inp|fid|cls)\.value$/

/**
 * Web vitals of newer SDKs, which are attributes of a page load or of a span of their own. Those of a navigation without
 * a page load (Chrome's soft navigations) begin with `soft.`: they start at a click and count apart (docs/performance.md).
 */
export function vitalsOf(attributes: Loose): Record<string, number> {
  const out: Record<string, number> = {}
  const prefix = own(attributes, 'browser.navigation.type') === 'soft-navigation' ? softVitalPrefix : ''
  for (const key in attributes) {
    const name = key.startsWith(vitalPrefix) ? vitalForm.exec(key)?.[1] : undefined
    const value = attributes[key]
    if (name && typeof value === 'number') out[`${prefix}${name}`] = value
  }
  return out
}

/** Links to other spans, as a JSON list of ids and sampling; '' if there are none. */
export function linksOf(sent: unknown, repairs: Repairs): string {
  if (!Array.isArray(sent) || sent.length === 0) return ''
  if (sent.length > linksMax) repairs.count++
  const links = sent.slice(0, linksMax).flatMap((entry) => {
    const link = object(entry)
    const traceId = link && normalizeId(own(link, 'trace_id'))
    const spanId = link && normalizeSpanId(own(link, 'span_id'))
    return traceId && spanId ? [{ trace_id: traceId, span_id: spanId, sampled: own(link, 'sampled') === true }] : []
  })
  return links.length > 0 ? JSON.stringify(links) : ''
}

/** Ops of spans that a browser SDK ends by itself after a while. */
const idleOps = /^(?:pageload|navigation|ui\.action(?:\..{1,60})?)$/

/**
 * Whether a span was ended before it was over. SDKs report a finish reason, older SDKs only the status. A server's real
 * time-out has the same status and is not counted.
 */
export function cutOf(op: string, status: string, finishReason: unknown): SpanCut {
  if (finishReason === 'heartbeatFailed') return 'heartbeatFailed'
  if (finishReason === 'finalTimeout') return 'deadline_exceeded'
  return status === 'deadline_exceeded' && idleOps.test(op) ? 'deadline_exceeded' : ''
}

/** A time in microseconds, moved by `moveUs`; undefined if it is no time. */
export function momentUs(value: unknown, moveUs: number): number | undefined {
  const at = seconds(value)
  return at === undefined ? undefined : Math.round(at * 1e6 + moveUs)
}

export type Interval = { startUs: number; durationUs: number }

/**
 * The interval of a span. Repairs intervals that end before they start, lie in the future or are over a month old. If
 * only the start is plausible, it ends at arrival. Otherwise it ends at `fallbackUs` with its own duration.
 */
export function intervalOf(
  startUs: number | undefined,
  endUs: number | undefined,
  receivedUs: number,
  fallbackUs: number,
  repairs: Repairs,
): Interval {
  const start = startUs ?? endUs ?? fallbackUs
  const end = endUs ?? start
  if (startUs === undefined || endUs === undefined) repairs.count++
  if (end < start) repairs.count++
  const durationUs = Math.min(Math.max(0, end - start), pastMaxUs)
  const at = Math.max(start, end)
  if (at <= receivedUs + futureMaxUs && start >= receivedUs - pastMaxUs)
    return { startUs: Math.min(start, at - durationUs), durationUs }
  repairs.count++
  const isStartLikely = start <= receivedUs + futureMaxUs && start >= receivedUs - pastMaxUs
  if (isStartLikely) return { startUs: start, durationUs: Math.max(0, receivedUs - start) }
  return { startUs: fallbackUs - durationUs, durationUs }
}

/** The time of each span outside of its children, in microseconds, by index. Parent links can form a cycle. */
export function selfTimes(spans: readonly (Interval & { spanId: string; parentId: string })[]): number[] {
  // Sorted once: a sender can give all spans the same id, and then each has all others as children.
  const ordered = spans.toSorted((a, b) => a.startUs - b.startUs)
  const children = Map.groupBy(ordered, (entry) => entry.parentId)
  return spans.map(({ spanId, startUs, durationUs }) => {
    const endUs = startUs + durationUs
    let [covered, upTo] = [0, startUs]
    for (const entry of children.get(spanId) ?? []) {
      const [from, to] = [Math.max(entry.startUs, upTo), Math.min(entry.startUs + entry.durationUs, endUs)]
      if (to <= from) continue
      covered += to - from
      upTo = to
    }
    return durationUs - covered
  })
}
