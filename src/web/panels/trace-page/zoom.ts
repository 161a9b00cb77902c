/** A part of the trace's time, microseconds after its origin. */
export type Window = { fromUs: number; toUs: number }

/** The narrowest window: 10 µs, so that the bars of the fastest spans have a width. */
const lengthMin = 10
const stepFactor = 2

/** The window moved and cut so that it lies within the trace. */
export function within(window: Window, whole: Window): Window {
  const length = Math.min(Math.max(window.toUs - window.fromUs, lengthMin), whole.toUs - whole.fromUs)
  const fromUs = Math.min(Math.max(window.fromUs, whole.fromUs), whole.toUs - length)
  return { fromUs, toUs: fromUs + length }
}

/** The window zoomed by one step around a moment, by default around its middle. */
export function zoomed(window: Window, whole: Window, direction: 'in' | 'out', aroundUs?: number): Window {
  const length = window.toUs - window.fromUs
  const factor = direction === 'in' ? Math.max(1 / stepFactor, Math.min(1, lengthMin / length)) : stepFactor
  const middle = aroundUs ?? (window.fromUs + window.toUs) / 2
  const at = Math.min(Math.max(middle, window.fromUs), window.toUs)
  return within({ fromUs: at - (at - window.fromUs) * factor, toUs: at + (window.toUs - at) * factor }, whole)
}

/** A window that shows a span with a tenth of its length around it. */
export function fitted(span: Window, whole: Window): Window {
  const margin = Math.max((span.toUs - span.fromUs) / 10, lengthMin)
  return within({ fromUs: span.fromUs - margin, toUs: span.toUs + margin }, whole)
}

/** Whether the window shows everything. */
export const isWhole = (window: Window, whole: Window): boolean =>
  window.fromUs <= whole.fromUs && window.toUs >= whole.toUs

/** Round times for the axis: at most `max` of them, at 1, 2 or 5 times a power of ten. */
export function ticksOf({ fromUs, toUs }: Window, max: number): number[] {
  const rough = (toUs - fromUs) / max
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((times) => times * power).find((length) => length >= rough) ?? 10 * power
  const ticks: number[] = []
  for (let at = Math.ceil(fromUs / step) * step; at <= toUs && ticks.length <= max; at += step) ticks.push(at)
  return ticks
}
