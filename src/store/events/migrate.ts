import type { Connection } from './connection.ts'
import { framesColumn, framesIndex, lookupGranules, lookupIndex } from './schema/events.ts'
import { longer, longerRows, rollupKeys } from './schema/rollups.ts'
import { olderTables, settingsOf } from './schema/settings.ts'
import { tableNames, tables, withDerived } from './tables.ts'

const workSeconds = 3600
/** States of users have up to 2.5 kB each: blocks of the usual size took 600 MB. */
const smallBlocks = `SETTINGS max_threads = 1, max_block_size = 2048, min_insert_block_size_rows = 20000, insert_deduplicate = 0`

/** Gives tables that an older version made the settings that it did not know. */
async function refitSettings(connection: Connection, database: string): Promise<void> {
  const older = await connection.rows<{ name: string }>(olderTables(tableNames.flatMap(withDerived)), { database })
  for (const { name } of older)
    await connection.command(
      `ALTER TABLE ${database}.${name} MODIFY SETTING ${settingsOf(name)}`,
      {},
      { seconds: workSeconds },
    )
}

/** Gives an older table the look-up indexes of today; they are built in the engine's background. */
async function refitIndexes(connection: Connection, database: string): Promise<void> {
  const found = await connection.rows<{ name: string; granularity: string }>(
    "SELECT name, granularity FROM system.data_skipping_indices WHERE database = {database:String} AND table = 'events'",
    { database },
  )
  for (const name of ['event_id', 'trace_id', 'digest'] as const) {
    const index = found.find((item) => item.name === name)
    if (Number(index?.granularity) === lookupGranules) continue
    const steps = [...(index ? [`DROP INDEX ${name}`] : []), `ADD ${lookupIndex(name)}`, `MATERIALIZE INDEX ${name}`]
    // Not waited for: of ten million events the first step alone took 46 s, and look-ups go without an index meanwhile.
    for (const step of steps)
      await connection.command(
        `ALTER TABLE ${database}.events ${step} SETTINGS alter_sync = 0, mutations_sync = 0`,
        {},
        { seconds: workSeconds },
      )
  }
}

/**
 * Gives an older table the column of frames, empty in the rows that are there, and its index. Both are said in the table's
 * definition alone: nothing is written anew, as nothing of the older rows would be found. A table that has both is left
 * alone: the engine writes the definition even where IF NOT EXISTS changes nothing, and on a full disk it was cut off.
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

/**
 * Brings the hours of `issue_hour`, which had neither days nor weeks, into `issue_time`. Nothing is inserted meanwhile. Broken off, it is
 * done again from the start; a table that a power cut brought back holds no more than was brought over, and goes.
 */
async function moveHours(connection: Connection, database: string): Promise<void> {
  const run = (sql: string) => connection.command(sql, {}, { seconds: workSeconds })
  // Before anything is inserted: a view without its table would refuse every insert.
  await run(`DROP VIEW IF EXISTS ${database}.issue_hour_feed`)
  const [old] = await connection.rows(
    "SELECT 1 FROM system.tables WHERE database = {database:String} AND name = 'issue_hour'",
    { database },
  )
  if (!old) return
  const [from, to] = [`${database}.issue_hour`, `${database}.issue_time`]
  const sumOf = (table: string) => `(SELECT sum(n) FROM ${table})`
  const [state] = await connection.rows<{ moved: number }>(
    `SELECT ${[0, 1, 2].map((span) => `${sumOf(`${to} WHERE span = ${span}`)} >= ${sumOf(from)}`).join(' AND ')} AS moved`,
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
      for (const item of longer) await run(`${longerRows(to, item, where)} ${smallBlocks}`)
    }
  }
  await run(`DROP TABLE ${from}`)
}

/** See `EventStore.migrate`. */
export async function migrate(connection: Connection, database: string): Promise<void> {
  await connection.command(`CREATE DATABASE IF NOT EXISTS ${database} ENGINE = Atomic`)
  for (const statement of tableNames.flatMap((name) => tables[name].ddl(database)))
    await connection.command(statement, {}, { seconds: workSeconds })
  await moveHours(connection, database)
  await refitFrames(connection, database)
  await refitSettings(connection, database)
  await refitIndexes(connection, database)
}
