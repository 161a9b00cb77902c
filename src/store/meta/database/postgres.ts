import { randomUUID } from 'node:crypto'
import type { Compilable, CompiledQuery } from 'kysely'
import { type Clock, systemClock } from '../../../base/clock.ts'
import type { PostgresAddress } from '../../../base/postgres-url.ts'
import type { Connection, PreparedQuery } from './connection.ts'
import { takeOwnership } from './postgres/ownership.ts'
import { createPool } from './postgres/pool.ts'
import { connectToPrimary, type ServerQuery } from './postgres/server-client.ts'
import { createPostgresTransactions, execute, type PostgresTransactions, reader } from './postgres/transactions.ts'
import { Slot } from './slot.ts'

/** A connection to PostgreSQL. */
export type PostgresConnection = Connection & {
  /** Never joins a transaction of this connection, like the second connection to a SQLite file. */
  reads: Connection
  /** Runs `work` with a connection that reads one snapshot of the database. */
  snapshot<T>(work: (reads: Connection) => Promise<T>): Promise<T>
}

type Options = {
  /** Names this process in the server's list of connections. */
  name: string
  /** The schema of the tables; by default the server's choice, usually `public`. */
  schema?: string
  clock?: Clock
}

/** Whether a compiled query changes rows. Raw SQL counts as a change unless it begins with `select`. */
const writes = ({ query, sql }: CompiledQuery): boolean =>
  query === undefined || query.kind === 'RawNode' ? !/^\s*select\b/i.test(sql) : query.kind !== 'SelectQueryNode'

type Runner = Pick<PostgresTransactions, 'read' | 'write'>

/** Returns `prepared` of a connection: the query is compiled once, and each server connection parses it once. */
function preparing(runner: Runner, nextName: () => string): Connection['prepared'] {
  return <P, R>(build: (slot: <K extends keyof P & string>(name: K) => P[K]) => Compilable<R>): PreparedQuery<P, R> => {
    const compiled = build((name) => new Slot(name) as never).compile()
    const name = nextName()
    const run = async (values: P) => {
      const query: ServerQuery = {
        text: compiled.sql,
        name,
        values: compiled.parameters.map((parameter) =>
          parameter instanceof Slot ? values[parameter.name as keyof P] : parameter,
        ),
      }
      return (writes(compiled) ? runner.write : runner.read)(execute(query))
    }
    return {
      all: async (values) => (await run(values)).rows as R[],
      get: async (values) => (await run(values)).rows[0] as R | undefined,
      run: async (values) => ({ changes: (await run(values)).changes }),
      each: async (list) => {
        const rows: R[] = []
        for (const values of list) rows.push(...((await run(values)).rows as R[]))
        return rows
      },
    }
  }
}

/** The methods of a connection that run statements. */
function statementsOf(runner: Runner, nextName: () => string): Omit<Connection, 'transaction' | 'close' | 'script'> {
  const run = async (query: Compilable<unknown>) => {
    const compiled = query.compile()
    const statement = execute({ text: compiled.sql, values: [...compiled.parameters] })
    return (writes(compiled) ? runner.write : runner.read)(statement)
  }
  return {
    all: async <R>(query: Compilable<R>) => (await run(query)).rows as R[],
    get: async <R>(query: Compilable<R>) => (await run(query)).rows[0] as R | undefined,
    run: async (query) => ({ changes: (await run(query)).changes }),
    statement: (text, parameters) => {
      const isRead = /^\s*select\b/i.test(text)
      return (isRead ? runner.read : runner.write)(execute({ text, values: [...parameters], isPlain: true }))
    },
    prepared: preparing(runner, nextName),
  }
}

/** Makes a connection that refuses every change. */
function readOnly(read: PostgresTransactions['read'], nextName: () => string): Connection {
  const refuse = async () => {
    throw new Error('this connection only reads')
  }
  const statements = statementsOf({ read, write: refuse }, nextName)
  return { ...statements, script: refuse, transaction: refuse, close: async () => undefined }
}

/**
 * Opens a PostgreSQL database and makes this process its only Mishap. Finds the host that accepts writes, and finds it
 * again after a failover. Transactions are SERIALIZABLE; a conflict, or a connection lost before the commit, runs them
 * again. Throws NoServer if no host can be used, START_DATABASE if another Mishap uses the database, and the server's
 * error if this user cannot create tables. Later, statements throw DATABASE_UNAVAILABLE while no server answers.
 */
export async function openPostgres(address: PostgresAddress, options: Options): Promise<PostgresConnection> {
  const { clock = systemClock, schema } = options
  const instance = randomUUID()
  // The server shortens longer names and replaces other characters; the name must stay unique.
  const name = `${options.name.replace(/[^ -~]/g, '?').slice(0, 48)} ${instance.slice(0, 8)}`
  const connect = () => connectToPrimary(address, { name, schema })
  const pool = createPool(connect, address.pool)
  const ownership = await takeOwnership({ clock, connect, instance, name, lost: pool.reset })
  const transactions = createPostgresTransactions({ clock, pool, connect, instance })
  let statements = 0
  const nextName = () => `s${++statements}`
  const close = async () => {
    await pool.close()
    await ownership.close()
  }
  const reading = (read: PostgresTransactions['read']) => readOnly(read, nextName)
  const snapshot: PostgresConnection['snapshot'] = (work) =>
    pool.use(async (client) => {
      await client.script('begin isolation level repeatable read read only')
      try {
        return await work(reading((statement) => statement(client)))
      } finally {
        await client.script('rollback').catch(() => client.discard())
      }
    })
  const { transaction, script } = transactions
  return { ...statementsOf(transactions, nextName), transaction, script, close, snapshot, reads: reading(reader(pool)) }
}
