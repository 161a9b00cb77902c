import { MishapError } from '../../../base/errors.ts'
import type { Connection, InsertFence } from '../connection.ts'
import { settingsOf } from '../schema/settings.ts'
import { anyTable, type TableName } from '../tables.ts'

/** Fences of a store that this program reaches over a network. The embedded store needs none. */
type Fences = {
  /** Makes inserts of this token, and of tokens that start with `token:`, store nothing if they have not begun yet. */
  raise(token: string): Promise<void>
  /** Returns the check that goes with an insert; undefined for the embedded store. */
  of(table: TableName, token: string): Promise<InsertFence | undefined>
}

/** Fences are only needed while a request can still be on its way. */
const keptDays = 30
/** Raised tokens to remember. At most two batches are in flight. */
const raisedMax = 1000

/**
 * The table of a server's store for this program itself: the installation that owns the database (`owner`), and tokens
 * of inserts that must not begin any more (`fence`).
 */
export const controlTable = (database: string, engine: string): string =>
  `CREATE TABLE IF NOT EXISTS ${database}.control (
  kind LowCardinality(String),
  name String,
  at DateTime('UTC') DEFAULT now()
) ENGINE = ${engine} ORDER BY (kind, name)
TTL at + INTERVAL ${keptDays} DAY DELETE WHERE kind = 'fence'
SETTINGS ${settingsOf('control')}`

/**
 * An insert can reach a server after its sender is gone: the kernel sends what a killed process has written, also after
 * a network failure of minutes. By then a recovery may have asked which rows are stored, and stored the missing ones
 * under a new token. So a recovery writes a fence first, then waits for running inserts (settle.ts). Each insert
 * counts the fences of its token when it begins: it is in the list of running queries by then. An insert of this
 * process that follows a fence of its own expects that fence. One that finds more fences throws.
 */
export function createFences(connection: Connection, database: string): Fences {
  if (!connection.kind.isRemote) return { raise: async () => {}, of: async () => undefined }
  const raised = new Map<string, number>()
  const structures = new Map<TableName, string>()

  async function structureOf(table: TableName): Promise<string> {
    const known = structures.get(table)
    if (known !== undefined) return known
    const found = await connection.rows<{ name: string; type: string }>(
      'SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {table:String}',
      { database, table },
    )
    const types = new Map(found.map(({ name, type }) => [name, type]))
    const { columns } = anyTable(table)
    // The tables do not exist yet, or not as this version needs them.
    if (columns.some((name) => !types.has(name))) throw new MishapError('STORE_UNAVAILABLE')
    const structure = columns.map((name) => `${name} ${types.get(name)}`).join(', ')
    structures.set(table, structure)
    return structure
  }

  return {
    async raise(token) {
      await connection.command(
        `INSERT INTO ${database}.control (kind, name) SELECT 'fence', {token:String} SETTINGS insert_deduplicate = 0`,
        { token },
      )
      const [found] = await connection.rows<{ n: string }>(
        `SELECT count() AS n FROM ${database}.control WHERE kind = 'fence' AND name = {token:String}`,
        { token },
      )
      raised.delete(token)
      raised.set(token, Number(found?.n ?? 0))
      const [oldest] = raised.keys()
      if (raised.size > raisedMax && oldest !== undefined) raised.delete(oldest)
    },
    async of(table, token) {
      const isPart = (name: string) => token === name || token.startsWith(`${name}:`)
      const seen = [...raised].reduce((sum, [name, count]) => (isPart(name) ? sum + count : sum), 0)
      return {
        structure: await structureOf(table),
        condition: `throwIf((SELECT count() FROM ${database}.control WHERE kind = 'fence'
          AND (name = {fenced:String} OR startsWith({fenced:String}, concat(name, ':')))) > {seen:UInt64}, 'fenced') = 0`,
        bound: { fenced: token, seen },
      }
    },
  }
}

/**
 * Marks the database as that of an installation. Throws START_EVENTS_TAKEN if it belongs to another one: two programs
 * that store into one database would mix their positions.
 */
export async function claim(connection: Connection, database: string, installation: string): Promise<void> {
  const owners = () =>
    connection.rows<{ name: string }>(`SELECT name FROM ${database}.control WHERE kind = 'owner' ORDER BY at, name`)
  const [owner] = await owners()
  if (owner?.name === installation) return
  if (!owner) {
    await connection.command(`INSERT INTO ${database}.control (kind, name) SELECT 'owner', {installation:String}`, {
      installation,
    })
    // Both of two programs that start at once see the same first owner.
    if ((await owners())[0]?.name === installation) return
  }
  throw new MishapError('START_EVENTS_TAKEN', {
    detail: `The database ${database} belongs to another installation of Mishap.`,
  })
}
