import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import { fromJson, insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { subscriber } from './attention.ts'
import { demandMergeable, type Merge, type MergeState, mergeStepper } from './merge-steps.ts'
import { type Before, changeRow, changeStatements, type IssueChange, undoOf } from './triage.ts'

/** A change of many issues and its progress. */
export type Bulk = {
  id: number
  organizationId: number
  userId: string | null
  total: number
  /** Processed issues, and how many of them changed. */
  done: number
  changed: number
  /** The bulk is undone or is being undone. */
  undone: boolean
  createdMs: number
  endedMs: number | null
}

export type BulkStore = {
  /**
   * Stores a bulk for these issues, each with its change; nothing changes yet. With `more`, it stays closed until
   * `growBulk` has added the other issues. After a kill, a closed bulk changes nothing and is deleted.
   */
  requestBulk(value: BulkRequest, nowMs: number): Promise<Bulk>
  /** Adds issues to a bulk that is not open yet. Without `more`, this opens the bulk. */
  growBulk(id: number, items: BulkRequest['items'], more: boolean): Promise<Bulk>
  /**
   * Stores a merge of these issues in steps; none is merged yet. Throws NOT_FOUND, VALIDATION for issues of different
   * projects, and CONFLICT while one of them is being deleted.
   */
  requestMerge(value: Merge, nowMs: number): Promise<Bulk>
  bulkById(id: number): Promise<Bulk | undefined>
  openBulks(): Promise<Bulk[]>
  /**
   * Changes (or merges) the next `max` issues in one transaction. Returns the changed issues. After the last issue it
   * ends the bulk and notifies the assignees. Assignees are subscribed to an issue in the issue's own step.
   */
  stepBulk(id: number, max: number, nowMs: number): Promise<{ issueIds: number[]; bulk: Bulk }>
  /**
   * Starts to undo a bulk. Restores its issues, except for those that somebody changed since. Returns undefined when
   * the bulk was already undone. Throws VALIDATION for a merge.
   */
  undoBulk(id: number, nowMs: number): Promise<Bulk | undefined>
  /** Deletes bulks that ended before `beforeMs`, at most `max` issues of a bulk. Returns false when none are left. */
  dropBulks(beforeMs: number, max: number): Promise<boolean>
}

/** A requested change of many issues. */
export type BulkRequest = {
  organizationId: number
  userId: string | null
  items: readonly { issueId: number; change: IssueChange }[]
  more?: boolean
}

const toBulk = (row: Selectable<Tables['bulk']>): Bulk => ({
  id: row.id,
  organizationId: row.organization_id,
  userId: row.user_id,
  total: row.total,
  done: row.done,
  changed: row.changed,
  undone: row.undone === 1,
  createdMs: row.created_ms,
  endedMs: row.ended_ms,
})

/** Statements that run for each of thousands of issues. */
function itemStatements({ write, dialect: { builder } }: Store) {
  type Item = { bulkId: number; issueId: number; place: number }
  type Found = { issue_id: number; place: number; undo: string | null; rev: number | null }
  return {
    add: write.prepared<Item, unknown>((slot) =>
      builder
        .insertInto('bulk_item')
        .values({ bulk_id: slot('bulkId'), issue_id: slot('issueId'), place: slot('place'), undo: null, rev: null }),
    ),
    next: write.prepared<{ bulkId: number; after: number; max: number }, Found>((slot) =>
      builder
        .selectFrom('bulk_item')
        .select(['issue_id', 'place', 'undo', 'rev'])
        .where('bulk_id', '=', slot('bulkId'))
        .where('place', '>', slot('after'))
        .orderBy('place')
        .limit(slot('max')),
    ),
    saveUndo: write.prepared<{ bulkId: number; place: number; undo: string; rev: number }, unknown>((slot) =>
      builder
        .updateTable('bulk_item')
        .set({ undo: slot('undo'), rev: slot('rev') })
        .where('bulk_id', '=', slot('bulkId'))
        .where('place', '=', slot('place')),
    ),
  }
}

/** Issues assigned so far, by person: how many, and the last activity. */
type AssignedCounts = Record<string, { count: number; activityId: number }>
/** The distinct changes, and the change of each issue by its place: most issues share one change. */
type StoredRequest = { changes: IssueChange[]; of: number[]; given?: AssignedCounts; merge?: MergeState }

/** Adds the changes of more issues to those of the first `total` issues. */
function requestWith(before: StoredRequest, total: number, items: BulkRequest['items']): StoredRequest {
  const changes = [...before.changes]
  const indexByText = new Map(changes.map((change, at) => [JSON.stringify(change), at]))
  const of = items.map(({ change }) => {
    const text = JSON.stringify(change)
    const at = indexByText.get(text) ?? changes.push(change) - 1
    indexByText.set(text, at)
    return at
  })
  const first = before.of.length === total ? before.of : Array<number>(total).fill(0)
  return { changes, of: changes.length === 1 ? [] : [...first, ...of] }
}

/** Queues one mail per assignee for the whole bulk. One mail per issue could be thousands. */
async function notifyAssigned(
  { write, dialect: { builder } }: Store,
  assigned: AssignedCounts,
  byUserId: string | null,
  nowMs: number,
): Promise<void> {
  for (const [user_id, { count, activityId }] of Object.entries(assigned)) {
    const row = await write.get(
      builder.selectFrom('activity').select(['issue_id', 'data']).where('id', '=', activityId),
    )
    // Skip when the issue was deleted, or when people assigned it to themselves.
    if (!row || user_id === byUserId) continue
    const data = JSON.stringify({ ...fromJson<object>(row.data), issues: count })
    await write.run(builder.updateTable('activity').set({ data }).where('id', '=', activityId))
    const notice = { issue_id: row.issue_id, user_id, activity_id: activityId, kind: 'assigned', next_ms: nowMs }
    await write.run(builder.insertInto('notice').values(notice))
  }
}

/** Creates the function that changes the next issues of a bulk in the caller's transaction and returns their ids. */
function stepper(store: Store, items: ReturnType<typeof itemStatements>) {
  const { write, dialect } = store
  const { builder } = dialect
  const statements = changeStatements(write, dialect)
  const subscribe = subscriber(store)
  const merge = mergeStepper(store)
  return async (row: Selectable<Tables['bulk']>, max: number, nowMs: number): Promise<number[]> => {
    const request = row.undone === 1 ? undefined : fromJson<StoredRequest>(row.change)
    const assigned: AssignedCounts = request?.given ?? {}
    const changed: number[] = []
    const found = await items.next.all({ bulkId: row.id, after: row.done - 1, max })
    const merged =
      request?.merge &&
      (await merge(
        request.merge,
        found.map((item) => item.issue_id),
        row.user_id,
        nowMs,
      ))
    if (merged) changed.push(...merged.issueIds)
    for (const { issue_id, place, undo, rev } of merged ? [] : found) {
      const issue = await statements.issue.get({ id: issue_id })
      const change = request
        ? request.changes[request.of[place] ?? 0]
        : undo === null
          ? undefined
          : fromJson<Before>(undo)
      // Undo only changes that nobody has modified since.
      if (!issue || !change || (!request && issue.rev !== rev)) continue
      const details = { bulk: row.id, ...(request ? {} : { undone: true }) }
      const { row: changedRow, activityIds } = await changeRow(statements, issue, change, {
        userId: row.user_id,
        nowMs,
        why: details,
      })
      if (activityIds.length === 0) continue
      changed.push(issue_id)
      if (!request) continue
      await items.saveUndo.run({ bulkId: row.id, place, undo: JSON.stringify(undoOf(issue)), rev: changedRow.rev })
      const to = changedRow.assignee_user_id
      if (to === null || to === issue.assignee_user_id) continue
      await subscribe(issue_id, to, true, 'assigned', nowMs)
      assigned[to] = { count: (assigned[to]?.count ?? 0) + 1, activityId: activityIds.at(-1) ?? 0 }
    }
    // Deleted issues leave gaps, so the next place defines the progress.
    const done = found.length < max ? row.total : (found.at(-1)?.place ?? 0) + 1
    const isOver = done >= row.total
    if (isOver) await notifyAssigned(store, assigned, row.user_id, nowMs)
    const count = merged ? merged.merged : changed.length
    const progress = { done, changed: row.changed + count, ended_ms: isOver ? nowMs : null }
    // Most changes assign nothing. Then the stored request does not have to be rewritten.
    const now = merged
      ? { ...request, merge: merged.asked }
      : Object.keys(assigned).length > 0 && { ...request, given: assigned }
    const changeColumn = now ? { change: JSON.stringify(now) } : {}
    await write.run(
      builder
        .updateTable('bulk')
        .set({ ...progress, ...changeColumn })
        .where('id', '=', row.id),
    )
    return changed
  }
}

const rowOf = ({ write, dialect: { builder } }: Store, id: number) =>
  write.get(builder.selectFrom('bulk').selectAll().where('id', '=', id))

/** Implements the creation of bulks. */
function bulkRequestPart(
  store: Store,
  items: ReturnType<typeof itemStatements>,
): Pick<BulkStore, 'requestBulk' | 'growBulk' | 'requestMerge'> {
  const { write, dialect } = store
  const { builder } = dialect
  const begin = async (
    { organizationId: organization_id, userId: user_id }: Pick<BulkRequest, 'organizationId' | 'userId'>,
    request: StoredRequest,
    issues: readonly { issueId: number }[],
    ended_ms: number | null,
    created_ms: number,
  ): Promise<Bulk> => {
    const counts = { total: issues.length, done: 0, changed: 0, undone: 0 }
    const row = { organization_id, user_id, change: JSON.stringify(request), ...counts, created_ms, ended_ms }
    const id = await insertedId(write, builder.insertInto('bulk').values(row))
    for (const [place, { issueId }] of issues.entries()) await items.add.run({ bulkId: id, issueId, place })
    return toBulk({ id, ...row })
  }
  return {
    requestBulk: (value, nowMs) =>
      write.transaction(async () => {
        const request = requestWith({ changes: [], of: [] }, 0, value.items)
        const isOpen = value.items.length > 0 && !value.more
        return begin(value, request, value.items, isOpen ? null : nowMs, nowMs)
      }),
    growBulk: (id, added, more) =>
      write.transaction(async () => {
        const row = await rowOf(store, id)
        if (!row) throw new MishapError('NOT_FOUND')
        const request = requestWith(fromJson<StoredRequest>(row.change), row.total, added)
        for (const [at, { issueId }] of added.entries())
          await items.add.run({ bulkId: id, issueId, place: row.total + at })
        const change = JSON.stringify(request)
        const grown = { change, total: row.total + added.length, ended_ms: more ? row.ended_ms : null }
        await write.run(builder.updateTable('bulk').set(grown).where('id', '=', id))
        return toBulk({ ...row, ...grown })
      }),
    requestMerge: (value, nowMs) =>
      write.transaction(async () => {
        const merge: MergeState = { into: value.intoId, noted: null }
        await demandMergeable(store, value)
        const from = value.fromIds.map((issueId) => ({ issueId }))
        return begin(value, { changes: [], of: [], merge }, from, from.length === 0 ? nowMs : null, nowMs)
      }),
  }
}

/** Implements bulks. */
export function bulkPart(store: Store): BulkStore {
  const { write, dialect } = store
  const { builder } = dialect
  const items = itemStatements(store)
  const step = stepper(store, items)

  return {
    ...bulkRequestPart(store, items),
    bulkById: async (id) => {
      const row = await rowOf(store, id)
      return row && toBulk(row)
    },
    openBulks: async () =>
      (await write.all(builder.selectFrom('bulk').selectAll().where('ended_ms', 'is', null).orderBy('id'))).map(toBulk),
    stepBulk: (id, max, nowMs) =>
      write.transaction(async () => {
        const row = await rowOf(store, id)
        if (!row) throw new Error(`bulk ${id} is gone`)
        const issueIds = row.ended_ms === null ? await step(row, max, nowMs) : []
        return { issueIds, bulk: toBulk((await rowOf(store, id)) ?? row) }
      }),
    undoBulk: (id, nowMs) =>
      write.transaction(async () => {
        const row = await rowOf(store, id)
        if (!row || row.undone === 1) return undefined
        if (fromJson<StoredRequest>(row.change).merge) {
          const detail = 'A merge cannot be undone. Split off its hashes instead.'
          throw new MishapError('VALIDATION', { detail })
        }
        // A running bulk stops here. Issues that it has not reached stay unchanged.
        const change = { undone: 1, done: 0, changed: 0, ended_ms: row.total === 0 ? nowMs : null }
        await write.run(builder.updateTable('bulk').set(change).where('id', '=', id))
        return toBulk({ ...row, ...change })
      }),
    dropBulks: (beforeMs, max) =>
      write.transaction(async () => {
        const old = await write.get(builder.selectFrom('bulk').select('id').where('ended_ms', '<', beforeMs).limit(1))
        if (!old) return false
        const ownItems = builder.selectFrom('bulk_item').where('bulk_id', '=', old.id)
        const first = await write.get(ownItems.select('place').orderBy('place').limit(1))
        if (first) {
          const firstItems = builder.deleteFrom('bulk_item').where('bulk_id', '=', old.id)
          await write.run(firstItems.where('place', '<', first.place + max))
        } else await write.run(builder.deleteFrom('bulk').where('id', '=', old.id))
        return true
      }),
  }
}
