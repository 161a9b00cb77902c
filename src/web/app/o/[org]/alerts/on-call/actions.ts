'use server'
import { revalidatePath } from 'next/cache'
import { zonedMs } from '../../../../../../domain/alerts/on-call.ts'
import {
  createOnCallOverride,
  createOnCallSchedule,
  deleteOnCallOverride,
  deleteOnCallSchedule,
} from '../../../../../../operations/on-call.ts'
import type { OnCallSchedule } from '../../../../../../store/meta/alerts/on-call.ts'
import type { Organization } from '../../../../../../store/meta/meta.ts'
import { attempt, type FormState, textOf } from '../../../../../client/form.ts'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../server/session.ts'

/** Runs `work` if the person may change alerts here, and refreshes the page. */
async function change(
  data: FormData,
  work: (organization: Organization, userId: string) => Promise<void>,
): Promise<FormState> {
  const path = `/o/${textOf(data, 'organization')}/alerts/on-call`
  const { actor, organization } = await demandOrganization(textOf(data, 'organization'), path)
  const state = await attempt(data, async () => {
    await app().auth.demand(actor, 'alert:write', { organization })
    await work(organization, actor.person.id)
    return undefined
  })
  if (state.done) revalidatePath(path)
  return state
}

/** The schedule of the form in this organization; undefined if it is gone. */
async function scheduleOf(data: FormData, { id }: Organization): Promise<OnCallSchedule | undefined> {
  const schedule = await app().meta.incidents.scheduleById(Number(textOf(data, 'schedule')) || 0)
  return schedule?.organizationId === id ? schedule : undefined
}

/** Creates an on-call schedule. */
export async function createScheduleAction(_before: FormState, data: FormData): Promise<FormState> {
  return change(data, async (organization) => {
    const time = textOf(data, 'handOverTime')
    await createOnCallSchedule(app(), organization.id, {
      name: textOf(data, 'name').trim(),
      timeZone: textOf(data, 'timeZone').trim(),
      handOverDay: Math.min(7, Math.max(1, Math.trunc(Number(textOf(data, 'handOverDay'))) || 1)),
      handOverTime: /^([01]\d|2[0-3]):[0-5]\d$/.test(time) ? time : '09:00',
      members: data.getAll('member').map(String).slice(0, 50),
    })
  })
}

/** Deletes a schedule. */
export async function deleteScheduleAction(_before: FormState, data: FormData): Promise<FormState> {
  return change(data, async (organization) => {
    const schedule = await scheduleOf(data, organization)
    if (schedule) await deleteOnCallSchedule(app(), schedule.id)
  })
}

/** Adds an override. Its times are on the clock of the schedule. */
export async function addOverrideAction(_before: FormState, data: FormData): Promise<FormState> {
  return change(data, async (organization, userId) => {
    const schedule = await scheduleOf(data, organization)
    if (!schedule) return
    const at = (name: string): number => {
      const [date = '', time = ''] = textOf(data, name).split('T')
      return /^\d{4}-\d\d-\d\d$/.test(date) && /^\d\d:\d\d/.test(time)
        ? zonedMs(date, time.slice(0, 5), schedule.timeZone)
        : 0
    }
    const override = { person: textOf(data, 'person'), start: at('start'), end: at('end') }
    await createOnCallOverride(app(), schedule, override, userId)
  })
}

/** Removes an override. */
export async function removeOverrideAction(_before: FormState, data: FormData): Promise<FormState> {
  return change(data, async (organization) => {
    const schedule = await scheduleOf(data, organization)
    const override = await app().meta.incidents.overrideById(Number(textOf(data, 'override')) || 0)
    if (schedule && override?.scheduleId === schedule.id) await deleteOnCallOverride(app(), override.id)
  })
}
