import type { Json } from '../../../wire/json.ts'
import { type ByteBudget, boundedAttributes, lengths, line, type Repairs } from '../span/parts.ts'
import type { OtlpLink, OtlpSpan } from './message.ts'

/** Events and links of a span that a row keeps. SDKs send up to 128 of each, but a span rarely has two. */
const detailsMax = 20

const noNames: ReadonlySet<string> = new Set()

/**
 * The events of a span in their order, exceptions too: name, time in seconds and attributes. An event without a time has
 * that of its span.
 */
export function eventsOf(
  { events: sent, startUs }: Pick<OtlpSpan, 'events' | 'startUs'>,
  budget: ByteBudget,
  repairs: Repairs,
): Json[] {
  if (sent.length > detailsMax) repairs.count++
  return sent.slice(0, detailsMax).map(({ name, atUs = startUs, attributes }) => ({
    name: line(name, lengths.name, repairs),
    timestamp: (atUs ?? 0) / 1e6,
    attributes: boundedAttributes(attributes, budget, repairs, noNames),
  }))
}

/** The lowest bit of `flags`: the linked span was sampled. */
const sampled = 1

/** The links of a span that name a span: ids, sampling and attributes. */
export function linksOf(sent: readonly OtlpLink[], budget: ByteBudget, repairs: Repairs): Json[] {
  if (sent.length > detailsMax) repairs.count++
  return sent.slice(0, detailsMax).flatMap(({ traceId, spanId, flags, attributes }) => {
    if (!traceId || !spanId) {
      repairs.count++
      return []
    }
    const kept = boundedAttributes(attributes, budget, repairs, noNames)
    const own = Object.keys(kept).length > 0 ? { attributes: kept } : {}
    return [{ trace_id: traceId, span_id: spanId, sampled: (flags & sampled) === 1, ...own }]
  })
}
