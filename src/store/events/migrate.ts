import { MishapError } from '../../base/errors.ts'
import type { Connection } from './connection.ts'
import { addLogRollup } from './logs/recount.ts'
import { laterLogColumns, laterLogIndexes } from './logs/schema.ts'
import { recountProjects } from './removal/recount.ts'
import {
  framesColumn,
  framesIndex,
  lookupGranules,
  lookupIndex,
  smallBlockColumn,
  smallBlockColumns,
} from './schema/events.ts'
import { derivedRows, hoursIndex, longer, ofProject, projectSpan, rollupKeys, rollupView } from './schema/rollups.ts'
import { olderTables, settingsOf } from './schema/settings.ts'
import { laterSpanColumns, laterSpanIndexes } from './schema/spans.ts'
import { claim, controlTable } from './server/control.ts'
import { isRecent, oldestVersion } from './server-check.ts'
import { tableNames, tables, withDerived } from './tables.ts'
import { addSegments } from './traces/recount-segments.ts'
import { addSpanRollup } from './traces/recount-spans.ts'

const workSeconds = 3600
/** User states have up to 2.5 kB each: blocks of the default size took 600 MB. */
const smallBlocks = `SETTINGS max_threads = 1, max_block_size = 2048, min_insert_block_size_rows = 20000, insert_deduplicate = 0`

/** Adds missing settings to tables that an older version created. */
async function refitSettings(connection: Connection, database: string): Promise<void> {
  const older = await connection.rows<{ name: string }>(olderTables(tableNames.flatMap(withDerived)), { database })
  for (const { name } of older)
    await connection.command(
      `ALTER TABLE ${database}.${name} MODIFY SETTING ${settingsOf(name)}`,
      {},
      { seconds: workSeconds },
    )
}

/** Adds the current look-up indexes to an older table. The engine builds them in the background. */
async function refitIndexes(connection: Connection, database: string): Promise<void> {
  const found = await connection.rows<{ name: string; granularity: string }>(
    "SELECT name, granularity FROM system.data_skipping_indices WHERE database = {database:String} AND table = 'events'",
    { database },
  )
  for (const name of ['event_id', 'trace_id', 'digest'] as const) {
    const index = found.find((item) => item.name === name)
    if (Number(index?.granularity) === lookupGranules) continue
    const steps = [...(index ? [`DROP INDEX ${name}`] : []), `ADD ${lookupIndex(name)}`, `MATERIALIZE INDEX ${name}`]
    // Asynchronous: with ten million events the first step alone took 46 s. Until then look-ups run without an index.
    for (const step of steps)
      await connection.command(
        `ALTER TABLE ${database}.events ${step} SETTINGS alter_sync = 0, mutations_sync = 0`,
        {},
        { seconds: workSeconds },
      )
  }
}

/** Adds the index of hours to an older rollup. The engine builds it in the background. The check comes first, as for `frames`. */
async function refitHours(connection: Connection, database: string): Promise<void> {
  const found = await connection.rows(
    "SELECT 1 FROM system.data_skipping_indices WHERE database = {database:String} AND table = 'issue_time' AND name = 'hour'",
    { database },
  )
  if (found.length > 0) return
  for (const step of [`ADD ${hoursIndex}`, 'MATERIALIZE INDEX hour'])
    await connection.command(
      `ALTER TABLE ${database}.issue_time ${step} SETTINGS alter_sync = 0, mutations_sync = 0`,
      {},
      { seconds: workSeconds },
    )
}

/**
 * Adds the column `frames` and its index to an older table. Only the definition changes: existing rows have no frames.
 * The check comes first: the engine writes the definition even if IF NOT EXISTS changes nothing, and a full disk
 * truncated it.
 */
