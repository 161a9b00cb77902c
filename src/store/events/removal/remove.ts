import type { Connection } from '../connection.ts'
import type { EventStore } from '../event-store.ts'
import type { Gate } from '../gate.ts'
import { hashNumber } from '../reading/filter.ts'
import { tableNames, tables, withDerived } from '../tables.ts'
import { recountProjects } from './recount.ts'

/** Deleting rows among ten million took seconds. Rewriting the parts takes longer, but nothing waits for it. */
const workSeconds = 3600
/** Limit of hashes or ids per statement: about 30 kB as parameters. */
const listMax = 1000

type RemovePart = Pick<EventStore, 'remove' | 'eventsFrom' | 'rewrite' | 'rowsOf' | 'eventsAmong'>
type Condition = { where: string; bound: Record<string, unknown> }

function inChunks<T>(list: readonly T[]): T[][] {
  const chunks: T[][] = []
  for (let start = 0; start < list.length; start += listMax) chunks.push(list.slice(start, start + listMax))
  return chunks
}

/** Tables that a removal covers: a project has rows in every table, its issues (groups) only in some. */
const tablesOf = (hashes: readonly string[] | undefined): string[] =>
  tableNames.filter((name) => hashes === undefined || tables[name].hasIssues).flatMap(withDerived)

/** Yields conditions with values for the whole project, or for some of its groups. */
function* conditions(projectId: number, hashes: readonly string[] | undefined): Generator<Condition> {
  if (hashes === undefined) yield { where: 'project_id = {project:UInt64}', bound: { project: projectId } }
  else
    for (const some of inChunks(hashes))
      yield {
        where: 'project_id = {project:UInt64} AND has({hashes:Array(UInt64)}, group_hash)',
        bound: { project: projectId, hashes: some.map(hashNumber).filter((item) => item !== undefined) },
      }
}

/**
 * Creates the permanent removal of rows. No inserts meanwhile: rollups are deleted by group, not by row. The rows of a
 * project that keeps other groups are rebuilt without these: their users cannot be subtracted.
 */
export function createRemove(
  connection: Connection,
  database: string,
  { counting }: Pick<Gate, 'counting'>,
): RemovePart {
  async function rowsOf(projectId: number, hashes?: readonly string[]): Promise<number> {
    let rows = 0
    for (const { where, bound } of conditions(projectId, hashes))
      for (const table of tablesOf(hashes)) {
        const [found] = await connection.rows<{ n: string }>(
          `SELECT count() AS n FROM ${database}.${table} WHERE ${where}`,
          bound,
          { seconds: workSeconds },
        )
        rows += Number(found?.n ?? 0)
      }
    return rows
  }

  return {
    rowsOf,
    async remove(projectId, hashes) {
      for (const { where, bound } of conditions(projectId, hashes))
        for (const table of tablesOf(hashes))
          await connection.command(`DELETE FROM ${database}.${table} WHERE ${where}`, bound, { seconds: workSeconds })
      if (hashes !== undefined)
        await counting(() => recountProjects(connection, database, { projectIds: [projectId], seconds: workSeconds }))
    },
    async eventsFrom(projectId, hashes, jpos) {
      let events = 0
      for (const { where, bound } of conditions(projectId, hashes)) {
        const [found] = await connection.rows<{ n: string }>(
          `SELECT count() AS n FROM ${database}.events WHERE ${where} AND jpos >= {from:UInt64}`,
          { ...bound, from: jpos },
          { seconds: workSeconds },
        )
        events += Number(found?.n ?? 0)
      }
      return events
    },
    async rewrite() {
      for (const table of tablesOf(undefined))
        await connection.command(
          `ALTER TABLE ${database}.${table} APPLY DELETED MASK SETTINGS mutations_sync = 1`,
          {},
          { seconds: workSeconds },
        )
    },
    async eventsAmong(projectId, hashes, eventIds) {
      const found: string[] = []
      for (const { where, bound } of conditions(projectId, hashes))
        for (const some of inChunks(eventIds)) {
          const rows = await connection.rows<{ id: string }>(
            `SELECT lower(hex(event_id)) AS id FROM ${database}.events
             WHERE ${where} AND lower(hex(event_id)) IN {ids:Array(String)}`,
            { ...bound, ids: some },
            { seconds: workSeconds },
          )
          found.push(...rows.map((row) => row.id))
        }
      return found
    },
  }
}
