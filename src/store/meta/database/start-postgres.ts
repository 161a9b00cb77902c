import { MishapError } from '../../../base/errors.ts'
import type { PostgresAddress } from '../../../base/postgres-url.ts'
import { postgresDialect } from './dialect.ts'
import { migrate } from './migrate.ts'
import { NoServer } from './postgres/server-client.ts'
import { tlsOptions } from './postgres/tls.ts'
import { openPostgres, type PostgresConnection } from './postgres.ts'

/** `name` names this process in the server's list of connections. `schema`: of the tables, usually `public`. */
type Opening = { name: string; schema?: string }

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

/**
 * Opens a connection at a start. Throws START_DATABASE if the database cannot be used and waiting does not help, with the
 * reason for each host; DATABASE_UNAVAILABLE while no server answers.
 */
export async function startPostgresConnection(
  address: PostgresAddress,
  { name, schema }: Opening,
): Promise<PostgresConnection> {
  checkCertificates(address)
  try {
    return await openPostgres(address, { name, ...(schema === undefined ? {} : { schema }) })
  } catch (error) {
    throw startFailure(error)
  }
}

/** Opens a connection and migrates its database. Throws like `startPostgresConnection`, and START_NEWER_DATA. */
export async function startMigrated(
  address: PostgresAddress,
  opening: Opening,
  nowMs: number,
): Promise<PostgresConnection> {
  const connection = await startPostgresConnection(address, opening)
  try {
    await migrate(connection, postgresDialect(), nowMs)
    return connection
  } catch (error) {
    await connection.close()
    throw startFailure(error)
  }
}