async function refitFrames(connection: Connection, database: string): Promise<void> {
  const named = (table: string) =>
    `SELECT 1 FROM system.${table} WHERE database = {database:String} AND table = 'events' AND name = 'frames'`
  for (const [table, step] of [
    ['columns', `ADD COLUMN IF NOT EXISTS ${framesColumn} AFTER digest`],
    ['data_skipping_indices', framesIndex.replace('INDEX', 'ADD INDEX IF NOT EXISTS')],
  ] as const) {
    const found = await connection.rows(named(table), { database })
    if (found.length > 0) continue
    await connection.command(`ALTER TABLE ${database}.events ${step}`, {}, { seconds: workSeconds })
  }
}

/** Gives columns of an older table their small blocks. Only the definition changes; the check comes first, as above. */
async function refitBlocks(connection: Connection, database: string): Promise<void> {
  const [table] = await connection.rows<{ made: string }>(
    "SELECT create_table_query AS made FROM system.tables WHERE database = {database:String} AND name = 'events'",
    { database },
  )
  const names = Object.keys(smallBlockColumns) as (keyof typeof smallBlockColumns)[]
  const steps = names.map(smallBlockColumn).filter((column) => !table?.made.includes(column.replace(' ', '` ')))
  if (steps.length === 0) return
  const sql = `ALTER TABLE ${database}.events ${steps.map((column) => `MODIFY COLUMN ${column}`).join(', ')}`
  await connection.command(sql, {}, { seconds: workSeconds })
}

type Later = readonly { name: string; type: string }[]

/**
 * Adds the later columns and indexes to an older table. Only the definition changes: their defaults compute the
 * values of existing rows, and merges build the indexes. The check comes first, as for `frames`.
 */
async function refitLater(
  connection: Connection,
  database: string,
  { table, laterColumns, laterIndexes }: { table: string; laterColumns: Later; laterIndexes: Later },
): Promise<void> {
  const found = await connection.rows<{ name: string }>(
    'SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String}',
    { database, table },
  )
  const names = new Set(found.map(({ name }) => name))
  const indexed = new Set(
    (
      await connection.rows<{ name: string }>(
        'SELECT name FROM system.data_skipping_indices WHERE database = {database:String} AND table = {table:String}',
        { database, table },
      )
    ).map(({ name }) => name),
  )
  const columns = laterColumns.filter(({ name }) => !names.has(name))
  const indexes = laterIndexes.filter(({ name }) => !indexed.has(name))
  const steps = [
    ...columns.map(({ name, type }) => `ADD COLUMN IF NOT EXISTS ${name} ${type}`),
    ...indexes.map(({ name, type }) => `ADD INDEX IF NOT EXISTS ${name} ${type}`),
  ]
  if (steps.length === 0) return
  await connection.command(`ALTER TABLE ${database}.${table} ${steps.join(', ')}`, {}, { seconds: workSeconds })
}

/**
 * Moves the hours of `issue_hour`, which had neither days nor weeks, into `issue_time`. Nothing is inserted meanwhile.
 * An interrupted move starts over. A table that a power cut restored has nothing new and is dropped.
 */
async function moveHours(connection: Connection, database: string): Promise<void> {
  const run = (sql: string) => connection.command(sql, {}, { seconds: workSeconds })
  // Must run before any insert: a view without its table makes every insert fail.
  await run(`DROP VIEW IF EXISTS ${database}.issue_hour_feed`)
  const [old] = await connection.rows(
    "SELECT 1 FROM system.tables WHERE database = {database:String} AND name = 'issue_hour'",
    { database },
  )
  if (!old) return
  const [from, to] = [`${database}.issue_hour`, `${database}.issue_time`]
  const sumOf = (table: string) => `(SELECT sum(n) FROM ${table})`
  const [state] = await connection.rows<{ moved: number }>(
    `SELECT ${[0, 1, 2, 3, 4, 5].map((span) => `${sumOf(`${to} WHERE span = ${span}`)} >= ${sumOf(from)}`).join(' AND ')} AS moved`,
    {},
    { seconds: workSeconds },
  )
  if (!state?.moved) {
    await run(`TRUNCATE TABLE ${to}`)
    const weeks = await connection.rows<{ week: string }>(`SELECT DISTINCT toString(week) AS week FROM ${from}`)
    for (const { week } of weeks) {
      const rows = `${rollupKeys}, n, first_at, last_at, users`
      const where = `week = toDate('${week}')`
      await run(`INSERT INTO ${to} (${rows}) SELECT ${rows} FROM ${from} WHERE ${where} ${smallBlocks}`)
      for (const item of [...longer, ...ofProject]) await run(`${derivedRows(database, item, where)} ${smallBlocks}`)
    }
  }
  await run(`DROP TABLE ${from}`)
}

