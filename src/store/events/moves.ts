import { randomUUID } from 'node:crypto'
import { MishapError } from '../../base/errors.ts'
import { archivedTables, columnsOf, insertLines, partitionRows, stopMerges } from './backup/rows-archive.ts'
import type { Connection, InsertFence } from './connection.ts'
import { keptTracesName, removedSpansName } from './schema/downsampled-spans.ts'
import { logRollupName, logRollupOrder } from './schema/log-rollup.ts'
import { rollupFeeds } from './schema/rollups.ts'
import { segmentsName } from './schema/segments.ts'
import { spanRollupName } from './schema/span-rollup.ts'
import { type TableName, tableNames } from './tables.ts'

/** A partition of a table. `version` grows with each insert and each deletion, but not with merges. */
export type RowPartition = { table: string; id: string; version: number; deletion: number }

/** What a partition holds, in a form that is equal in every kind of store. */
export type PartitionSum = { table: string; id: string; rows: number; sum: string }

/** Rows of a partition with `from` <= jpos < `until`. Tables without positions are always copied whole. */
export type RowRange = { from: number; until: number }

/** Takes the rows of another store. */
export type RowTarget = {
  /** Adds rows to a partition. `replace` deletes its rows first. Returns the number of inserted rows. */
  put(partition: RowPartition, columns: readonly string[], rows: AsyncIterable<Buffer>, replace: boolean): Promise<void>
  /** Deletes a partition. */
  drop(partition: Pick<RowPartition, 'table' | 'id'>): Promise<void>
  /** Lets inserted events count in the rollups again. Nothing can be put afterwards. */
  finish(): Promise<void>
}

/** Moves of all rows from one events store to another, also while the first one takes inserts. */
export type MoveStore = {
  /** Returns all partitions that have rows. */
  rowPartitions(): Promise<RowPartition[]>
  /** Returns the columns of a table that an insert names. */
  rowColumns(table: string): Promise<string[]>
  /** Yields the rows of a partition as tab-separated lines. */
  rowsIn(partition: RowPartition, range: RowRange): AsyncIterable<Buffer>
  /** Returns a sum over the content of each partition. Sums of equal contents are equal. */
  rowSums(): Promise<PartitionSum[]>
  /** Empties the store and prepares it to take rows. Earlier targets of the same store can insert no more. */
  takeRows(): Promise<RowTarget>
}

const workSeconds = 3600
/** Stands for all positions. */
export const everyRow: RowRange = { from: 0, until: Number.MAX_SAFE_INTEGER }

/** Whether a table has positions, so that new rows can be told from old ones. */
export const hasPositions = (table: string): boolean => [...tableNames, segmentsName].some((name) => name === table)

/** Name of the fence that ends the inserts of interrupted moves. */
const fenceName = 'move'
const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
const partitionForm = /^[\w-]{1,100}$/

/** Lets the inserts of this run pass, and those of earlier runs that arrive late store nothing (see control.ts). */
async function raiseFence(
  connection: Connection,
  database: string,
): Promise<(table: string, columns: readonly string[]) => Promise<InsertFence | undefined>> {
  if (!connection.kind.isRemote) return async () => undefined
  const counted = `SELECT count() AS n FROM ${database}.control WHERE kind = 'fence' AND name = '${fenceName}'`
  await connection.command(
    `INSERT INTO ${database}.control (kind, name) SELECT 'fence', '${fenceName}' SETTINGS insert_deduplicate = 0`,
  )
  const [found] = await connection.rows<{ n: string }>(counted)
  return async (table, columns) => {
    const types = await connection.rows<{ name: string; type: string }>(
      'SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {table:String}',
      { database, table },
    )
    const typeOf = new Map(types.map(({ name, type }) => [name, type]))
    return {
      structure: columns.map((name) => `${name} ${typeOf.get(name)}`).join(', '),
      condition: `throwIf((${counted}) != {seen:UInt64}, 'another move has begun') = 0`,
      bound: { seen: Number(found?.n ?? 0) },
    }
  }
}

type MoveOptions = { database: string; migrate(): Promise<void> }

