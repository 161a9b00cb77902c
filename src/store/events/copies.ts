import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import { archivedTables, exportRows, holdsRows, importRows } from './backup/rows-archive.ts'
import type { Connection } from './connection.ts'
import type { EventStore } from './event-store.ts'
import { rollupFeeds } from './schema/rollups.ts'
import { rowsByTable, type TableName } from './tables.ts'

type CopyPart = Pick<EventStore, 'backup' | 'copying' | 'restore' | 'exportRows'>

type CopyOptions = {
  database: string
  clock: Clock
  /** Destination of a server's own backups, such as `Disk('backups')`; empty: none. */
  target: string
  migrate(): Promise<void>
}

/** Limit for an unresponsive disk. A backup of ten million rows took a minute. */
const workSecondsMax = 3600
const pollMs = 50
/** Names of a backup in the engine's backup folder or on a target. They need no quotes. */
const nameForm = /^[\w-]{1,100}$/
/** Says where a server wrote its part of a backup. */
const targetFile = 'target.json'
const targetShape = z.object({ name: z.string().regex(nameForm), database: z.string().regex(/^\w{1,61}$/) })

/**
 * Returns the destination of one backup on a target: `Disk('backups')` becomes `Disk('backups', 'NAME')`, and
 * `S3('URL', 'KEY', 'SECRET')` becomes `S3('URL/NAME', 'KEY', 'SECRET')`.
 */
export function destinationOn(target: string, name: string): string {
  const literals = [...target.matchAll(/'([^'\\]*)'/g)].map((match) => match[1] ?? '')
  const [first = '', second, ...rest] = literals
  const list = target.startsWith('S3')
    ? [`${first.replace(/\/$/, '')}/${name}`, ...(second === undefined ? [] : [second]), ...rest]
    : [first, second === undefined ? name : `${second.replace(/\/$/, '')}/${name}`]
  return `${target.slice(0, target.indexOf('('))}(${list.map((text) => `'${text}'`).join(', ')})`
}

/** Runs a BACKUP or RESTORE in the background and polls: a request as long as a large copy would hit several time-outs. */
async function runCopy(
  connection: Connection,
  clock: Clock,
  statement: string,
  name: string,
  settings = '',
): Promise<void> {
  if (!nameForm.test(name)) throw new Error(`not a name of a backup: ${name}`)
  const id = `${name}-${clock.now()}`
  await connection.command(`${statement} SETTINGS ${settings}id = '${id}' ASYNC`, {}, { seconds: workSecondsMax })
  for (const endMs = clock.now() + workSecondsMax * 1000; clock.now() < endMs; ) {
    const [row] = await connection.rows<{ status: string; error: string }>(
      'SELECT toString(status) AS status, error FROM system.backups WHERE id = {id:String}',
      { id },
    )
    if (row?.status === 'BACKUP_CREATED' || row?.status === 'RESTORED') return
    if (row && /FAILED|CANCELLED/.test(row.status)) throw new Error(row.error.slice(0, 500))
    await clock.sleep(pollMs)
  }
  throw new Error('The copy of the events did not end in time.')
}

/** Tables that are not stored tables: the gathering of closed days, and the owner and fences of a server's database. */
const ownTables = ['sessions_rollup', 'control']

/** Returns the rows of each table of a database. */
async function countRows(connection: Connection, database: string): Promise<Record<TableName, number>> {
  const found = await connection.rows<{ table: string; rows: string }>(
    'SELECT table, sum(rows) AS rows FROM system.parts WHERE active AND database = {database:String} GROUP BY table',
    { database },
  )
  return rowsByTable(found.map(({ table, rows }) => ({ table, rows: Number(rows) })))
}

/** Returns whether a folder is a copy that the embedded engine wrote itself. Only such an engine can read it. */
export const isEngineCopy = async (folder: string): Promise<boolean> =>
  !(await holdsRows(folder)) &&
  access(join(folder, targetFile)).then(
    () => false,
    () => true,
  )

