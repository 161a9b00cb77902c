'use server'
import { revalidatePath } from 'next/cache'
import { acknowledgeIncident, resolveIncident, snoozeIncident } from '../../../../../../../operations/incidents.ts'
import { attempt, type FormState, textOf } from '../../../../../../client/form.ts'
import { app } from '../../../../../../handle.ts'
import { demandOrganization } from '../../../../../../server/session.ts'

const hourMs = 3_600_000

/** Acknowledges, snoozes or resolves an incident: the value of the button `do`. */
export async function changeIncidentAction(_before: FormState, data: FormData): Promise<FormState> {
  const [org, id, what] = ['organization', 'incident', 'do'].map((name) => textOf(data, name))
  const path = `/o/${org}/alerts/incidents/${id}`
  const { actor, organization } = await demandOrganization(org ?? '', path)
  const state = await attempt(data, async () => {
    const parts = app()
    await parts.auth.demand(actor, 'alert:write', { organization })
    const incident = await parts.meta.incidents.incidentById(Number(id) || 0)
    if (!incident || incident.organizationId !== organization.id) return undefined
    const userId = actor.person.id
    if (what === 'acknowledge') await acknowledgeIncident(parts, incident, userId)
    if (what === 'resolve') await resolveIncident(parts, incident, userId)
    if (what === 'wake') await snoozeIncident(parts, incident, null, userId)
    if (what === 'snooze') {
      const hours = Math.min(24 * 30, Math.max(1, Number(textOf(data, 'hours')) || 1))
      // A minute less than the longest snooze, so that the check of the limit does not depend on the second.
      await snoozeIncident(parts, incident, parts.clock.now() + hours * hourMs - 1, userId)
    }
    return undefined
  })
  if (state.done) revalidatePath(path)
  return state
}
