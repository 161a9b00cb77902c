import type { Clock } from '../../base/clock.ts'
import type { PostgresAddress } from '../../base/postgres-url.ts'
import { postgresDialect } from './database/dialect.ts'
import { loadSqlite, postgresCopies } from './database/postgres-copies.ts'
import { startMigrated, startPostgresConnection } from './database/start-postgres.ts'
import type { MetaStore } from './meta-store.ts'
import { metaParts } from './parts.ts'

type Options = {
  clock: Clock
  /** Names this process in the server's list of connections. */
  name: string
  /** The schema of the tables; by default the one of the server, usually `public`. */
  schema?: string
}

type Opening = Pick<Options, 'name' | 'schema'>

/**
 * Opens or creates the meta store in a PostgreSQL database. Throws START_DATABASE if it cannot be used and waiting does
 * not help, with the reason for each host; START_NEWER_DATA when a newer version wrote it; DATABASE_UNAVAILABLE while no
 * server answers.
 */
export async function openPostgresMeta(address: PostgresAddress, options: Options): Promise<MetaStore> {
  const write = await startMigrated(address, options, options.clock.now())
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
  const connection = await startMigrated(address, opening, 0)
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
  const connection = await startPostgresConnection(address, opening)
  try {
    await postgresCopies(connection).copyTo(file)
  } finally {
    await connection.close()
  }
}
