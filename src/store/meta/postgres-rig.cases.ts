import type { Clock } from '../../base/clock.ts'
import { parsePostgresUrl } from '../../base/postgres-url.ts'
import { postgresDialect } from './database/dialect.ts'
import { migrate } from './database/migrate.ts'
import { startPostgres } from './database/postgres/server.cases.ts'
import { openPostgres } from './database/postgres.ts'
import { postgresCopies } from './database/postgres-copies.ts'
import type { MetaStore } from './meta-store.ts'
import { metaParts } from './parts.ts'

/**
 * Empties all tables and restarts all ids. A database per test, copied from a template, would take a second each (340
 * tests); deleting from tables that are mostly empty takes some milliseconds.
 */
const reset = `do $$
declare found record;
begin
  set local session_replication_role = replica;
  for found in select c.oid::regclass as place, c.relkind as kind from pg_class c
    where c.relkind in ('r', 'S') and c.relnamespace = current_schema()::regnamespace and c.relname not in ('version', 'writer')
  loop
    if found.kind = 'r' then execute format('delete from %s', found.place);
    else perform setval(found.place, 1, false);
    end if;
  end loop;
  insert into cursor (id, jpos) values (1, 0), (2, 0);
end $$`

export type PostgresRig = {
  /** Returns an empty meta store. It is the only one that can be used from then on. */
  open(clock: Clock): Promise<MetaStore>
  close(): Promise<void>
}

/** Starts a PostgreSQL server with one database for meta stores. */
export async function startPostgresRig(): Promise<PostgresRig> {
  const server = await startPostgres()
  await server.sql('postgres', 'create database meta')
  const address = parsePostgresUrl(server.url('meta'))
  if (!address) throw new Error('the URL of the server is malformed')
  const write = await openPostgres(address, { name: 'cases' })
  const dialect = postgresDialect()
  await migrate(write, dialect, 0)
  return {
    open: async (clock) => {
      await write.script(reset)
      return {
        ...metaParts({ write, read: write.reads, dialect, clock }, postgresCopies(write)),
        close: async () => {},
      }
    },
    close: async () => {
      await write.close()
      await server.remove()
    },
  }
}
