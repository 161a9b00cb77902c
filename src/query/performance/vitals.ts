import type { RestVital, RestVitals } from '../../contract/explore/performance.ts'
import { totalScore, type VitalLoads, vitalNames } from '../../domain/traces/vitals.ts'
import type { VitalCause, VitalStats } from '../../store/events/performance-store.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { comparedOf, nameOf, type PerformanceView, timesOf, wholeBeforeOf } from './compared.ts'
import { routeIdOf } from './ids.ts'

const keyOf = ({ projectId, route }: { projectId: number; route: string }) => `${projectId} ${route}`

/** The vitals of one route in a fixed order, each with its cause and the range before. */
export function toRestVitals(
  vitals: readonly VitalStats[],
  before: readonly VitalStats[],
  causes: readonly VitalCause[],
): RestVital[] {
  return vitalNames.flatMap((name): RestVital[] => {
    const found = vitals.find(({ vital }) => vital === name)
    if (!found) return []
    const cause = causes.find(({ vital }) => vital === name)
    const earlier = before.find(({ vital }) => vital === name)
    return [
      {
        vital: name,
        samples: found.samples,
        count: found.count,
        p75: found.p75,
        score: found.score,
        good: found.good,
        meh: Math.max(0, 1 - found.good - found.poor),
        poor: found.poor,
        previous: earlier ? { samples: earlier.samples, p75: earlier.p75, score: earlier.score } : null,
        cause: cause ? { element: cause.element, samples: cause.samples, count: cause.count, p75: cause.p75 } : null,
      },
    ]
  })
}

/** Returns the web vitals of a view by route, most page loads first, each with the range before. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE. */
export async function performanceVitals(
  { events }: Pick<QueryDeps, 'events'>,
  view: PerformanceView,
  { text, loads, max, offset }: { text: string; loads: VitalLoads; max: number; offset: number },
): Promise<RestVitals> {
  const compared = comparedOf(view)
  const { scope } = compared
  const [{ now: vitals, before }, causes] = await Promise.all([
    events.vitalStats({ scope, beforeMs: wholeBeforeOf(compared), loads }),
    events.vitalCauses({ scope, loads }),
  ])
  const totals = vitals.filter(({ projectId }) => projectId === 0)
  const totalsBefore = before.filter(({ projectId }) => projectId === 0)
  const earlier = Map.groupBy(before, keyOf)
  const projects = new Map(view.projects.map((project) => [project.id, project]))
  const causesOf = Map.groupBy(causes, keyOf)
  const wanted = text.toLowerCase()
  const rows = [...Map.groupBy(vitals, keyOf)].flatMap(([key, ofRoute]) => {
    const [first] = ofRoute
    const project = projects.get(first?.projectId ?? 0)
    if (!first || !project || !first.route.toLowerCase().includes(wanted)) return []
    return [
      {
        id: routeIdOf({ projectId: first.projectId, op: loads, route: first.route }),
        project: nameOf(project),
        route: first.route,
        // The vital that most page loads have.
        samples: Math.max(...ofRoute.map(({ samples }) => samples)),
        count: Math.max(...ofRoute.map(({ count }) => count)),
        score: totalScore(ofRoute),
        scoreBefore: totalScore(earlier.get(key) ?? []),
        vitals: toRestVitals(ofRoute, earlier.get(key) ?? [], causesOf.get(key) ?? []),
      },
    ]
  })
  return {
    ...timesOf(compared),
    loads,
    all: rows.length,
    totals: toRestVitals(totals, totalsBefore, []),
    score: totalScore(totals),
    scoreBefore: totalScore(totalsBefore),
    rows: rows.sort((a, b) => b.count - a.count || (a.route < b.route ? -1 : 1)).slice(offset, offset + max),
  }
}