/** See `MoveStore.takeRows`. */
async function takeRows(connection: Connection, { database, migrate }: MoveOptions): Promise<RowTarget> {
  const run = (sql: string) => connection.command(sql, {}, { seconds: workSeconds })
  const token = `move:${randomUUID()}`
  let inserts = 0
  await migrate()
  const fence = await raiseFence(connection, database)
  // The rollups are copied. Their views would count the events again.
  for (const view of rollupFeeds) await run(`DROP VIEW IF EXISTS ${database}.${view}`)
  for (const table of archivedTables) await run(`TRUNCATE TABLE ${database}.${table}`)
  const drop = async ({ table, id }: Pick<RowPartition, 'table' | 'id'>) => {
    if (!archivedTables.includes(table) || !partitionForm.test(id)) throw new Error(`not a partition: ${table} ${id}`)
    await run(`ALTER TABLE ${database}.${table} DROP PARTITION ID ${quoted(id)}`)
  }
  return {
    drop,
    async put(partition, columns, rows, replace) {
      if (replace) await drop(partition)
      const check = await fence(partition.table, columns)
      await insertLines(rows, (lines) =>
        connection.insert(partition.table, columns, lines, `${token}:${inserts++}`, check),
      )
    },
    finish: migrate,
  }
}

/** See `MoveStore.rowPartitions`. Numbers of blocks and of mutations come from one sequence that only grows. */
async function rowPartitions(connection: Connection, database: string): Promise<RowPartition[]> {
  const found = await connection.rows<{ name: string; id: string; version: string; deletion: string }>(
    `SELECT table AS name, partition_id AS id, max(greatest(max_block_number, data_version)) AS version,
       max(if(data_version > max_block_number, data_version, 0)) AS deletion
     FROM system.parts WHERE active AND rows > 0 AND database = {database:String} AND table IN {tables:Array(String)}
     GROUP BY name, id ORDER BY name, id`,
    { database, tables: archivedTables },
    { seconds: workSeconds },
  )
  return found.map(({ name, id, version, deletion }) => ({
    table: name,
    id,
    version: Number(version),
    deletion: Number(deletion),
  }))
}

/** Columns of rollups that identify what a row counts. */
const issueKey = 'project_id, group_hash, hour'
const spanKey = 'project_id, length, metric, hour, route, statement, bucket'

const sumKeys: Readonly<Record<string, string>> = {
  [spanRollupName]: spanKey,
  [removedSpansName]: 'project_id, step',
  [logRollupName]: logRollupOrder,
}

/** Rollups add up equal keys when they merge, so only their totals can be compared. */
async function rowSums(connection: Connection, database: string): Promise<PartitionSum[]> {
  const keys = await connection.rows<{ name: string; key: string }>(
    'SELECT name, sorting_key AS key FROM system.tables WHERE database = {database:String} AND name IN {tables:Array(String)}',
    { database, tables: archivedTables },
  )
  const sums: PartitionSum[] = []
  for (const { name, key } of keys) {
    const counted = name === keptTracesName ? 'step, trace_id, guarded' : hasPositions(name) && `${key}, jpos`
    const content = counted
      ? `count() AS found, toString(sum(cityHash64(${counted}))) AS total`
      : `sum(n) AS found, toString(sum(cityHash64(${sumKeys[name] ?? issueKey}) * n)) AS total`
    const found = await connection.rows<{ id: string; found: string; total: string }>(
      `SELECT _partition_id AS id, ${content} FROM ${database}.${name} GROUP BY id ORDER BY id`,
      {},
      { seconds: workSeconds },
    )
    sums.push(...found.map(({ id, found: rows, total }) => ({ table: name, id, rows: Number(rows), sum: total })))
  }
  return sums
}

/** Creates the part of the events store that `mishap move` uses. */
export function createMoves(connection: Connection, options: MoveOptions): MoveStore {
  const { database } = options
  return {
    rowPartitions: () => rowPartitions(connection, database),
    rowColumns: (table) => columnsOf(connection, database, table),
    rowSums: () => rowSums(connection, database),
    takeRows: () => takeRows(connection, options),
    async *rowsIn({ table, id }, { from, until }) {
      if (!archivedTables.includes(table) || !partitionForm.test(id))
        throw new MishapError('VALIDATION', { detail: `The events store has an unknown partition ${table} ${id}.` })
      const columns = await columnsOf(connection, database, table)
      const where = hasPositions(table) ? `jpos >= ${Math.trunc(from)} AND jpos < ${Math.trunc(until)}` : '1'
      try {
        if (!connection.kind.isRemote) await stopMerges(connection, database, table)
        yield* partitionRows(connection, { database, table, columns, partition: id, where }, () => undefined)
      } finally {
        if (!connection.kind.isRemote) await connection.command('SYSTEM START MERGES')
      }
    },
  }
}

/** Names of the stored tables in a list of sums, with their rows. */
export const rowsOfSums = (sums: readonly PartitionSum[]): Record<TableName, number> =>
  Object.fromEntries(
    tableNames.map((name) => [
      name,
      sums.filter(({ table }) => table === name).reduce((rows, part) => rows + part.rows, 0),
    ]),
  ) as Record<TableName, number>
