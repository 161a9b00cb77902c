import { AsyncLocalStorage } from 'node:async_hooks'
import { chmodSync, closeSync, openSync } from 'node:fs'
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import type { Compilable } from 'kysely'
import { LRUCache } from 'lru-cache'
import { MishapError } from '../../../base/errors.ts'
import { Slot } from './slot.ts'

/** Maximum prepared statements per connection. Needed because lists of varying length create new statement texts. */
const statementsMax = 300
/** How long a statement waits for another connection's lock before it fails. */
const busyTimeoutMs = 5_000

/** Rows of a statement, and how many rows it changed. */
type StatementResult = { rows: unknown[]; changes: number }

/** A query that is compiled once and run many times with different values. */
export type PreparedQuery<P, R> = {
  all(values: P): Promise<R[]>
  get(values: P): Promise<R | undefined>
  run(values: P): Promise<{ changes: number }>
  /** Runs the query once for each of the values, in order, with nothing in between. Returns all rows. */
  each(list: readonly P[]): Promise<R[]>
}

/**
 * A database: a SQLite file with one connection, or PostgreSQL with a pool. A statement inside the `work` of a
 * transaction belongs to that transaction, also in functions that `work` calls. Any other statement commits by itself.
 * Writes throw DATABASE_UNWRITABLE when the disk refuses them.
 */
export type Connection = {
  all<R>(query: Compilable<R>): Promise<R[]>
  get<R>(query: Compilable<R>): Promise<R | undefined>
  run(query: Compilable<unknown>): Promise<{ changes: number }>
  /** Runs SQL text without parameters: pragmas and migrations. */
  script(text: string): Promise<void>
  /** Runs SQL text with parameters, for the driver of better-auth. */
  statement(text: string, parameters: readonly unknown[]): Promise<StatementResult>
  /** Compiles `build` once. `slot('name')` is the placeholder of the value with that name. */
  prepared<P, R>(build: (slot: <K extends keyof P & string>(name: K) => P[K]) => Compilable<R>): PreparedQuery<P, R>
  /**
   * Runs `work` in a transaction. Transactions of one connection do not interleave. Rolls back and rethrows errors.
   * `work` must await every statement that it starts. It can run more than once, so it must not change anything else
   * before it succeeds. Cannot be nested.
   */
  transaction<T>(work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** A connection to a SQLite file. */
type SqliteConnection = Connection & {
  /** Writes a consistent copy of the database to a file that must not exist. */
  copyTo(file: string): Promise<void>
  /** Size of the database in bytes, with what is still in the write-ahead log. */
  bytes(): Promise<number>
  /** Returns the faults from an integrity check of the database; empty when there are none. */
  faults(): Promise<string[]>
}

/** SQLite's error codes for an unwritable disk: IOERR, FULL, CANTOPEN (of the WAL); https://sqlite.org/rescode.html */
const unwritable = new Set([10, 13, 14])

/** Converts a driver error into DATABASE_UNWRITABLE if the disk is at fault. Returns other errors unchanged. */
export function writeFailure(error: unknown): unknown {
  const { code, errcode, errstr } = (error ?? {}) as { code?: string; errcode?: number; errstr?: string }
  if (code !== 'ERR_SQLITE_ERROR' || errcode === undefined || !unwritable.has(errcode & 255)) return error
  return new MishapError('DATABASE_UNWRITABLE', { causes: [errstr ?? String(errcode)] })
}

function writing<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw writeFailure(error)
  }
}

/** Only the owner can read and write the file: it has password hashes, and the mode of its folder can be too wide. */
const fileMode = 0o600

/**
 * Creates the file if it does not exist, and removes the rights of other users. SQLite gives its -wal and -shm files
 * the mode of the database; this also corrects files of an older version. Throws when the file cannot be created.
 */
function restrictAccess(file: string): void {
  closeSync(openSync(file, 'a', fileMode))
  for (const name of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      chmodSync(name, fileMode)
    } catch (error) {
      // The file does not exist yet, or belongs to another user but is writable. Both still allow to open it.
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT' && code !== 'EPERM') throw error
    }
  }
}

/** Caches prepared statements by text; the least recently used ones are dropped. */
function createStatements(database: DatabaseSync): (text: string) => StatementSync {
  const statements = new LRUCache<string, StatementSync>({ max: statementsMax })
  return (text) => {
    const cached = statements.get(text)
    if (cached) return cached
    const statement = database.prepare(text)
    statements.set(text, statement)
    return statement
  }
}

/** A running transaction. `isOpen` turns false when it ends. */
type Transaction = { isOpen: boolean }

/**
 * Keeps transactions of one SQLite connection apart. `statement` runs at once inside a transaction or while none runs;
 * otherwise it waits for the running transaction. The current transaction travels with the asynchronous context of its
 * work. The alternative, a connection as an argument of each function, would need a second form of every prepared query.
 */
function createTransactions(): {
  statement<T>(work: () => T): Promise<T>
  transaction<T>(work: () => Promise<T>): Promise<T>
} {
  const current = new AsyncLocalStorage<Transaction>()
  const lock = { last: Promise.resolve() as Promise<unknown>, holders: 0 }
  const exclusive = async <T>(work: () => Promise<T> | T): Promise<T> => {
    const before = lock.last
    const { promise, resolve } = Promise.withResolvers<void>()
    lock.last = promise
    lock.holders += 1
    try {
      await before
      return await work()
    } finally {
      lock.holders -= 1
      resolve()
    }
  }
  return {
    statement: async (work) => {
      const transaction = current.getStore()
      if (transaction && !transaction.isOpen) throw new Error('a statement was not awaited by its transaction')
      // A statement of SQLite is synchronous. Without a lock holder it cannot interleave with anything.
      return transaction || lock.holders === 0 ? work() : exclusive(work)
    },
    transaction: async (work) => {
      if (current.getStore()) throw new Error('a transaction cannot be nested')
      const transaction: Transaction = { isOpen: true }
      return exclusive(async () => {
        try {
          return await current.run(transaction, work)
        } finally {
          transaction.isOpen = false
        }
      })
    },
  }
}

