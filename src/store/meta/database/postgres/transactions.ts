import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../../../../base/clock.ts'
import { MishapError } from '../../../../base/errors.ts'
import { isAnswer, isAway, isConflict, postgresFailure } from './failures.ts'
import type { Pool } from './pool.ts'
import { NoServer, type ServerClient, type ServerQuery, type ServerResult } from './server-client.ts'

/** How often a transaction runs at most. Conflicts are rare: one process writes, one transaction at a time. */
const runsMax = 8
const shortestPauseMs = 5
const longestPauseMs = 400
/** How long a commit of unknown outcome is looked up: longer than a promotion (50 s with pg_auto_failover). */
const settleMs = 90_000
const settlePauseMs = 200

/**
 * A running transaction. `mustRepeat`: a conflict or a lost connection, also one that its work swallowed. `aborted`: the
 * first error since its start or its last savepoint; PostgreSQL refuses everything after it.
 */
type Running = { client: ServerClient; isOpen: boolean; writes: boolean; mustRepeat?: unknown; aborted?: unknown }

export type PostgresTransactions = {
  /** Runs a read inside the current transaction, or on any connection. */
  read<T>(work: (client: ServerClient) => Promise<T>): Promise<T>
  /** Runs a write inside the current transaction, or in one of its own. */
  write<T>(work: (client: ServerClient) => Promise<T>): Promise<T>
  transaction<T>(work: () => Promise<T>): Promise<T>
  /** Runs SQL text in the current transaction, or in one of its own. */
  script(text: string): Promise<void>
}

type Options = { clock: Clock; pool: Pool; connect(): Promise<ServerClient>; instance: string }

/** The transaction was sent to commit, and its connection was lost before the answer. */
class UnknownCommit extends Error {
  readonly number: number
  readonly pid: number
  constructor(number: number, pid: number, cause: unknown) {
    super('the connection was lost during a commit', { cause })
    this.number = number
    this.pid = pid
  }
}

const takenOver = () =>
  new MishapError('DATABASE_UNAVAILABLE', {
    detail: 'Another Mishap has taken over this database. This one cannot write.',
  })

/** Ends a process of the server if it is one of ours. */
const endText =
  "select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and application_name = current_setting('application_name')"
/** The database was asked and does not answer. */
const isSilent = (error: unknown) => isAway(error) || error instanceof NoServer

/**
 * Returns whether a commit of unknown outcome took place. First the server's process of its connection must be gone,
 * so that it cannot commit later. Then the row of `writer` tells: each commit also writes its number there. Unlike
 * pg_xact_status, this is also right on a promoted standby, which can use the id of a lost transaction again. Throws
 * DATABASE_UNKNOWN if no server answers for 90 s.
 */
async function settle({ clock, connect, instance }: Options, { number, pid }: UnknownCommit): Promise<boolean> {
  let reason: unknown
  for (let waitedMs = 0; waitedMs < settleMs; waitedMs += settlePauseMs) {
    let client: ServerClient | undefined
    try {
      client = await connect()
      const { rows: alive } = await client.query({ text: endText, values: [pid] })
      if (alive.length === 0) {
        const { rows } = await client.query({ text: 'select instance, number from writer where id = 1' })
        const [row] = rows as { instance: string; number: number }[]
        if (row?.instance !== instance) throw takenOver()
        return row.number === number
      }
    } catch (error) {
      if (!isSilent(error)) throw error
      reason = error
    } finally {
      await client?.end()
    }
    await clock.sleep(settlePauseMs)
  }
  throw new MishapError('DATABASE_UNKNOWN', { causes: [String(reason)] })
}

/** The commit also writes its number, if this process is still the writer; the division by zero stops it otherwise. */
const commitText = (instance: string, number: number) =>
  `with mark as (update writer set number = ${number} where id = 1 and instance = '${instance}' returning 1) select 1 / count(*) from mark; commit`
const divisionByZero = '22012'

/** The transaction was rolled back and can run again. */
class Repeatable extends Error {}

