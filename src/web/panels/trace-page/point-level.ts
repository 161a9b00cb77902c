import type { RestTraceViewEvent } from '../../../contract/explore/trace-views.ts'
import { vitalRating } from '../../../domain/traces/vitals.ts'
import type { Point, TraceModel } from './model.ts'

/** Levels that have a shape of their own. Everything below information is small, like information. */
const shaped = ['fatal', 'error', 'warning'] as const
type PointLevel = (typeof shaped)[number] | 'info' | 'ok'

/** The shapes of the ratings, as in the lists of web vitals. */
const ratings = { good: 'ok', meh: 'warning', poor: 'error' } as const

/** The level of a row and its mark. Feedback is information. */
export function levelOfPoint({ view, vitals }: TraceModel, { kind, index }: Point): PointLevel {
  if (kind === 'feedback') return 'info'
  if (kind === 'finding') return 'warning'
  if (kind === 'vital') {
    const mark = vitals[index]
    return mark ? ratings[vitalRating(mark.vital, mark.value)] : 'info'
  }
  if (kind === 'log') return shaped.find((level) => level === view.logs[index]?.level) ?? 'info'
  const level = view.events[index]?.level
  return level === 'info' ? level : (shaped.find((known) => known === level) ?? 'error')
}

/** The error or performance issue of a point. Undefined for other kinds. */
export function eventOfPoint({ view }: TraceModel, { kind, index }: Point): RestTraceViewEvent | undefined {
  return kind === 'error' ? view.events[index] : kind === 'finding' ? view.findings[index] : undefined
}
