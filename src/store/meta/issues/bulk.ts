import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import { fromJson, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { subscriber } from './attention.ts'
import { type AskedMerge, demandMergeable, type Merge, mergeStepper } from './merge-steps.ts'
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
  askBulk(value: AskedBulk, nowMs: number): Bulk
  /** Adds issues to a bulk that is not open yet. Without `more`, this opens the bulk. */
  growBulk(id: number, items: AskedBulk['items'], more: boolean): Bulk
  /**
   * Stores a merge of these issues in steps; none is merged yet. Throws NOT_FOUND, VALIDATION for issues of different
   * projects, and CONFLICT while one of them is being deleted.
   */
  askMerge(value: Merge, nowMs: number): Bulk
  bulkById(id: number): Bulk | undefined
  openBulks(): Bulk[]
  /**
   * Changes (or merges) the next `max` issues in one transaction. Returns the changed issues. After the last issue it
   * ends the bulk and notifies the assignees. Assignees are subscribed to an issue in the issue's own step.
   */
  stepBulk(id: number, max: number, nowMs: number): { issueIds: number[]; bulk: Bulk }
  /**
   * Starts to undo a bulk. Restores its issues, except for those that somebody changed since. Returns undefined when
   * the bulk was already undone. Throws VALIDATION for a merge.
   */
  undoBulk(id: number, nowMs: number): Bulk | undefined
  /** Deletes bulks that ended before `beforeMs`, at most `max` issues of one. Returns false when none are left. */
  dropBulks(beforeMs: number, max: number): boolean
}

/** A requested change of many issues. */
export type AskedBulk = {
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
    add: write.hot<Item, unknown>((slot) =>
      builder
        .insertInto('bulk_item')
        .values({ bulk_id: slot('bulkId'), issue_id: slot('issueId'), place: slot('place'), undo: null, rev: null }),
    ),
    next: write.hot<{ bulkId: number; after: number; max: number }, Found>((slot) =>
      builder
        .selectFrom('bulk_item')
        .select(['issue_id', 'place', 'undo', 'rev'])
        .where('bulk_id', '=', slot('bulkId'))
        .where('place', '>', slot('after'))
        .orderBy('place')
        .limit(slot('max')),
    ),
    keep: write.hot<{ bulkId: number; place: number; undo: string; rev: number }, unknown>((slot) =>
      builder
        .updateTable('bulk_item')
        .set({ undo: slot('undo'), rev: slot('rev') })
        .where('bulk_id', '=', slot('bulkId'))
        .where('place', '=', slot('place')),
    ),
  }
}

/** Issues assigned so far, by person: how many, and the last activity. */
type Given = Record<string, { count: number; activityId: number }>
/** The distinct changes, and the change of each issue by its place: most issues share one change. */
type Asked = { changes: IssueChange[]; of: number[]; given?: Given; merge?: AskedMerge }

/** Adds the changes of more issues to those of the first `total` issues. */
function askedWith(before: Asked, total: number, items: AskedBulk['items']): Asked {
  const changes = [...before.changes]
  const known = new Map(changes.map((change, at) => [JSON.stringify(change), at]))
  const of = items.map(({ change }) => {
    const text = JSON.stringify(change)
    const at = known.get(text) ?? changes.push(change) - 1
    known.set(text, at)
    return at
  })
  const first = before.of.length === total ? before.of : Array<number>(total).fill(0)
  return { changes, of: changes.length === 1 ? [] : [...first, ...of] }
}

/** Queues one mail per assignee for the whole bulk. One mail per issue could be thousands. */
function tellGiven({ write, dialect: { builder } }: Store, given: Given, byUserId: string | null, nowMs: number): void {
  for (const [user_id, { count, activityId }] of Object.entries(given)) {
    const row = write.get(builder.selectFrom('activity').select(['issue_id', 'data']).where('id', '=', activityId))
    // Skip when the issue was deleted, or when people assigned it to themselves.
    if (!row || user_id === byUserId) continue
    const data = JSON.stringify({ ...fromJson<object>(row.data), issues: count })
    write.run(builder.updateTable('activity').set({ data }).where('id', '=', activityId))
    const notice = { issue_id: row.issue_id, user_id, activity_id: activityId, kind: 'assigned', next_ms: nowMs }
    write.run(builder.insertInto('notice').values(notice))
  }
}

