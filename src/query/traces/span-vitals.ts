import type { RestTraceView } from '../../contract/explore/trace-views.ts'
import { textOf } from '../../domain/traces/trace-spans.ts'
import { softVitalPrefix, type VitalName, vitalNames } from '../../domain/traces/vitals.ts'

/** A web vital at the span that measured it. `value`: milliseconds, CLS has no unit. `isSoft`: of a navigation. */
export type SpanVital = { vital: VitalName; value: number; isSoft: boolean; span: number; atUs: number }

/** Ops of spans that a browser measures vitals for. Other spans can have measurements of the same name. */
const vitalOps = /^(?:pageload$|navigation$|ui\.webvital\.|ui\.interaction\.)/
/** A sender can put vitals on each span of a trace. Nobody reads more. */
const vitalsMax = 100

/**
 * Microseconds after the start of a span at which a vital was known. A page load has the times of its paints and of its
 * first byte. Layout shifts and interactions add up until it ends. A span of one vital ends at it: newer SDKs begin it with
 * the page load, older ones at the vital itself.
 */
function offsetUs(vital: VitalName, value: number, { isSegment, duration }: { isSegment: boolean; duration: number }) {
  return isSegment && vital !== 'cls' && vital !== 'inp' ? Math.round(value * 1000) : duration
}

/** The web vitals of a trace at their spans, in the order of spans. */
export function spanVitalsOf({ vitals, spans }: Pick<RestTraceView, 'vitals' | 'spans'>): SpanVital[] {
  return vitals
    .filter(({ span }) => vitalOps.test(textOf(spans, 'ops', span)))
    .flatMap(({ span, values }) =>
      vitalNames.flatMap((vital): SpanVital[] => {
        const soft = values[`${softVitalPrefix}${vital}`]
        const value = values[vital] ?? soft
        if (value === undefined || !Number.isFinite(value) || value < 0) return []
        const of = { isSegment: spans.segments[span] === 1, duration: spans.durations[span] ?? 0 }
        const atUs = (spans.starts[span] ?? 0) + offsetUs(vital, value, of)
        return [{ vital, value, isSoft: values[vital] === undefined, span, atUs }]
      }),
    )
    .slice(0, vitalsMax)
}
