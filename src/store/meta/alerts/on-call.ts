import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import { hole, type Override, type Rota } from '../../../domain/alerts/on-call.ts'
import { checkName } from '../database/names.ts'
import { staleError } from '../database/revision.ts'
import { fromJson, insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'

/** On-call schedules of an organization. */
export const schedulesMax = 50
/** Overrides of a schedule that have not ended. */
const overridesMax = 200

/** A weekly rota. The members take turns in their order. */
export type OnCallSchedule = Rota & {
  id: number
  organizationId: number
  name: string
  createdMs: number
  rev: number
  changedMs: number | null
  changedBy: string | null
}

export type OnCallOverride = Override & { id: number; scheduleId: number; createdBy: string | null }

type Values = Rota & { name: string }

export type OnCallStore = {
  /** By name. */
  listSchedules(organizationId: number): Promise<OnCallSchedule[]>
  scheduleById(id: number): Promise<OnCallSchedule | undefined>
  /** Throws VALIDATION for the name, CONFLICT when there are already 50. */
  createSchedule(value: { organizationId: number } & Values): Promise<OnCallSchedule>
  /** Throws NOT_FOUND, VALIDATION, CONFLICT (outdated `rev`). */
  updateSchedule(id: number, change: Partial<Values>, userId: string | null, rev?: number): Promise<OnCallSchedule>
  deleteSchedule(id: number): Promise<void>
  /** Overrides that end after `fromMs`, in the order in which they were added: of several at once the last one counts. */
  overridesOf(scheduleIds: number[], fromMs: number): Promise<OnCallOverride[]>
  overrideById(id: number): Promise<OnCallOverride | undefined>
  /** Throws CONFLICT when there are already 200. */
  createOverride(value: Omit<OnCallOverride, 'id'>): Promise<OnCallOverride>
  deleteOverride(id: number): Promise<void>
}

const toSchedule = (row: Selectable<Tables['on_call_schedule']>): OnCallSchedule => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  timeZone: row.time_zone,
  handOverDay: row.hand_over_day,
  handOverTime: row.hand_over_time,
  startDate: row.start_date,
  members: fromJson<string[]>(row.members),
  createdMs: row.created_ms,
  rev: row.rev,
  changedMs: row.changed_ms,
  changedBy: row.changed_by,
})

const rotaRow = (rota: Values) => ({
  name: checkName(rota.name),
  time_zone: rota.timeZone,
  hand_over_day: rota.handOverDay,
  hand_over_time: rota.handOverTime,
  start_date: rota.startDate,
  members: JSON.stringify(rota.members),
})

const toOverride = (row: Selectable<Tables['on_call_override']>): OnCallOverride => ({
  id: row.id,
  scheduleId: row.schedule_id,
  userId: row.user_id,
  fromMs: row.from_ms,
  toMs: row.to_ms,
  createdBy: row.created_by,
})

const overridePart = ({
  write,
  read,
  clock,
  dialect: { builder },
}: Store): Pick<OnCallStore, 'overridesOf' | 'overrideById' | 'createOverride' | 'deleteOverride'> => {
  const all = () => builder.selectFrom('on_call_override').selectAll()
  const after = (scheduleIds: number[], fromMs: number) =>
    all().where('schedule_id', 'in', scheduleIds).where('to_ms', '>', fromMs).orderBy('id')
  return {
    overridesOf: async (scheduleIds, fromMs) => (await read.all(after(scheduleIds, fromMs))).map(toOverride),
    overrideById: async (id) => {
      const row = await read.get(all().where('id', '=', id))
      return row && toOverride(row)
    },
    createOverride: (value) =>
      write.transaction(async () => {
        if ((await write.all(after([value.scheduleId], clock.now()))).length >= overridesMax)
          throw new MishapError('CONFLICT', {
            detail: `There are already ${overridesMax} overrides. Delete one first.`,
          })
        const row = {
          schedule_id: value.scheduleId,
          user_id: value.userId,
          from_ms: value.fromMs,
          to_ms: value.toMs,
          created_by: value.createdBy,
          created_ms: clock.now(),
        }
        return toOverride({ id: await insertedId(write, builder.insertInto('on_call_override').values(row)), ...row })
      }),
    deleteOverride: async (id) => {
      await write.run(builder.deleteFrom('on_call_override').where('id', '=', id))
    },
  }
}

/**
 * Takes a person who leaves out of the schedules of an organization. Their turns stay as holes: without them, the turns
 * of all others would move, and somebody would be on call by mistake. The caller opens the transaction.
 */
export async function leaveSchedules(
  { write, clock, dialect: { builder } }: Store,
  organizationId: number,
  userId: string,
): Promise<void> {
  const rows = await write.all(
    builder.selectFrom('on_call_schedule').selectAll().where('organization_id', '=', organizationId),
  )
  for (const row of rows) {
    const own = builder.deleteFrom('on_call_override').where('schedule_id', '=', row.id).where('user_id', '=', userId)
    await write.run(own)
    const members = fromJson<string[]>(row.members)
    if (!members.includes(userId)) continue
    const change = {
      members: JSON.stringify(members.map((member) => (member === userId ? hole : member))),
      rev: row.rev + 1,
      changed_ms: clock.now(),
      changed_by: null,
    }
    await write.run(builder.updateTable('on_call_schedule').set(change).where('id', '=', row.id))
  }
}

/** Implements on-call schedules and their overrides. */
export function onCallPart(store: Store): OnCallStore {
  const { write, read, clock } = store
  const { builder } = store.dialect
  const all = () => builder.selectFrom('on_call_schedule').selectAll()
  return {
    listSchedules: async (organizationId) =>
      (await read.all(all().where('organization_id', '=', organizationId)))
        .map(toSchedule)
        .sort((a, b) => a.name.localeCompare(b.name) || a.id - b.id),
    scheduleById: async (id) => {
      const row = await read.get(all().where('id', '=', id))
      return row && toSchedule(row)
    },
    createSchedule: (value) =>
      write.transaction(async () => {
        const { organizationId } = value
        const others = await write.all(all().where('organization_id', '=', organizationId))
        if (others.length >= schedulesMax)
          throw new MishapError('CONFLICT', {
            detail: `There are already ${schedulesMax} on-call schedules. Delete one first.`,
          })
        const row = { organization_id: organizationId, ...rotaRow(value), created_ms: clock.now() }
        const id = await insertedId(write, builder.insertInto('on_call_schedule').values(row))
        return toSchedule({ id, ...row, rev: 0, changed_ms: null, changed_by: null })
      }),
    updateSchedule: (id, change, userId, rev) =>
      write.transaction(async () => {
        const row = await write.get(all().where('id', '=', id))
        if (!row) throw new MishapError('NOT_FOUND')
        if (rev !== undefined && rev !== row.rev)
          throw await staleError(store, { rev: row.rev, userId: row.changed_by, atMs: row.changed_ms })
        const next = {
          ...rotaRow({ ...toSchedule(row), ...change }),
          rev: row.rev + 1,
          changed_ms: clock.now(),
          changed_by: userId,
        }
        await write.run(builder.updateTable('on_call_schedule').set(next).where('id', '=', id))
        return toSchedule({ ...row, ...next })
      }),
    deleteSchedule: async (id) => {
      await write.run(builder.deleteFrom('on_call_schedule').where('id', '=', id))
    },
    ...overridePart(store),
  }
}
