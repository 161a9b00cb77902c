import { MishapError } from '../../../base/errors.ts'
import { archiveOf, type StatusDetails, type Substatus } from '../../../domain/issue-states.ts'
import { isPriorityRaised } from '../../../domain/priority.ts'
import { raisedPriorityTrigger } from '../alerts/triggers.ts'
import type { Connection } from '../database/connection.ts'
import type { Dialect } from '../database/dialect.ts'
import { staleError } from '../database/revision.ts'
import { fromJson, idOfRow, type Store } from '../database/store.ts'
import type { Activity, Issue, Priority } from '../meta.ts'
import { type IssueRow, stateColumns } from './issue-state.ts'
import { toIssue } from './issues.ts'
/** Changes to an issue by people or rules. Absent fields stay. */
export type IssueChange = {
  status?: Issue['status']
  /** Default: ongoing, or the kind of archive that follows from the details. */
  substatus?: Issue['substatus']
  statusDetails?: StatusDetails
  assigneeUserId?: string | null
  /** null: derived from level and state again. */
  priority?: Priority | null
}

/** Who changes an issue, and why. Each activity contains the reason. */
type Change = { userId: string | null; nowMs: number; rev?: number | undefined; why?: Record<string, unknown> }

/** The values that undo a change. */
export type Before = Required<IssueChange>

export type IssueChangeStore = {
  /**
   * Changes status, assignee or priority and writes an activity for each. Returns the issue and the id of the last
   * activity. Throws CONFLICT when `rev` is given and any of them has changed since.
   */
  updateIssue(
    id: number,
    change: IssueChange,
    userId: string | null,
    nowMs: number,
    rev?: number,
    why?: Record<string, unknown>,
  ): Promise<{ issue: Issue; activityId: number | null }>
}

const activityTypes = { unresolved: 'set_unresolved', ignored: 'set_ignored' } as const

/** Statements of a change, prepared once: a bulk runs each of them ten thousand times. */
export function changeStatements(write: Connection, dialect: Dialect) {
  const { builder } = dialect
  type State = Pick<
    IssueRow,
    | 'id'
    | 'status'
    | 'substatus'
    | 'status_details'
    | 'state_ms'
    | 'due_ms'
    | 'awaits_release'
    | 'resolved_ms'
    | 'assignee_user_id'
    | 'priority'
    | 'rev'
  >
  type ActivityRow = { issue_id: number; type: string; created_ms: number; user_id: string | null; data: string }
  return {
    issue: write.prepared<{ id: number }, IssueRow>((slot) =>
      builder.selectFrom('issue').selectAll().where('id', '=', slot('id')),
    ),
    setState: write.prepared<State, unknown>((slot) =>
      builder
        .updateTable('issue')
        .set({
          status: slot('status'),
          substatus: slot('substatus'),
          status_details: slot('status_details'),
          state_ms: slot('state_ms'),
          due_ms: slot('due_ms'),
          awaits_release: slot('awaits_release'),
          resolved_ms: slot('resolved_ms'),
          assignee_user_id: slot('assignee_user_id'),
          priority: slot('priority'),
          rev: slot('rev'),
        })
        .where('id', '=', slot('id')),
    ),
    addTrigger: raisedPriorityTrigger(write, dialect),
    addActivity: write.prepared<ActivityRow, { id: number }>((slot) =>
      builder
        .insertInto('activity')
        .returning('id')
        .values({
          issue_id: slot('issue_id'),
          type: slot('type'),
          created_ms: slot('created_ms'),
          user_id: slot('user_id'),
          data: slot('data'),
        }),
    ),
  }
}
type ChangeStatements = ReturnType<typeof changeStatements>

/** Returns the substatus after a change. A new status has its own initial substatus. */
function substatusAfter(old: IssueRow, change: IssueChange, details: StatusDetails): Substatus | null {
  const status = change.status ?? (old.status as Issue['status'])
  if (status === 'resolved') return null
  if (status === 'ignored') return archiveOf(details, change.substatus ?? old.substatus)
  if (change.substatus != null && !change.substatus.startsWith('archived')) return change.substatus
  return status === old.status ? (old.substatus as Substatus | null) : 'ongoing'
}

