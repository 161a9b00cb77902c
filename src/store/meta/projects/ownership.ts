import { staleError } from '../database/revision.ts'
import type { Store } from '../database/store.ts'

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
  ownershipOf(projectId: number): Ownership
  /** Throws CONFLICT when `rev` is given and somebody has changed the rules since. */
  setOwnership(
    projectId: number,
    value: { text?: string; autoAssign?: boolean },
    by: { userId: string; rev?: number | undefined },
    nowMs: number,
  ): Ownership
  /** Issues whose owners must be looked up, the oldest first. Without an event id, the lookup assigns nobody. */
  ownersDue(max: number): { issueId: number; projectId: number; eventId: string; atMs: number }[]
  endOwnerDue(issueIds: readonly number[]): void
}

const none: Ownership = { text: '', autoAssign: true, rev: 0, changedMs: null, changedBy: null }

/** Implements ownership rules, and the queue of issues for them. */
export function ownershipPart(store: Store): OwnershipStore {
  const { write, dialect } = store
  const { builder } = dialect
  const ownershipOf = (projectId: number): Ownership => {
    const row = write.get(builder.selectFrom('ownership').selectAll().where('project_id', '=', projectId))
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
      write.transaction(() => {
        const before = ownershipOf(projectId)
        if (rev !== undefined && rev !== before.rev)
          throw staleError(store, { rev: before.rev, userId: before.changedBy, atMs: before.changedMs })
        const row = {
          text: value.text ?? before.text,
          auto_assign: Number(value.autoAssign ?? before.autoAssign),
          rev: before.rev + 1,
          changed_ms: nowMs,
          changed_by: userId,
        }
        const newest = builder.selectFrom('issue').select(({ fn }) => fn.max('id').as('id'))
        const sweep = row.text === before.text ? {} : { sweep_id: write.get(newest)?.id ?? null }
        write.run(
          builder
            .insertInto('ownership')
            .values({ project_id: projectId, sweep_id: null, ...row, ...sweep })
            .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ ...row, ...sweep })),
        )
        return ownershipOf(projectId)
      }),
    ownersDue: (max) =>
      write
        .all(builder.selectFrom('owner_due').selectAll().orderBy('at_ms').orderBy('issue_id').limit(max))
        .map((row) => ({ issueId: row.issue_id, projectId: row.project_id, eventId: row.event_id, atMs: row.at_ms })),
    endOwnerDue: (issueIds) => {
      for (const id of issueIds) write.run(builder.deleteFrom('owner_due').where('issue_id', '=', id))
    },
  }
}
