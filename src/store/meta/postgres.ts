import type { Clock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import type { PostgresAddress } from '../../base/postgres-url.ts'
import { postgresDialect } from './database/dialect.ts'
import { migrate } from './database/migrate.ts'
import { openPostgres, type PostgresConnection } from './database/postgres.ts'
import { NoServer } from './database/postgres/server-client.ts'
import { tlsOptions } from './database/postgres/tls.ts'
import { loadSqlite, postgresCopies } from './database/postgres/copies.ts'
import type { MetaStore } from './meta-store.ts'
import { metaParts } from './parts.ts'

type Options = {
  clock: Clock
  /** Names this process in the server's list of connections. */
  name: string
  /** The schema of the tables; by default the one of the server, usually `public`. */
  schema?: string
}

const refuse = (causes: string[]) =>
  new MishapError('START_DATABASE', { detail: `The database in MISHAP_META cannot be used. ${causes.join(' ')}` })

/** SQLSTATE of a missing right. */
const noRight = '42501'

/** Converts what keeps Mishap from starting, and what waiting does not change, to START_DATABASE. */
function startFailure(error: unknown): unknown {
  if (error instanceof NoServer) return error.isLasting ? refuse(error.causes) : error
  const { code, message } = (error ?? {}) as { code?: string; message?: string }
  if (code === noRight)
    return refuse([
      `The server answers "${message}". Its user needs the rights to connect and to create tables in its schema: grant connect, create on database, and grant usage, create on schema.`,
    ])
  return error
}

/** Throws START_DATABASE if the file with the trusted certificates cannot be read. */
function checkCertificates(address: PostgresAddress): void {
  try {
    tlsOptions(address, 'host')
  } catch (error) {
    throw refuse([`sslrootcert cannot be read: ${error instanceof Error ? error.message : String(error)}.`])
  }
}

type Opening = Pick<Options, 'name' | 'schema'>

/** Opens a connection. Throws like `openPostgresMeta`. */
async function connect(address: PostgresAddress, { name, schema }: Opening): Promise<PostgresConnection> {
  checkCertificates(address)
  try {
    return await openPostgres(address, { name, ...(schema === undefined ? {} : { schema }) })
  } catch (error) {
    throw startFailure(error)
  }
}

/** Opens a connection and migrates its database. Throws like `openPostgresMeta`. */
async function connectMigrated(address: PostgresAddress, opening: Opening, nowMs: number): Promise<PostgresConnection> {
  const connection = await connect(address, opening)
  try {
    await migrate(connection, postgresDialect(), nowMs)
    return connection
  } catch (error) {
    await connection.close()
    throw startFailure(error)
  }
}

/**
 * Opens or creates the meta store in a PostgreSQL database. Throws START_DATABASE if it cannot be used and waiting does
 * not help, with the reason for each host; START_NEWER_DATA when a newer version wrote it; DATABASE_UNAVAILABLE while no
 * server answers.
 */
export async function openPostgresMeta(address: PostgresAddress, options: Options): Promise<MetaStore> {
  const write = await connectMigrated(address, options, options.clock.now())
  const { reads: read, close } = write
  const store = { write, read, dialect: postgresDialect(), clock: options.clock }
  return { ...metaParts(store, postgresCopies(write)), close }
}

/** Fills a database from a SQLite file. */
export type PostgresLoad = {
  /** The database has an organization. */
  isUsed(): Promise<boolean>
  /** Replaces everything by the contents of the file (`:memory:` for nothing), and adds values of the table `value`. */
  replace(file: string, values: Record<string, string>): Promise<void>
}

/** Opens a database for `work`. Throws like `openPostgresMeta`. */
export async function loadPostgres<T>(
  address: PostgresAddress,
  opening: Opening,
  work: (load: PostgresLoad) => Promise<T>,
): Promise<T> {
  const connection = await connectMigrated(address, opening, 0)
  const { builder } = postgresDialect()
  try {
    return await work({
      isUsed: async () =>
        (await connection.get(builder.selectFrom('organization').select('id').limit(1))) !== undefined,
      replace: (file, values) => loadSqlite(file, connection, values),
    })
  } finally {
    await connection.close()
  }
}

/** Copies a database to a new SQLite file. Its schema can be older, and does not change. Throws like `openPostgresMeta`. */
export async function copyPostgres(address: PostgresAddress, opening: Opening, file: string): Promise<void> {
  const connection = await connect(address, opening)
  try {
    await postgresCopies(connection).copyTo(file)
  } finally {
    await connection.close()
  }
}