/** Returns the state columns after a change; undefined when the state stays. */
function stateAfter(old: IssueRow, change: IssueChange, nowMs: number) {
  const status = change.status ?? (old.status as Issue['status'])
  const hasChanged = status !== old.status
  const newDetails = change.statusDetails ?? (hasChanged ? {} : fromJson<StatusDetails>(old.status_details))
  const details =
    newDetails.ignoreCount !== undefined && newDetails.eventsBefore === undefined
      ? { ...newDetails, eventsBefore: old.count }
      : newDetails
  const substatus = substatusAfter(old, change, details)
  if (!hasChanged && substatus === old.substatus && JSON.stringify(details) === old.status_details) return undefined
  const columns = stateColumns(status, substatus, details, nowMs)
  return { ...columns, resolved_ms: status === 'resolved' && !hasChanged ? old.resolved_ms : columns.resolved_ms }
}

const beforeOf = (old: IssueRow) => ({
  status: old.status,
  substatus: old.substatus,
  statusDetails: fromJson<StatusDetails>(old.status_details),
})

/** Returns the values that a bulk needs to undo its change. */
export const undoOf = (old: IssueRow): Before => ({
  ...(beforeOf(old) as Pick<Before, 'status' | 'substatus' | 'statusDetails'>),
  assigneeUserId: old.assignee_user_id,
  priority: old.priority as Priority | null,
})

function stateActivityType(details: StatusDetails, status: Issue['status']): Activity['type'] {
  if (status !== 'resolved') return activityTypes[status]
  return details.inRelease === undefined && details.inNextRelease === undefined && !details.inCommit
    ? 'set_resolved'
    : 'set_resolved_in_release'
}

/**
 * Changes one issue in the caller's transaction. Returns the new row and the ids of the activities, none when nothing
 * changed.
 */
export async function changeRow(statements: ChangeStatements, old: IssueRow, change: IssueChange, by: Change) {
  const { nowMs, userId: user_id, why = {} } = by
  const state = stateAfter(old, change, nowMs)
  const assignee = change.assigneeUserId === undefined ? old.assignee_user_id : change.assigneeUserId
  const priority = change.priority === undefined ? old.priority : change.priority
  const reassigned = assignee !== old.assignee_user_id
  const reprioritized = priority !== old.priority
  if (!state && !reassigned && !reprioritized) return { row: old, activityIds: [] }
  const row: IssueRow = { ...old, ...state, assignee_user_id: assignee, priority, rev: old.rev + 1 }
  await statements.setState.run(row)
  const addActivity = async (type: Activity['type'], data: object) => {
    const activity = { issue_id: old.id, type, created_ms: nowMs, user_id, data: JSON.stringify(data) }
    return idOfRow(await statements.addActivity.get(activity))
  }
  // Store the old values in the activity, so that undo is an update with them.
  const activityIds: number[] = []
  if (state) {
    const statusDetails = fromJson<StatusDetails>(state.status_details)
    const { substatus } = state
    const { inRelease: version } = statusDetails
    const data = {
      before: beforeOf(old),
      statusDetails,
      substatus,
      ...(version === undefined ? {} : { version }),
      ...why,
    }
    activityIds.push(await addActivity(stateActivityType(statusDetails, state.status), data))
  }
  if (reassigned) {
    const type = assignee === null ? 'unassigned' : 'assigned'
    activityIds.push(await addActivity(type, { before: { assigneeUserId: old.assignee_user_id }, assignee, ...why }))
  }
  if (isPriorityRaised(old, row)) await statements.addTrigger.run({ id: old.id, at: nowMs })
  if (reprioritized)
    activityIds.push(await addActivity('set_priority', { before: { priority: old.priority }, priority, ...why }))
  return { row, activityIds }
}

/** Implements changes of an issue's state by people. */
export function issueChangePart(store: Store): IssueChangeStore {
  const { write, dialect } = store
  const statements = changeStatements(write, dialect)
  const lastChange = (id: number) =>
    write.get(
      dialect.builder
        .selectFrom('activity')
        .select(['user_id', 'created_ms'])
        .where('issue_id', '=', id)
        .where('type', '!=', 'note')
        .orderBy('id', 'desc')
        .limit(1),
    )
  return {
    updateIssue: (id, change, userId, nowMs, rev, why = {}) =>
      write.transaction(async () => {
        const old = await statements.issue.get({ id })
        if (!old) throw new MishapError('NOT_FOUND')
        if (rev !== undefined && rev !== old.rev) {
          const last = await lastChange(id)
          throw await staleError(store, { rev: old.rev, userId: last?.user_id ?? null, atMs: last?.created_ms ?? null })
        }
        const { row, activityIds } = await changeRow(statements, old, change, { userId, nowMs, why })
        return { issue: toIssue(row), activityId: activityIds.at(-1) ?? null }
      }),
  }
}
