import { MishapError } from '../../../base/errors.ts'
import { checkName } from '../database/names.ts'
import { insertedId, type Store } from '../database/store.ts'

/** Mutes of an organization that have not ended. */
const mutesMax = 200
/** Ended mutes that the list shows. */
const endedShownMs = 30 * 86_400_000

/** No messages about a rule, an issue, a project or the whole organization. With an end it is a maintenance window. */
export type Mute = {
  id: number
  organizationId: number
  kind: 'rule' | 'issue' | 'project' | 'organization'
  /** 0 for the whole organization. */
  targetId: number
  /** Why. */
  name: string
  fromMs: number
  /** null: until somebody ends it. */
  toMs: number | null
  userId: string | null
  createdMs: number
}

export type MuteStore = {
  /** Mutes that run, that start later, or that ended in the last 30 days; newest first. */
  listMutes(organizationId: number): Promise<Mute[]>
  /** Mutes that hold at this time. */
  mutesAt(organizationIds: number[], atMs: number): Promise<Mute[]>
  muteById(id: number): Promise<Mute | undefined>
  /** Throws VALIDATION for the name or an end before the start, CONFLICT when there are already 200. */
  createMute(value: Omit<Mute, 'id' | 'createdMs'>): Promise<Mute>
  /** Ends a mute now. One that has not started is deleted. */
  endMute(id: number): Promise<void>
}

type Row = {
  id: number
  organization_id: number
  kind: string
  target_id: number
  name: string
  from_ms: number
  to_ms: number | null
  user_id: string | null
  created_ms: number
}

const toMute = (row: Row): Mute => ({
  id: row.id,
  organizationId: row.organization_id,
  kind: row.kind as Mute['kind'],
  targetId: row.target_id,
  name: row.name,
  fromMs: row.from_ms,
  toMs: row.to_ms,
  userId: row.user_id,
  createdMs: row.created_ms,
})

/** Implements mutes and maintenance windows. */
export function mutePart({ write, read, clock, dialect: { builder } }: Store): MuteStore {
  const all = () => builder.selectFrom('mute').selectAll()
  const since = (ms: number, organizationIds: number[]) =>
    all()
      .where('organization_id', 'in', organizationIds)
      .where((build) => build.or([build('to_ms', 'is', null), build('to_ms', '>', ms)]))
  return {
    listMutes: async (organizationId) =>
      (await read.all(since(clock.now() - endedShownMs, [organizationId]).orderBy('id', 'desc'))).map(toMute),
    mutesAt: async (organizationIds, atMs) =>
      (await write.all(since(atMs, organizationIds).where('from_ms', '<=', atMs).orderBy('id'))).map(toMute),
    muteById: async (id) => {
      const row = await read.get(all().where('id', '=', id))
      return row && toMute(row)
    },
    createMute: (value) =>
      write.transaction(async () => {
        if (value.toMs !== null && value.toMs <= value.fromMs)
          throw new MishapError('VALIDATION', {
            detail: 'The end must be after the start.',
            fields: { end: ['The end must be after the start.'] },
          })
        const open = await write.all(since(clock.now(), [value.organizationId]))
        if (open.length >= mutesMax)
          throw new MishapError('CONFLICT', { detail: `There are already ${mutesMax} mutes. End one first.` })
        const row = {
          organization_id: value.organizationId,
          kind: value.kind,
          target_id: value.targetId,
          name: checkName(value.name),
          from_ms: value.fromMs,
          to_ms: value.toMs,
          user_id: value.userId,
          created_ms: clock.now(),
        }
        return toMute({ id: await insertedId(write, builder.insertInto('mute').values(row)), ...row })
      }),
    endMute: (id) =>
      write.transaction(async () => {
        const nowMs = clock.now()
        await write.run(builder.deleteFrom('mute').where('id', '=', id).where('from_ms', '>', nowMs))
        await write.run(
          builder
            .updateTable('mute')
            .set({ to_ms: nowMs })
            .where('id', '=', id)
            .where((build) => build.or([build('to_ms', 'is', null), build('to_ms', '>', nowMs)])),
        )
      }),
  }
}
