import { faultOf } from '../base/observe.ts'
import { lastsOn, skewLastMs } from '../domain/skew.ts'
import { isSkewOnly } from '../store/meta/ingest/diagnostic-counts.ts'
import type { AlertDue } from '../store/meta/issues/alerts.ts'
import type { AlertDeps } from './alert.ts'

/** What is to be told now, and what nobody is told of. What is in neither waits for the events store. */
type Settled = { told: AlertDue[]; goneIds: number[] }

/** Whether an issue's skew goes on since a change asked for a notification; undefined: nobody can say now. */
async function lasts({ meta, events, clock, observe }: AlertDeps, alertDue: AlertDue): Promise<boolean | undefined> {
  const issue = meta.issueById(alertDue.issueId)
  if (!issue) return false
  // It was skew alone; what joined it since is an error like any other.
  if (!isSkewOnly(issue.signCounts, issue.count)) return true
  const nowMs = clock.now()
  const hashes = meta.hashesOf([issue.id]).get(issue.id) ?? []
  const refs = hashes.map((groupHash) => ({ projectId: issue.projectId, groupHash }))
  // What asked for it came a little before.
  const fromMs = alertDue.atMs - 60_000
  const countOf = async (sinceMs: number) => {
    const scope = { projectIds: [issue.projectId], environments: [], fromMs: sinceMs, toMs: nowMs }
    return (await events.countsOf(scope, refs)).reduce((sum, group) => sum + group.events, 0)
  }
  try {
    const [all, last] = await Promise.all([countOf(fromMs), countOf(nowMs - skewLastMs)])
    return lastsOn(all, last, nowMs - fromMs)
  } catch (error) {
    observe.warn({ issue: issue.id, error: faultOf(error) }, 'whether skew decays is asked again')
    return undefined
  }
}

/**
 * Settles what waited because it was skew after a deploy: where that decays by itself nobody is told, where it goes on it is
 * told as everything else is.
 */
export async function settleSkew(deps: AlertDeps, due: readonly AlertDue[]): Promise<Settled> {
  const settled: Settled = { told: [], goneIds: [] }
  let isAway = false
  for (const item of due) {
    // One answer that does not come is enough to know it of the others.
    const goesOn = item.untilMs === 0 || (isAway ? undefined : await lasts(deps, item))
    if (goesOn) settled.told.push(item)
    else if (goesOn === false) settled.goneIds.push(item.id)
    else isAway = true
  }
  return settled
}
