import { faultOf } from '../base/observe.ts'
import { lastsOn, skewLastMs } from '../domain/skew.ts'
import { isSkewOnly } from '../store/meta/ingest/diagnostic-counts.ts'
import type { AlertDue } from '../store/meta/issues/alerts.ts'
import type { AlertDeps } from './deps.ts'

/** Changes to report now, and changes to drop. All others wait for the events store. */
type Settled = { due: AlertDue[]; expiredIds: number[] }

/** Returns whether the skew of an issue continues since its change; undefined if unknown now. */
async function lasts({ meta, events, clock, observe }: AlertDeps, alertDue: AlertDue): Promise<boolean | undefined> {
  const issue = await meta.issues.issueById(alertDue.issueId)
  if (!issue) return false
  // The change was only skew. Events that joined since are ordinary errors.
  if (!isSkewOnly(issue.diagnosticCounts, issue.count)) return true
  const nowMs = clock.now()
  const hashes = (await meta.issues.hashesOf([issue.id])).get(issue.id) ?? []
  const refs = hashes.map((groupHash) => ({ projectId: issue.projectId, groupHash }))
  // The event behind the change arrived shortly before it.
  const fromMs = alertDue.atMs - 60_000
  const countOf = async (sinceMs: number) => {
    const scope = { projectIds: [issue.projectId], environments: [], fromMs: sinceMs, toMs: nowMs }
    return (await events.countsOf(scope, refs)).reduce((sum, group) => sum + group.events, 0)
  }
  try {
    const [all, last] = await Promise.all([countOf(fromMs), countOf(nowMs - skewLastMs)])
    return lastsOn(all, last, nowMs - fromMs)
  } catch (error) {
    observe.warn({ issue: issue.id, error: faultOf(error) }, 'the decay of version skew is checked again')
    return undefined
  }
}

/**
 * Settles changes that waited because they were skew after a deploy. Decaying skew is dropped, and continuing skew is
 * reported like any other change.
 */
export async function settleSkew(deps: AlertDeps, due: readonly AlertDue[]): Promise<Settled> {
  const settled: Settled = { due: [], expiredIds: [] }
  let isAway = false
  for (const alert of due) {
    // After one failed query, do not try the others.
    const goesOn = alert.untilMs === 0 || (isAway ? undefined : await lasts(deps, alert))
    if (goesOn) settled.due.push(alert)
    else if (goesOn === false) settled.expiredIds.push(alert.id)
    else isAway = true
  }
  return settled
}
