import type { Clock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import type { PostgresAddress } from '../../base/postgres-url.ts'
import { postgresDialect } from './database/dialect.ts'
import { migrate } from './database/migrate.ts'
import { openPostgres, type PostgresConnection } from './database/postgres.ts'
import { NoServer } from './database/postgres/server-client.ts'
import { tlsOptions } from './database/postgres/tls.ts'
import { postgresCopies } from './database/postgres/copies.ts'
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
  new MishapError('START_DATABASE', { detail: `The database in MISHAP_META cannot be used. ${causes.join(' ')}`, causes })

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
 * Opens or creates the meta store in a PostgreSQL database. Throws START_DATABASE if it cannot be used and waiting does
 * not help, with the reason for each host; START_NEWER_DATA when a newer version wrote it; DATABASE_UNAVAILABLE while no
 * server answers.
 */
export async function openPostgresMeta(address: PostgresAddress, options: Options): Promise<MetaStore> {
  const { clock, name, schema } = options
  checkCertificates(address)
  const dialect = postgresDialect()
  let write: PostgresConnection | undefined
  try {
    write = await openPostgres(address, { name, ...(schema === undefined ? {} : { schema }) })
    await migrate(write, dialect, clock.now())
  } catch (error) {
    await write?.close()
    throw startFailure(error)
  }
  const { reads: read, close } = write
  return { ...metaParts({ write, read, dialect, clock }, postgresCopies(write)), close }
}