/** Creates the function that changes the next issues of a bulk in the caller's transaction and returns their ids. */
function stepper(store: Store, items: ReturnType<typeof itemStatements>) {
  const { write, dialect } = store
  const { builder } = dialect
  const statements = changeStatements(write, dialect)
  const subscribe = subscriber(store)
  const merge = mergeStepper(store)
  return (row: Selectable<Tables['bulk']>, max: number, nowMs: number): number[] => {
    const asked = row.undone === 1 ? undefined : fromJson<Asked>(row.change)
    const given: Given = asked?.given ?? {}
    const changed: number[] = []
    const found = items.next.all({ bulkId: row.id, after: row.done - 1, max })
    const merged =
      asked?.merge &&
      merge(
        asked.merge,
        found.map((item) => item.issue_id),
        row.user_id,
        nowMs,
      )
    if (merged) changed.push(...merged.issueIds)
    for (const { issue_id, place, undo, rev } of merged ? [] : found) {
      const old = statements.issue.get({ id: issue_id })
      const change = asked ? asked.changes[asked.of[place] ?? 0] : undo === null ? undefined : fromJson<Before>(undo)
      // Undo only changes that nobody has modified since.
      if (!old || !change || (!asked && old.rev !== rev)) continue
      const why = { bulk: row.id, ...(asked ? {} : { undone: true }) }
      const { row: made, activityIds } = changeRow(statements, old, change, { userId: row.user_id, nowMs, why })
      if (activityIds.length === 0) continue
      changed.push(issue_id)
      if (!asked) continue
      items.keep.run({ bulkId: row.id, place, undo: JSON.stringify(undoOf(old)), rev: made.rev })
      const to = made.assignee_user_id
      if (to === null || to === old.assignee_user_id) continue
      subscribe(issue_id, to, true, 'assigned', nowMs)
      given[to] = { count: (given[to]?.count ?? 0) + 1, activityId: activityIds.at(-1) ?? 0 }
    }
    // Deleted issues leave gaps, so the next place defines the progress.
    const done = found.length < max ? row.total : (found.at(-1)?.place ?? 0) + 1
    const isOver = done >= row.total
    if (isOver) tellGiven(store, given, row.user_id, nowMs)
    const count = merged ? merged.merged : changed.length
    const gone = { done, changed: row.changed + count, ended_ms: isOver ? nowMs : null }
    // Most changes assign nothing. Then the stored request does not have to be rewritten.
    const now = merged ? { ...asked, merge: merged.asked } : Object.keys(given).length > 0 && { ...asked, given }
    const kept = now ? { change: JSON.stringify(now) } : {}
    write.run(
      builder
        .updateTable('bulk')
        .set({ ...gone, ...kept })
        .where('id', '=', row.id),
    )
    return changed
  }
}

const rowOf = ({ write, dialect: { builder } }: Store, id: number) =>
  write.get(builder.selectFrom('bulk').selectAll().where('id', '=', id))

/** Implements the creation of bulks. */
function askPart(
  store: Store,
  items: ReturnType<typeof itemStatements>,
): Pick<BulkStore, 'askBulk' | 'growBulk' | 'askMerge'> {
  const { write, dialect } = store
  const { builder } = dialect
  const begin = (
    { organizationId: organization_id, userId: user_id }: Pick<AskedBulk, 'organizationId' | 'userId'>,
    asked: Asked,
    issues: readonly { issueId: number }[],
    ended_ms: number | null,
    created_ms: number,
  ): Bulk => {
    const counts = { total: issues.length, done: 0, changed: 0, undone: 0 }
    const row = { organization_id, user_id, change: JSON.stringify(asked), ...counts, created_ms, ended_ms }
    const { lastId: id } = write.run(builder.insertInto('bulk').values(row))
    for (const [place, { issueId }] of issues.entries()) items.add.run({ bulkId: id, issueId, place })
    return toBulk({ id, ...row })
  }
  return {
    askBulk: (value, nowMs) =>
      write.transaction(() => {
        const asked = askedWith({ changes: [], of: [] }, 0, value.items)
        const isOpen = value.items.length > 0 && !value.more
        return begin(value, asked, value.items, isOpen ? null : nowMs, nowMs)
      }),
    growBulk: (id, added, more) =>
      write.transaction(() => {
        const row = rowOf(store, id)
        if (!row) throw new MishapError('NOT_FOUND')
        const asked = askedWith(fromJson<Asked>(row.change), row.total, added)
        for (const [at, { issueId }] of added.entries()) items.add.run({ bulkId: id, issueId, place: row.total + at })
        const change = JSON.stringify(asked)
        const grown = { change, total: row.total + added.length, ended_ms: more ? row.ended_ms : null }
        write.run(builder.updateTable('bulk').set(grown).where('id', '=', id))
        return toBulk({ ...row, ...grown })
      }),
    askMerge: (value, nowMs) =>
      write.transaction(() => {
        const merge: AskedMerge = { into: value.intoId, noted: null }
        demandMergeable(store, value)
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
    ...askPart(store, items),
    bulkById: (id) => {
      const row = rowOf(store, id)
      return row && toBulk(row)
    },
    openBulks: () =>
      write.all(builder.selectFrom('bulk').selectAll().where('ended_ms', 'is', null).orderBy('id')).map(toBulk),
    stepBulk: (id, max, nowMs) =>
      write.transaction(() => {
        const row = rowOf(store, id)
        if (!row) throw new Error(`bulk ${id} is gone`)
        const issueIds = row.ended_ms === null ? step(row, max, nowMs) : []
        return { issueIds, bulk: toBulk(rowOf(store, id) ?? row) }
      }),
    undoBulk: (id, nowMs) =>
      write.transaction(() => {
        const row = rowOf(store, id)
        if (!row || row.undone === 1) return undefined
        if (fromJson<Asked>(row.change).merge) {
          const detail = 'A merge cannot be undone. Split off its hashes instead.'
          throw new MishapError('VALIDATION', { detail })
        }
        // A running bulk stops here. Issues that it has not reached stay unchanged.
        const change = { undone: 1, done: 0, changed: 0, ended_ms: row.total === 0 ? nowMs : null }
        write.run(builder.updateTable('bulk').set(change).where('id', '=', id))
        return toBulk({ ...row, ...change })
      }),
    dropBulks: (beforeMs, max) =>
      write.transaction(() => {
        const old = write.get(builder.selectFrom('bulk').select('id').where('ended_ms', '<', beforeMs).limit(1))
        if (!old) return false
        const own = builder.selectFrom('bulk_item').where('bulk_id', '=', old.id)
        const first = write.get(own.select('place').orderBy('place').limit(1))
        if (first) {
          const part = builder.deleteFrom('bulk_item').where('bulk_id', '=', old.id)
          write.run(part.where('place', '<', first.place + max))
        } else write.run(builder.deleteFrom('bulk').where('id', '=', old.id))
        return true
      }),
  }
}
