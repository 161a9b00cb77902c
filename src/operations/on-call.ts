import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type {
  NewOnCallOverrideBody,
  NewOnCallScheduleBody,
  OnCallScheduleChangeBody,
} from '../contract/alerts/incidents.ts'
import { hole, isTimeZone } from '../domain/alerts/on-call.ts'
import type { OnCallOverride, OnCallSchedule } from '../store/meta/alerts/on-call.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** Longest override. A longer absence is a change of the schedule. */
const overrideMaxMs = 90 * 86_400_000

type Deps = {
  meta: MetaWith<
    | 'incidents.createSchedule'
    | 'incidents.updateSchedule'
    | 'incidents.createOverride'
    | 'incidents.replaceOverride'
    | 'organizations.membersOf'
  >
  clock: Pick<Clock, 'now'>
}

const isRota = (members: readonly string[], known: ReadonlySet<string>, holesMax: number): boolean =>
  members.every((id) => id === hole || known.has(id)) && members.filter((id) => id === hole).length <= holesMax

/**
 * Throws VALIDATION with fields for a zone that is unknown, for people who are no members, and for more turns of nobody
 * than `holesMax`.
 */
export async function demandOnCallSchedule(
  { meta }: { meta: MetaWith<'organizations.membersOf'> },
  organizationId: number,
  { timeZone, members }: { timeZone?: string | undefined; members?: readonly string[] | undefined },
  holesMax = 0,
): Promise<void> {
  const known = new Set((await meta.organizations.membersOf(organizationId)).map(({ userId }) => userId))
  const fields = {
    ...(timeZone !== undefined && !isTimeZone(timeZone)
      ? { timeZone: ['An IANA time zone such as Europe/Berlin.'] }
      : {}),
    ...(isRota(members ?? [], known, holesMax) ? {} : { members: ['Somebody is no member.'] }),
  }
  if (Object.keys(fields).length > 0) throw new MishapError('VALIDATION', { fields })
}

/** Creates an on-call schedule. Throws VALIDATION with fields, CONFLICT when there are too many. */
export async function createOnCallSchedule(
  deps: Deps,
  organizationId: number,
  body: NewOnCallScheduleBody,
): Promise<OnCallSchedule> {
  await demandOnCallSchedule(deps, organizationId, body)
  const today = new Date(deps.clock.now()).toISOString().slice(0, 10)
  return deps.meta.incidents.createSchedule({ organizationId, ...body, startDate: body.startDate ?? today })
}

/**
 * Changes a schedule. Turns of people who have left may stay, so that others keep their weeks. Throws VALIDATION with
 * fields, NOT_FOUND, CONFLICT (outdated revision).
 */
export async function updateOnCallSchedule(
  deps: Deps,
  schedule: OnCallSchedule,
  { revision, ...change }: OnCallScheduleChangeBody,
  userId: string,
): Promise<OnCallSchedule> {
  const holes = schedule.members.filter((id) => id === hole).length
  await demandOnCallSchedule(deps, schedule.organizationId, change, holes)
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  return deps.meta.incidents.updateSchedule(schedule.id, given, userId, revision)
}

/** Deletes a schedule. Rules that name it tell nobody by it. */
export const deleteOnCallSchedule = (
  { meta }: { meta: MetaWith<'incidents.deleteSchedule'> },
  id: number,
): Promise<void> => meta.incidents.deleteSchedule(id)

/** Returns the override in the shape of the store. Throws VALIDATION with fields. */
async function demandOverride(
  deps: Deps,
  schedule: OnCallSchedule,
  { person, start, end }: NewOnCallOverrideBody,
  userId: string,
): Promise<Omit<OnCallOverride, 'id'>> {
  const known = (await deps.meta.organizations.membersOf(schedule.organizationId)).some((row) => row.userId === person)
  const isRange = end > start && end > deps.clock.now() && end - start <= overrideMaxMs
  const fields = {
    ...(known ? {} : { person: ['This person is no member.'] }),
    ...(isRange ? {} : { end: ['After the start, in the future, and at most 90 days later.'] }),
  }
  if (Object.keys(fields).length > 0) throw new MishapError('VALIDATION', { fields })
  return { scheduleId: schedule.id, userId: person, fromMs: start, toMs: end, createdBy: userId }
}

/** Lets somebody take over for a time. Throws VALIDATION with fields, CONFLICT when there are too many. */
export const createOnCallOverride = async (
  deps: Deps,
  schedule: OnCallSchedule,
  body: NewOnCallOverrideBody,
  userId: string,
): Promise<OnCallOverride> => deps.meta.incidents.createOverride(await demandOverride(deps, schedule, body, userId))

/**
 * Changes an override: another one takes its place, and of several at once it is the last one added. Throws VALIDATION
 * with fields, CONFLICT if somebody changed or removed it meanwhile.
 */
export const replaceOnCallOverride = async (
  deps: Deps,
  schedule: OnCallSchedule,
  override: Pick<OnCallOverride, 'id'>,
  body: NewOnCallOverrideBody,
  userId: string,
): Promise<OnCallOverride> =>
  deps.meta.incidents.replaceOverride(override.id, await demandOverride(deps, schedule, body, userId))

/** Ends an override. */
export const deleteOnCallOverride = (
  { meta }: { meta: MetaWith<'incidents.deleteOverride'> },
  id: number,
): Promise<void> => meta.incidents.deleteOverride(id)
