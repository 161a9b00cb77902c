import { isLong } from '../../store/events/events.ts'
import type { Compared } from '../../store/events/performance-store.ts'
import type { Project } from '../../store/meta/meta.ts'
import type { View } from '../issues/issue.ts'

/** The range that changes are compared with: the one before, or the same time one or more weeks before. */
export const againstChoices = ['previous', 'week'] as const
type Against = (typeof againstChoices)[number]

/** What a performance page shows. `withCut`: segments that an SDK ended early count for percentiles too. */
export type PerformanceView = View & { against: Against; withCut: boolean }

const hourMs = 3_600_000
const weekMs = 7 * 86_400_000
/** Fewer samples in one of the ranges give no stable change of a percentile. */
const comparedSamplesMin = 50

export const isoOf = (ms: number): string => new Date(ms).toISOString()
export const nameOf = ({ id, slug }: Project) => ({ id: String(id), slug })

/** The scope of a view in the events store. */
export const scopeOf = ({ projects, environments, range }: Pick<View, 'projects' | 'environments' | 'range'>) => ({
  projectIds: projects.map((project) => project.id),
  environments,
  fromMs: range.fromMs,
  toMs: range.toMs,
})

/** Both ranges of a view. */
export function comparedOf(
  view: Pick<PerformanceView, 'against' | 'withCut' | 'projects' | 'environments' | 'range'>,
): Compared {
  const { fromMs, toMs } = view.range
  const lengthMs = toMs - fromMs
  const shiftMs = view.against === 'week' ? Math.ceil(lengthMs / weekMs - 0.01) * weekMs : lengthMs
  const beforeMs = { fromMs: Math.max(0, fromMs - shiftMs), toMs: Math.min(fromMs, Math.max(0, toMs - shiftMs)) }
  return { scope: scopeOf(view), beforeMs, withCut: view.withCut }
}

/**
 * The range before, where it is not read together with the range. Long ranges are read from sums of whole hours, and the
 * range begins with the hour of its start. So the range before ends before that hour, and no span counts in both.
 */
export function wholeBeforeOf({ scope, beforeMs }: Pick<Compared, 'scope' | 'beforeMs'>): Compared['beforeMs'] {
  const start = (ms: number) => (isLong(scope) ? Math.floor(ms / hourMs) * hourMs : ms)
  return { fromMs: start(beforeMs.fromMs), toMs: start(beforeMs.toMs) }
}

/** The relative change of a p75: 0.41 is 41 % slower. Null with too few samples. */
export function changeOf(now: { samples: number; p75Ms: number | null }, before: typeof now): number | null {
  if (now.samples < comparedSamplesMin || before.samples < comparedSamplesMin) return null
  return now.p75Ms === null || !before.p75Ms ? null : now.p75Ms / before.p75Ms - 1
}

/** A part of a whole. Null without a whole. */
export const rateOf = (part: number, whole: number): number | null => (whole > 0 ? Math.min(1, part / whole) : null)

/** Both ranges as times. */
export const timesOf = ({ scope, beforeMs }: Compared) => ({
  start: isoOf(scope.fromMs),
  end: isoOf(scope.toMs),
  previousStart: isoOf(beforeMs.fromMs),
  previousEnd: isoOf(beforeMs.toMs),
})
