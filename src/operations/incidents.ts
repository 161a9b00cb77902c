import { type Acknowledges, acknowledgementOf } from '../alert/acknowledge.ts'
import type { Alerts } from '../alert/alert.ts'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { NewMuteBody } from '../contract/alerts/incidents.ts'
import type { Incident, IncidentPatch, NewActivity } from '../store/meta/alerts/incidents.ts'
import type { Mute } from '../store/meta/alerts/mutes.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

const snoozeMaxMs = 30 * 86_400_000

type Deps = { meta: MetaWith<'incidents.changeIncident'>; clock: Pick<Clock, 'now'>; alerts: Pick<Alerts, 'kick'> }

const acknowledged = (userId: string | null, nowMs: number): IncidentPatch => ({
  state: 'acknowledged',
  acknowledgedBy: userId,
  acknowledgedMs: nowMs,
  // It stays away until the level rises or the incident opens again.
  escalation: null,
  changedMs: nowMs,
})

/** Acknowledges an open incident: its on-call order stops. Throws NOT_FOUND, CONFLICT when it has ended. */
export async function acknowledgeIncident(
  { meta, clock }: Pick<Deps, 'meta' | 'clock'>,
  incident: Incident,
  userId: string,
): Promise<Incident> {
  if (incident.state === 'acknowledged') return incident
  const activity: NewActivity = { kind: 'acknowledged', userId, data: {} }
  return meta.incidents.changeIncident(incident.id, acknowledged(userId, clock.now()), activity)
}

/**
 * Acknowledges by the signed link of a message. Returns the state after it: `invalid` and `expired` change nothing, and
 * neither does an incident that has ended.
 */
export async function acknowledgeByLink(
  deps: Acknowledges & Pick<Deps, 'meta'>,
  token: string,
): Promise<'invalid' | 'expired' | 'ended' | 'acknowledged'> {
  const found = await acknowledgementOf(deps, token)
  if (found.state !== 'open') return found.state
  const { incident, deliveryId } = found
  const activity: NewActivity = { kind: 'acknowledged', userId: null, data: { message: deliveryId } }
  try {
    await deps.meta.incidents.changeIncident(incident.id, acknowledged(null, deps.clock.now()), activity)
    return 'acknowledged'
  } catch (error) {
    if (error instanceof MishapError && error.code === 'CONFLICT') return 'ended'
    throw error
  }
}

/** Stops the messages of an incident for a time; null ends it. Throws VALIDATION, NOT_FOUND, CONFLICT (ended). */
export async function snoozeIncident(
  { meta, clock, alerts }: Deps,
  incident: Incident,
  untilMs: number | null,
  userId: string,
): Promise<Incident> {
  const nowMs = clock.now()
  if (untilMs !== null && (untilMs <= nowMs || untilMs > nowMs + snoozeMaxMs))
    throw new MishapError('VALIDATION', { fields: { snoozedUntil: ['A time within the next 30 days.'] } })
  const until = untilMs === null ? null : new Date(untilMs).toISOString()
  const activity: NewActivity = { kind: 'snoozed', userId, data: { until } }
  const changed = await meta.incidents.changeIncident(
    incident.id,
    { snoozedUntilMs: untilMs, changedMs: nowMs },
    activity,
  )
  alerts.kick()
  return changed
}

/** Ends an incident by hand. Those who heard of it hear of its end. Throws NOT_FOUND, CONFLICT (ended). */
export async function resolveIncident(
  { meta, clock, alerts }: Deps,
  incident: Incident,
  userId: string,
): Promise<Incident> {
  const nowMs = clock.now()
  const patch: IncidentPatch = { state: 'resolved', endedMs: nowMs, changedMs: nowMs, escalation: null }
  const activity: NewActivity = { kind: 'resolved', userId, data: {} }
  const changed = await meta.incidents.changeIncident(incident.id, patch, activity, true)
  alerts.kick()
  return changed
}

type MuteDeps = {
  meta: MetaWith<'incidents.createMute' | 'projects.projectById' | 'issues.issueById' | 'alertRules.alertRuleById'>
  clock: Pick<Clock, 'now'>
}

/** Whether the target of a mute is in the organization. */
async function hasTarget({ meta }: MuteDeps, organizationId: number, kind: Mute['kind'], id: number): Promise<boolean> {
  if (kind === 'rule') return (await meta.alertRules.alertRuleById(id))?.organizationId === organizationId
  const projectId = kind === 'issue' ? (await meta.issues.issueById(id))?.projectId : id
  const project = projectId === undefined ? undefined : await meta.projects.projectById(projectId)
  return project?.organizationId === organizationId
}

/** Mutes a rule, issue, project or organization, now or in a maintenance window. Throws VALIDATION, CONFLICT. */
export async function createMute(
  deps: MuteDeps,
  organizationId: number,
  body: NewMuteBody,
  userId: string,
): Promise<Mute> {
  const { kind, target, name, end } = body
  const targetId = kind === 'organization' ? 0 : Number(target ?? 0)
  if (kind !== 'organization' && !(targetId > 0 && (await hasTarget(deps, organizationId, kind, targetId))))
    throw new MishapError('VALIDATION', { fields: { target: [`There is no such ${kind}.`] } })
  const nowMs = deps.clock.now()
  if (end !== null && end <= nowMs) throw new MishapError('VALIDATION', { fields: { end: ['A time in the future.'] } })
  const fromMs = body.start ?? nowMs
  return deps.meta.incidents.createMute({ organizationId, kind, targetId, name, fromMs, toMs: end, userId })
}

/** Ends a mute now. One that has not started is deleted. */
export const endMute = ({ meta }: { meta: MetaWith<'incidents.endMute'> }, id: number): Promise<void> =>
  meta.incidents.endMute(id)
