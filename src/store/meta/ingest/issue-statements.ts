import { type Database, idColumn, rowInsert, rowStatement } from '../database/row-statement.ts'
import type { RowColumnType, RowOf } from '../database/rows.ts'
import type { IssueRow } from '../issues/issue-state.ts'
import { withVerdict } from './diagnostic-counts.ts'

/** Columns that nearly every event changes. */
const countColumns = {
  title: 'text',
  culprit: 'text',
  level: 'text',
  platform: 'text',
  logger: 'text',
  metadata: 'text',
  error_type: 'text',
  error_value: 'text',
  search_text: 'text',
  first_seen_ms: 'integer',
  last_seen_ms: 'integer',
  count: 'integer',
  last_release: 'text',
  unhandled: 'integer',
  ten_ms: 'integer',
  ten_counts: 'text',
  hour_ms: 'integer',
  hour_count: 'integer',
  sign_counts: 'text',
  noise: 'text',
} as const satisfies Partial<Record<keyof IssueRow, RowColumnType>>

/** Columns that an event seldom changes. An update without them leaves four indexes alone. */
const stateColumns = {
  organization_id: 'integer',
  project_id: 'integer',
  short_id: 'text',
  kind: 'text',
  status: 'text',
  substatus: 'text?',
  status_details: 'text',
  resolved_ms: 'integer?',
  assignee_user_id: 'text?',
  first_release: 'text',
  comments: 'integer',
  rev: 'integer',
  state_ms: 'integer',
  due_ms: 'integer?',
  awaits_release: 'integer',
  priority: 'text?',
} as const satisfies Record<Exclude<keyof IssueRow, 'id' | keyof typeof countColumns>, RowColumnType>

const stateNames = Object.keys(stateColumns) as (keyof typeof stateColumns)[]

/** Creates the update of these columns of issues. */
function updateOf<const C extends Record<string, RowColumnType>>(database: Database, columns: C) {
  return rowStatement(database, { ...idColumn, ...columns }, (input) =>
    database.dialect.builder
      .updateTable('issue')
      .from(input)
      .set(
        ({ ref }) =>
          Object.fromEntries(Object.keys(columns).map((name) => [name, ref(`input.${name}` as never)])) as never,
      )
      .whereRef('issue.id', '=', 'input.id' as never),
  )
}

const keyOf = (row: Pick<IssueRow, 'organization_id' | 'short_id'>) => `${row.organization_id} ${row.short_id}`

export function issueStatements(database: Database) {
  const { builder } = database.dialect
  const insert = rowInsert(database, 'issue', { ...stateColumns, ...countColumns }, (issue) =>
    issue.returning(['id', 'organization_id', 'short_id']),
  )
  const updateAll = updateOf(database, { ...stateColumns, ...countColumns })
  const updateCounts = updateOf(database, countColumns)
  const hash = { project_id: 'integer', hash: 'text' } as const
  return {
    issues: rowStatement(database, idColumn, (input) =>
      builder.selectFrom(input).innerJoin('issue', 'issue.id', 'input.id').selectAll('issue'),
    ),
    /** The issues of hashes. Unknown hashes are absent. */
    fingerprints: rowStatement(database, hash, (input) =>
      builder
        .selectFrom(input)
        .innerJoin('fingerprint', (join) =>
          join.onRef('fingerprint.project_id', '=', 'input.project_id').onRef('fingerprint.hash', '=', 'input.hash'),
        )
        .select(['fingerprint.project_id', 'fingerprint.hash', 'fingerprint.issue_id']),
    ),
    /** Attaches hashes to issues. A hash that belongs to another issue stays there. */
    attachHashes: rowInsert(database, 'fingerprint', { ...hash, issue_id: 'integer' }, (fingerprint) =>
      fingerprint.onConflict((conflict) => conflict.doNothing()),
    ),
    /** Returns the ids of the new issues, in the order of `rows`. Short ids must be unique. */
    insertIssues: async (rows: readonly Omit<IssueRow, 'id'>[]): Promise<number[]> => {
      const ids = new Map((await insert.all(rows.map(withVerdict))).map((row) => [keyOf(row), row.id]))
      return rows.map((row) => {
        const id = ids.get(keyOf(row))
        if (id === undefined) throw new Error(`the insert of issue ${row.short_id} returned no id`)
        return id
      })
    },
    /** Writes issues. `before`: the stored rows by id, where they are known, for updates of fewer columns. */
    updateIssues: async (rows: readonly IssueRow[], before: ReadonlyMap<number, IssueRow> = new Map()) => {
      const isCounted = (row: IssueRow) => {
        const old = before.get(row.id)
        return old !== undefined && stateNames.every((name) => old[name] === row[name])
      }
      const { counted = [], changed = [] } = Object.groupBy(rows.map(withVerdict), (row) =>
        isCounted(row) ? 'counted' : 'changed',
      )
      await updateCounts.run(counted as RowOf<typeof countColumns & typeof idColumn>[])
      await updateAll.run(changed)
    },
    activities: rowInsert(database, 'activity', {
      issue_id: 'integer',
      type: 'text',
      created_ms: 'integer',
      user_id: 'text?',
      data: 'text',
    }),
  }
}
