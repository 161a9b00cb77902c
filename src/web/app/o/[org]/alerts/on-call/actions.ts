'use server'
import { revalidatePath } from 'next/cache'
import { MishapError } from '../../../../../../base/errors.ts'
import {
  type NewOnCallOverrideBody,
  newOnCallScheduleBody,
  onCallScheduleChangeBody,
} from '../../../../../../contract/alerts/incidents.ts'
import { hole, typedMs, zonedText } from '../../../../../../domain/alerts/on-call.ts'
import {
  createOnCallOverride,
  createOnCallSchedule,
  deleteOnCallOverride,
  deleteOnCallSchedule,
  replaceOnCallOverride,
  updateOnCallSchedule,
} from '../../../../../../operations/on-call.ts'
import type { OnCallOverride, OnCallSchedule } from '../../../../../../store/meta/alerts/on-call.ts'
import type { Organization } from '../../../../../../store/meta/meta.ts'
import {
  attempt,
  attemptGuarded,
  type FormState,
  type GuardedState,
  revisionOf,
  textOf,
} from '../../../../../client/form.ts'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../server/session.ts'

/** Runs `work` by `run` if the person may change alerts here, and refreshes the page. */
async function change<State extends FormState>(
  data: FormData,
  run: (data: FormData, work: () => Promise<undefined>) => Promise<State>,
  work: (organization: Organization, userId: string) => Promise<void>,
): Promise<State> {
  const path = `/o/${textOf(data, 'organization')}/alerts/on-call`
  const { actor, organization } = await demandOrganization(textOf(data, 'organization'), path)
  const state = await run(data, async () => {
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

/** The fields of a schedule as they were typed, in the shape of the API. */
function typedIn(data: FormData) {
  return {
    name: textOf(data, 'name').trim(),
    timeZone: textOf(data, 'timeZone').trim(),
    handOverDay: Number(textOf(data, 'handOverDay')),
    handOverTime: textOf(data, 'handOverTime'),
    startDate: textOf(data, 'startDate'),
  }
}

type Read<Body> =
  | { success: true; data: Body }
  | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } }

/** Returns what was read. Throws VALIDATION with a message for each field. */
function demandRead<Body>(read: Read<Body>): Body {
  if (read.success) return read.data
  const fields = Map.groupBy(read.error.issues, ({ path }) => String(path[0]))
  throw new MishapError('VALIDATION', {
    fields: Object.fromEntries([...fields].map(([field, issues]) => [field, issues.map(({ message }) => message)])),
  })
}

const turnsIn = (data: FormData): string[] => data.getAll('member').map(String).slice(0, 100)

/** Creates an on-call schedule. */
export async function createScheduleAction(_before: FormState, data: FormData): Promise<FormState> {
  return change(data, attempt, async (organization) => {
    const typed = typedIn(data)
    const startDate = typed.startDate === '' ? undefined : typed.startDate
    const body = demandRead(newOnCallScheduleBody.safeParse({ ...typed, startDate, members: turnsIn(data) }))
    await createOnCallSchedule(app(), organization.id, body)
  })
}

/**
 * Changes a schedule. Turns of people who have left may stay in it. Fails if somebody else changed it since the form was
 * opened.
 */
export async function updateScheduleAction(_before: GuardedState, data: FormData): Promise<GuardedState> {
  return change(data, attemptGuarded, async (organization, userId) => {
    const schedule = await scheduleOf(data, organization)
    if (!schedule) throw new MishapError('NOT_FOUND', { detail: 'This schedule was deleted.' })
    const members = turnsIn(data)
    const typed = { ...typedIn(data), members: members.filter((id) => id !== hole), revision: revisionOf(data) }
    const body = demandRead(onCallScheduleChangeBody.safeParse(typed))
    await updateOnCallSchedule(app(), schedule, { ...body, members }, userId)
  })
}

/** Deletes a schedule. */
export async function deleteScheduleAction(_before: FormState, data: FormData): Promise<FormState> {
  return change(data, attempt, async (organization) => {
    const schedule = await scheduleOf(data, organization)
    if (schedule) await deleteOnCallSchedule(app(), schedule.id)
  })
}

/**
 * The override of the form. Its times are on the clock of the schedule. One that was not touched keeps its seconds, and its
 * place in an hour that comes twice. Throws VALIDATION for what is no time.
 */
function overrideIn(data: FormData, { timeZone }: OnCallSchedule, before?: OnCallOverride): NewOnCallOverrideBody {
  const at = (name: 'start' | 'end', keptMs: number | undefined): number => {
    const text = textOf(data, name)
    if (keptMs !== undefined && text === zonedText(keptMs, timeZone)) return keptMs
    const typed = typedMs(text, timeZone)
    if (typed === undefined) throw new MishapError('VALIDATION', { fields: { [name]: ['A date and a time.'] } })
    return typed
  }
  return { person: textOf(data, 'person'), start: at('start', before?.fromMs), end: at('end', before?.toMs) }
}

/** The override of the form in this schedule; undefined if it is gone. */
async function overrideOf(data: FormData, schedule: OnCallSchedule): Promise<OnCallOverride | undefined> {
  const override = await app().meta.incidents.overrideById(Number(textOf(data, 'override')) || 0)
  return override?.scheduleId === schedule.id ? override : undefined
}

/** Adds an override. */
export async function addOverrideAction(_before: FormState, data: FormData): Promise<FormState> {
  return change(data, attempt, async (organization, userId) => {
    const schedule = await scheduleOf(data, organization)
    if (schedule) await createOnCallOverride(app(), schedule, overrideIn(data, schedule), userId)
  })
}

/** Changes an override. Fails if somebody changed or removed it since the page was loaded. */
export async function replaceOverrideAction(_before: FormState, data: FormData): Promise<FormState> {
  return change(data, attempt, async (organization, userId) => {
    const schedule = await scheduleOf(data, organization)
    const override = schedule && (await overrideOf(data, schedule))
    if (!override)
      throw new MishapError('CONFLICT', { detail: 'Somebody changed or removed this override in the meantime.' })
    await replaceOnCallOverride(app(), schedule, override, overrideIn(data, schedule, override), userId)
  })
}

/** Removes an override. */
export async function removeOverrideAction(_before: FormState, data: FormData): Promise<FormState> {
  return change(data, attempt, async (organization) => {
    const schedule = await scheduleOf(data, organization)
    const override = schedule && (await overrideOf(data, schedule))
    if (override) await deleteOnCallOverride(app(), override.id)
  })
}