type Restores = {
  /** Inserts the rows of files into a store without rows. */
  insertRows(folder: string, clear: boolean): Promise<void>
  /** Lets a server read a copy on its target. `text` names the copy. */
  fromTarget(text: string, clear: boolean): Promise<void>
}

/** The restores that begin with an empty database of this version. */
function createRestores(connection: Connection, { database, clock, target, migrate }: CopyOptions): Restores {
  const dropViews = async () => {
    for (const view of rollupFeeds) await connection.command(`DROP VIEW IF EXISTS ${database}.${view}`)
  }
  const truncate = async () => {
    for (const table of archivedTables) await connection.command(`TRUNCATE TABLE ${database}.${table}`)
  }

  /** Creates the tables of this version. Throws VALIDATION if they have rows. */
  async function demandEmpty(clear: boolean): Promise<void> {
    await migrate()
    if (clear) await truncate()
    const rows = Object.values(await countRows(connection, database)).reduce((sum, count) => sum + count, 0)
    if (rows > 0)
      throw new MishapError('VALIDATION', {
        detail: `The database ${database} of the events store holds ${rows} rows already. Restore into an empty one.`,
      })
  }

  return {
    async insertRows(folder, clear) {
      await demandEmpty(clear)
      // The rollups are rows of the copy. Their views would count the events again.
      await dropViews()
      try {
        await importRows(connection, folder)
      } catch (error) {
        // Otherwise the next try would find a database with rows.
        await truncate().catch(() => undefined)
        throw error
      }
      await migrate()
    },
    async fromTarget(text, clear) {
      const { name, database: source } = targetShape.parse(JSON.parse(text))
      if (!connection.kind.isRemote || target === '') throw new MishapError('BACKUP_NO_TARGET')
      await demandEmpty(clear)
      // The copy has the tables, their views and the owner of the database.
      await dropViews()
      for (const table of [...archivedTables, ...ownTables])
        await connection.command(`DROP TABLE IF EXISTS ${database}.${table} SYNC`)
      const as = source === database ? '' : ` AS ${database}`
      const statement = `RESTORE DATABASE ${source}${as} FROM ${destinationOn(target, name)}`
      // The database exists: the user may not create a database.
      await runCopy(connection, clock, statement, name, "create_database = 'must-exist', ")
    },
  }
}

/** Creates backup and restore of the whole database. */
export function createCopies(connection: Connection, options: CopyOptions): CopyPart {
  const { database, clock, target } = options
  const { isRemote } = connection.kind
  const { insertRows, fromTarget } = createRestores(connection, options)
  const run = (statement: string, name: string) => runCopy(connection, clock, statement, name)

  return {
    async backup(name, folder) {
      if (!isRemote) {
        await run(`BACKUP DATABASE ${database} TO File('${name}')`, name)
        return countRows(connection, database)
      }
      if (target === '') return exportRows(connection, database, folder)
      await run(`BACKUP DATABASE ${database} TO ${destinationOn(target, name)}`, name)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(join(folder, targetFile), JSON.stringify({ name, database }), { mode: 0o600 })
      return countRows(connection, database)
    },
    async copying() {
      if (isRemote && target === '') return false
      const [row] = await connection.rows<{ n: string }>(
        `SELECT count() AS n FROM system.backups WHERE status = 'CREATING_BACKUP'`,
      )
      return Number(row?.n ?? 0) > 0
    },
    async restore(name, folder, clear) {
      const onTarget = await readFile(join(folder, targetFile), 'utf8').catch(() => undefined)
      if (onTarget !== undefined) return fromTarget(onTarget, clear)
      if (await holdsRows(folder)) return insertRows(folder, clear)
      if (isRemote) throw new Error('a copy of the embedded store has to be converted first')
      await run(`RESTORE DATABASE ${database} FROM File('${name}')`, name)
    },
    exportRows: (folder) => exportRows(connection, database, folder),
  }
}