/** Commits a transaction. Throws UnknownCommit if the connection is lost meanwhile. */
async function commit({ client, writes }: Running, instance: string, number: number): Promise<void> {
  try {
    await client.script(writes ? commitText(instance, number) : 'commit')
  } catch (error) {
    if ((error as { code?: string }).code === divisionByZero) throw takenOver()
    // Without an answer of the server, only the database knows. What only read is done in any case.
    if (!isAnswer(error)) {
      if (writes) throw new UnknownCommit(number, client.pid, error)
      return client.discard()
    }
    if (isConflict(error) || isAway(error)) throw new Repeatable('', { cause: error })
    throw error
  }
}

/** Makes a function that runs works one after the other. */
function createLock(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}

/** Runs `statement` in a transaction and remembers the failures that end it. */
async function inside<T>(running: Running, statement: (client: ServerClient) => Promise<T>): Promise<T> {
  if (!running.isOpen) throw new Error('a statement was not awaited by its transaction')
  try {
    return await statement(running.client)
  } catch (error) {
    if (isConflict(error) || isAway(error)) running.mustRepeat ??= error
    running.aborted ??= error
    // 25P02 only says that there was an error before.
    throw (error as { code?: string }).code === '25P02' ? running.aborted : error
  }
}

/** Runs `work` once between begin and commit, or rolls back. Throws Repeatable for a conflict or a lost connection. */
async function runOnce<T>(
  { pool, instance }: Options,
  current: AsyncLocalStorage<Running>,
  number: number,
  work: () => Promise<T>,
): Promise<T> {
  return pool.use(async (client) => {
    const running: Running = { client, isOpen: true, writes: false }
    try {
      await inside(running, () => client.script('begin isolation level serializable'))
      const result = await current.run(running, work)
      running.isOpen = false
      if (running.aborted) throw running.aborted
      await commit(running, instance, number)
      return result
    } catch (error) {
      running.isOpen = false
      if (error instanceof UnknownCommit || !client.isUsable()) client.discard()
      else await client.script('rollback').catch(() => client.discard())
      throw running.mustRepeat ? new Repeatable('', { cause: running.mustRepeat }) : error
    }
  })
}

/** Runs a read on any connection. It can be repeated: a connection is often lost while it waits in the pool. */
export const reader =
  (pool: Pool): PostgresTransactions['read'] =>
  async (work) => {
    try {
      return await pool.use(work).catch((error: unknown) => {
        if (isAway(error)) return pool.use(work)
        throw error
      })
    } catch (error) {
      throw postgresFailure(error)
    }
  }

/**
 * Transactions of PostgreSQL by the rules of SQLite's: one write transaction at a time, so that conflicts are rare and
 * ids are committed in their order. They are SERIALIZABLE, because statements outside and other programs can interfere.
 */
export function createPostgresTransactions(options: Options): PostgresTransactions {
  const { clock, pool } = options
  const current = new AsyncLocalStorage<Running>()
  const exclusive = createLock()
  const read = reader(pool)
  let lastNumber = 0

  /** Runs `work` until it is committed or fails for a reason of its own. */
  const committed = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let runs = 1; ; runs++) {
      const number = ++lastNumber
      const done: { result?: T } = {}
      try {
        return await runOnce(options, current, number, async () => (done.result = await work()))
      } catch (error) {
        if (error instanceof UnknownCommit) {
          if (await settle(options, error)) return done.result as T
        } else if (!(error instanceof Repeatable)) throw postgresFailure(error)
        if (runs >= runsMax) throw postgresFailure(error.cause)
        const longestMs = Math.min(longestPauseMs, shortestPauseMs * 2 ** runs)
        await clock.sleep(longestMs * (0.5 + Math.random() / 2))
      }
    }
  }
  const transaction = <T>(work: () => Promise<T>) => exclusive(() => committed(work))
  const write: PostgresTransactions['write'] = async (work) => {
    const running = current.getStore()
    if (!running) return transaction(() => write(work))
    running.writes = true
    return inside(running, work)
  }
  return {
    read: async (work) => {
      const running = current.getStore()
      return running ? inside(running, work) : read(work)
    },
    write,
    transaction: async (work) => {
      if (current.getStore()) throw new Error('a transaction cannot be nested')
      return transaction(work)
    },
    script: async (text) => {
      await write((client) => client.script(text))
      const running = current.getStore()
      if (running && /^\s*rollback to\b/i.test(text)) delete running.aborted
    },
  }
}

/** Runs one statement. */
export const execute =
  (query: ServerQuery) =>
  (client: ServerClient): Promise<ServerResult> =>
    client.query(query)