/** Throws STORE_UNAVAILABLE for an old server. It may have been away when the start checked it. */
async function demandVersion(connection: Connection): Promise<void> {
  const [found] = await connection.rows<{ version: string }>('SELECT version() AS version')
  if (!isRecent(found?.version ?? ''))
    throw new MishapError('STORE_UNAVAILABLE', {
      detail: `The ClickHouse server has version ${found?.version}. Mishap needs ${oldestVersion} or newer.`,
    })
}

/**
 * Adds the rows of whole projects to an older `issue_time`, and replaces the view, which did not write them. Nothing is
 * inserted meanwhile. The view changes last, so an interrupted start repeats the work and continues where it ended.
 */
async function addProjects(connection: Connection, database: string): Promise<void> {
  const [view] = await connection.rows<{ made: string }>(
    "SELECT create_table_query AS made FROM system.tables WHERE database = {database:String} AND name = 'issue_time_feed'",
    { database },
  )
  if (view?.made.includes(`span < ${projectSpan}`)) return
  const projects = await connection.rows<{ id: string }>(`SELECT DISTINCT project_id AS id FROM ${database}.hour_issue`)
  const projectIds = projects.map(({ id }) => Number(id))
  await recountProjects(connection, database, { projectIds, seconds: workSeconds })
  await connection.command(`DROP VIEW IF EXISTS ${database}.issue_time_feed`, {}, { seconds: workSeconds })
  await connection.command(rollupView(database, 'issue_time'), {}, { seconds: workSeconds })
}

/** Creates the database. A server's user usually may not, and does not have to if it exists. */
async function createDatabase(connection: Connection, database: string): Promise<void> {
  if (connection.kind.isRemote) {
    const found = await connection.rows('SELECT 1 FROM system.databases WHERE name = {database:String}', { database })
    if (found.length > 0) return
  }
  await connection.command(`CREATE DATABASE IF NOT EXISTS ${database} ENGINE = Atomic`)
}

/**
 * See `EventStore.migrate`. `installation` is written into the database of a server (`claim`). Statements of an earlier
 * process are ended first.
 */
export async function migrate(connection: Connection, database: string, installation: string): Promise<void> {
  const { kind } = connection
  if (kind.isRemote) await demandVersion(connection)
  await connection.endEarlier()
  // A killed export of rows leaves the merges of the embedded engine stopped.
  if (!kind.isRemote) await connection.command('SYSTEM START MERGES')
  await createDatabase(connection, database)
  if (kind.isRemote) {
    await connection.command(controlTable(database, kind.engines.rows))
    await claim(connection, database, installation)
  }
  for (const statement of tableNames.flatMap((name) => tables[name].ddl(database, kind)))
    await connection.command(statement, {}, { seconds: workSeconds })
  await moveHours(connection, database)
  await addProjects(connection, database)
  await refitHours(connection, database)
  await refitFrames(connection, database)
  await refitBlocks(connection, database)
  for (const later of [
    { table: 'spans', laterColumns: laterSpanColumns, laterIndexes: laterSpanIndexes },
    { table: 'logs', laterColumns: laterLogColumns, laterIndexes: laterLogIndexes },
  ])
    await refitLater(connection, database, later)
  await addSpanRollup(connection, database)
  await addSegments(connection, database)
  await addLogRollup(connection, database)
  await refitSettings(connection, database)
  await refitIndexes(connection, database)
}
