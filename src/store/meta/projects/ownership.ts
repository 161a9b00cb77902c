import type { Selectable } from 'kysely'
import { staleError } from '../database/revision.ts'
import type { Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'

/** The ownership rules of a project, as written by people. */
export type Ownership = {
  text: string
  autoAssign: boolean
  rev: number
  changedMs: number | null
  changedBy: string | null
}

export type OwnershipStore = {
  /** The current rules; an empty text when there are none. */
  ownershipOf(projectId: number): Promise<Ownership>
  /** Throws CONFLICT when `rev` is given and somebody has changed the rules since. */
  setOwnership(
    projectId: number,
    value: { text?: string; autoAssign?: boolean },
    by: { userId: string; rev?: number | undefined },
    nowMs: number,
  ): Promise<Ownership>
  /** Issues whose owners must be looked up, the oldest first. Without an event id, the lookup assigns nobody. */
  ownersDue(max: number): Promise<{ issueId: number; projectId: number; eventId: string; atMs: number }[]>
  endOwnerDue(issueIds: readonly number[]): Promise<void>
}

const none: Ownership = { text: '', autoAssign: true, rev: 0, changedMs: null, changedBy: null }

/** Implements ownership rules, and the queue of issues for them. */
export function ownershipPart(store: Store): OwnershipStore {
  const { write, dialect } = store
  const { builder } = dialect
  // Prepared once, because it runs every few seconds.
  const due = write.prepared<{ max: number }, Selectable<Tables['owner_due']>>((slot) =>
    builder.selectFrom('owner_due').selectAll().orderBy('at_ms').orderBy('issue_id').limit(slot('max')),
  )
  const ownershipOf = async (projectId: number): Promise<Ownership> => {
    const row = await write.get(builder.selectFrom('ownership').selectAll().where('project_id', '=', projectId))
    if (!row) return none
    return {
      text: row.text,
      autoAssign: row.auto_assign === 1,
      rev: row.rev,
      changedMs: row.changed_ms,
      changedBy: row.changed_by,
    }
  }
  return {
    ownershipOf,
    setOwnership: (projectId, value, { userId, rev }, nowMs) =>
      write.transaction(async () => {
        const before = await ownershipOf(projectId)
        if (rev !== undefined && rev !== before.rev)
          throw await staleError(store, { rev: before.rev, userId: before.changedBy, atMs: before.changedMs })
        const row = {
          text: value.text ?? before.text,
          auto_assign: Number(value.autoAssign ?? before.autoAssign),
          rev: before.rev + 1,
          changed_ms: nowMs,
          changed_by: userId,
        }
        const newest = builder.selectFrom('issue').select(({ fn }) => fn.max('id').as('id'))
        const sweep = row.text === before.text ? {} : { sweep_id: (await write.get(newest))?.id ?? null }
        await write.run(
          builder
            .insertInto('ownership')
            .values({ project_id: projectId, sweep_id: null, ...row, ...sweep })
            .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ ...row, ...sweep })),
        )
        return ownershipOf(projectId)
      }),
    ownersDue: async (max) =>
      (await due.all({ max })).map((row) => ({
        issueId: row.issue_id,
        projectId: row.project_id,
        eventId: row.event_id,
        atMs: row.at_ms,
      })),
    endOwnerDue: async (issueIds) => {
      for (const id of issueIds) await write.run(builder.deleteFrom('owner_due').where('issue_id', '=', id))
    },
  }
}
