import { type SignCounts, type SignKey, verdictOf } from '../../../domain/noise.ts'
import { skewWaitMs } from '../../../domain/skew.ts'
import { rowInsert, rowStatement } from '../database/row-statement.ts'
import { fromJson, type Store } from '../database/store.ts'
import type { IssueRow } from '../issues/issue-state.ts'
import type { EventEffect } from '../meta.ts'

type Counted = Pick<IssueRow, 'sign_counts'>

/** Parses the counts of diagnostics from their column. */
export const readCounts = (text: string): SignCounts => (text === '' ? {} : fromJson<SignCounts>(text))

const entriesOf = (counts: SignCounts) => Object.entries(counts) as [SignKey, number][]

function writeCounts(counts: SignCounts): string {
  const some = entriesOf(counts).filter(([, events]) => events > 0)
  return some.length === 0 ? '' : JSON.stringify(Object.fromEntries(some.sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** Adds two counts; input and result are column texts. */
export function joinCounts(text: string, other: string): string {
  if (text === '' || other === '') return text || other
  const sum = readCounts(text)
  for (const [key, events] of entriesOf(readCounts(other))) sum[key] = (sum[key] ?? 0) + events
  return writeCounts(sum)
}

/** Adds (1) or subtracts (-1) the diagnostics of one event in its issue, in place. */
export function changeCounts(row: Counted, keys: readonly SignKey[] | undefined, by: 1 | -1): void {
  if (!keys) return
  const counts = readCounts(row.sign_counts)
  for (const key of keys) counts[key] = Math.max(0, (counts[key] ?? 0) + by)
  row.sign_counts = writeCounts(counts)
}

/** Sets the noise verdict from the counts. Called for every write of an issue, so that the two never disagree. */
export const withVerdict = <Row extends Counted & Pick<IssueRow, 'count'>>(row: Row): Row & { noise: string } => ({
  ...row,
  noise: row.sign_counts === '' ? '' : (verdictOf(readCounts(row.sign_counts), row.count) ?? ''),
})

/** Returns whether all events of an issue come from tabs that were opened before a deploy. */
export const isSkewOnly = (counts: SignCounts, events: number): boolean => counts.skew === events

/** Until when (ms) an alert waits; 0: no wait. Skew after a deploy mostly ends by itself, so it is not sent at once. */
export const notifyAfter = (row: Counted & Pick<IssueRow, 'count'>, nowMs: number): number =>
  row.sign_counts !== '' && isSkewOnly(readCounts(row.sign_counts), row.count) ? nowMs + skewWaitMs : 0

/** Events of a hash that have a diagnostic. */
type DiagnosticChange = { project_id: number; hash: string; sign: string; events: number }

/** Sums changes of the same row, so that each row is written once. */
function sumChanges(changes: readonly DiagnosticChange[]): DiagnosticChange[] {
  const sums = new Map<string, DiagnosticChange>()
  for (const change of changes) {
    const key = `${change.project_id} ${change.hash} ${change.sign}`
    const sum = sums.get(key)
    if (sum) sum.events += change.events
    else sums.set(key, { ...change })
  }
  return [...sums.values()]
}

/** The counted diagnostics of an event, under its first hash. */
export const diagnosticsOf = ({ projectId, hashes, diagnostics }: EventEffect): DiagnosticChange[] =>
  (diagnostics ?? []).map((sign) => ({ project_id: projectId, hash: hashes[0] ?? '', sign, events: 1 }))

/** Adds or subtracts counts of hashes. The caller opens the transaction. */
export function hashDiagnostics(store: Store) {
  const { builder } = store.dialect
  const columns = { project_id: 'integer', hash: 'text', sign: 'text', events: 'integer' } as const
  const add = rowInsert(store, 'hash_sign', columns, (insert) =>
    insert.onConflict((conflict) =>
      conflict
        .columns(['project_id', 'hash', 'sign'])
        .doUpdateSet((build) => ({ events: build('hash_sign.events', '+', build.ref('excluded.events')) })),
    ),
  )
  const subtract = rowStatement(store, columns, (input) =>
    builder
      .updateTable('hash_sign')
      .from(input)
      .set((build) => ({ events: build('hash_sign.events', '-', build.ref('input.events')) }))
      .whereRef('hash_sign.project_id', '=', 'input.project_id')
      .whereRef('hash_sign.hash', '=', 'input.hash')
      .whereRef('hash_sign.sign', '=', 'input.sign')
      .whereRef('hash_sign.events', '>=', 'input.events'),
  )
  return {
    add: async (changes: readonly DiagnosticChange[]): Promise<void> => {
      await add.run(sumChanges(changes))
    },
    take: async (changes: readonly DiagnosticChange[]): Promise<void> => {
      await subtract.run(sumChanges(changes))
    },
  }
}

const textOf = (rows: readonly { sign: string; events: number }[]): string => {
  const sums: Partial<Record<string, number>> = {}
  for (const { sign, events } of rows) sums[sign] = (sums[sign] ?? 0) + Number(events)
  return writeCounts(sums)
}

/** Maximum hashes per statement. */
const chunk = 400

/** Returns the summed counts of some hashes of a project, as column text. */
export async function countsOfHashes(
  { write, dialect: { builder } }: Store,
  projectId: number,
  hashes: readonly string[],
): Promise<string> {
  const rows: { sign: string; events: number }[] = []
  for (let start = 0; start < hashes.length; start += chunk)
    rows.push(
      ...(await write.all(
        builder
          .selectFrom('hash_sign')
          .select(['sign', 'events'])
          .where('project_id', '=', projectId)
          .where('hash', 'in', hashes.slice(start, start + chunk)),
      )),
    )
  return textOf(rows)
}

/** Returns the summed counts of all hashes of an issue, as column text. */
export const countsOfIssue = async ({ write, dialect: { builder } }: Store, issueId: number): Promise<string> =>
  textOf(
    await write.all(
      builder
        .selectFrom('fingerprint')
        .innerJoin('hash_sign', (join) =>
          join
            .onRef('hash_sign.project_id', '=', 'fingerprint.project_id')
            .onRef('hash_sign.hash', '=', 'fingerprint.hash'),
        )
        .select(['hash_sign.sign', 'hash_sign.events'])
        .where('fingerprint.issue_id', '=', issueId),
    ),
  )

/** Deletes the counts of hashes whose events are gone. */
export async function dropDiagnostics(
  { write, dialect: { builder } }: Store,
  projectId: number,
  hashes: readonly string[],
): Promise<void> {
  for (let start = 0; start < hashes.length; start += chunk)
    await write.run(
      builder
        .deleteFrom('hash_sign')
        .where('project_id', '=', projectId)
        .where('hash', 'in', hashes.slice(start, start + chunk)),
    )
}