/** Opens the file with the settings of `openSqlite`. */
function openDatabase(file: string, readOnly: boolean): DatabaseSync {
  if (!readOnly && file !== ':memory:') restrictAccess(file)
  const database = new DatabaseSync(file, { readOnly, enableForeignKeyConstraints: true, timeout: busyTimeoutMs })
  try {
    if (!readOnly) writing(() => database.exec('pragma journal_mode = wal'))
    database.exec('pragma synchronous = full; pragma temp_store = memory; pragma cache_size = -16000')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Runs `work` between begin and commit, or rolls back. */
async function committed<T>(database: DatabaseSync, work: () => Promise<T>): Promise<T> {
  writing(() => database.exec('begin immediate'))
  try {
    const result = await work()
    database.exec('commit')
    return result
  } catch (error) {
    // A failed commit or a full disk can have rolled back already.
    if (database.isTransaction) database.exec('rollback')
    throw writeFailure(error)
  }
}

/**
 * The first row of a statement. A write with `returning` runs to its end: `get` stops at the first row, and the commit
 * then happens while the statement is reset, where the driver drops the error of a full disk.
 */
const firstOf = (text: string, statement: StatementSync, values: SQLInputValue[]): unknown =>
  /^\s*(?:insert|update|delete)\b/i.test(text) ? statement.all(...values)[0] : statement.get(...values)

/** Returns `prepared` of a connection: the statement is compiled once. */
function preparing(
  database: DatabaseSync,
  run: <T>(work: () => T) => Promise<T>,
): Pick<Connection, 'prepared'>['prepared'] {
  return <P, R>(build: (slot: <K extends keyof P & string>(name: K) => P[K]) => Compilable<R>): PreparedQuery<P, R> => {
    const { sql: text, parameters } = build((name) => new Slot(name) as never).compile()
    const statement = database.prepare(text)
    const bind = (values: P) =>
      parameters.map((parameter) =>
        parameter instanceof Slot ? values[parameter.name as keyof P] : parameter,
      ) as SQLInputValue[]
    return {
      all: (values) => run(() => writing(() => statement.all(...bind(values)) as R[])),
      get: (values) => run(() => writing(() => firstOf(text, statement, bind(values)) as R | undefined)),
      run: (values) => run(() => ({ changes: Number(writing(() => statement.run(...bind(values))).changes) })),
      each: (list) => run(() => writing(() => list.flatMap((values) => statement.all(...bind(values)) as R[]))),
    }
  }
}

/**
 * Opens a SQLite file with this project's settings: WAL, sync on every commit, foreign keys on. Throws the driver's
 * error when the file cannot be opened or is not a database.
 */
export function openSqlite(file: string, options: { readOnly?: boolean } = {}): SqliteConnection {
  const database = openDatabase(file, options.readOnly ?? false)
  const statementOf = createStatements(database)
  const { statement, transaction } = createTransactions()
  const run = <R>(
    query: Compilable<unknown>,
    execute: (made: StatementSync, values: SQLInputValue[], text: string) => R,
  ) =>
    statement(() => {
      const { sql: text, parameters } = query.compile()
      return writing(() => execute(statementOf(text), parameters as SQLInputValue[], text))
    })
  return {
    all: <R>(query: Compilable<R>) => run(query, (made, values) => made.all(...values) as R[]),
    get: <R>(query: Compilable<R>) => run(query, (made, values, text) => firstOf(text, made, values) as R | undefined),
    run: (query) => run(query, (made, values) => ({ changes: Number(made.run(...values).changes) })),
    script: (text) => statement(() => writing(() => database.exec(text))),
    statement: (text, parameters) =>
      statement(() => {
        const made = statementOf(text)
        const values = parameters as SQLInputValue[]
        if (made.columns().length > 0) return { rows: writing(() => made.all(...values)), changes: 0 }
        return { rows: [], changes: Number(writing(() => made.run(...values)).changes) }
      }),
    prepared: preparing(database, statement),
    transaction: (work) => transaction(() => committed(database, work)),
    copyTo: (copy) => statement(() => void database.prepare('vacuum into ?').run(copy)),
    bytes: () => statement(() => bytesOf(database)),
    faults: () => statement(() => integrityErrorsOf(database)),
    close: async () => database.close(),
  }
}

function bytesOf(database: DatabaseSync): number {
  const pragma = (name: 'page_count' | 'page_size') => Number(database.prepare(`pragma ${name}`).get()?.[name] ?? 0)
  return pragma('page_count') * pragma('page_size')
}

function integrityErrorsOf(database: DatabaseSync): string[] {
  const lines = database.prepare('pragma integrity_check').all() as { integrity_check: string }[]
  const orphans = database.prepare('pragma foreign_key_check').all() as { table: string }[]
  return [
    ...lines.map((line) => line.integrity_check).filter((integrity_check) => integrity_check !== 'ok'),
    ...orphans.map((orphan) => `a row of ${orphan.table} names one that is not there`),
  ]
}
