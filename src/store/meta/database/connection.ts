import { chmodSync, closeSync, openSync } from 'node:fs'
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import type { Compilable } from 'kysely'
import { LRUCache } from 'lru-cache'
import { MishapError } from '../../../base/errors.ts'

/** Maximum prepared statements per connection. Needed because lists of varying length create new statement texts. */
const statementsMax = 300
/** How long a statement waits for another connection's lock before it fails. */
const busyTimeoutMs = 5_000

/** A query that is compiled once and run many times with different values. */
type PreparedQuery<P, R> = {
  all(values: P): R[]
  get(values: P): R | undefined
  run(values: P): { changes: number; lastId: number }
}

/** One database connection. All calls are synchronous. Writes throw DATABASE_UNWRITABLE when the disk refuses them. */
export type Connection = {
  all<R>(query: Compilable<R>): R[]
  get<R>(query: Compilable<R>): R | undefined
  run(query: Compilable<unknown>): { changes: number; lastId: number }
  /** Runs SQL text without parameters: pragmas and migrations. */
  script(text: string): void
  /** Compiles `build` once. `slot('name')` is the placeholder of the value with that name. */
  prepared<P, R>(build: (slot: <K extends keyof P & string>(name: K) => P[K]) => Compilable<R>): PreparedQuery<P, R>
  /** Runs `work` in a transaction that takes the write lock first. Rolls back and rethrows errors. Cannot be nested. */
  transaction<T>(work: () => T): T
  /** Writes a consistent copy of the database to a file that must not exist. */
  copyTo(file: string): void
  /** Returns the faults from an integrity check of the database; empty when there are none. */
  faults(): string[]
  close(): void
}

class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
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
export function restrictAccess(file: string): void {
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

/**
 * Opens a SQLite file with this project's settings: WAL, sync on every commit, foreign keys on. Throws the driver's
 * error when the file cannot be opened or is not a database.
 */
export function openSqlite(file: string, options: { readOnly?: boolean } = {}): Connection {
  if (!options.readOnly && file !== ':memory:') restrictAccess(file)
  const database = new DatabaseSync(file, {
    readOnly: options.readOnly ?? false,
    enableForeignKeyConstraints: true,
    timeout: busyTimeoutMs,
  })
  try {
    if (!options.readOnly) writing(() => database.exec('pragma journal_mode = wal'))
    database.exec('pragma synchronous = full; pragma temp_store = memory; pragma cache_size = -16000')
  } catch (error) {
    database.close()
    throw error
  }
  const statementOf = createStatements(database)
  const written = (result: { changes: number | bigint; lastInsertRowid: number | bigint }) => ({
    changes: Number(result.changes),
    lastId: Number(result.lastInsertRowid),
  })

  function prepared<P, R>(
    build: (slot: <K extends keyof P & string>(name: K) => P[K]) => Compilable<R>,
  ): PreparedQuery<P, R> {
    const { sql: text, parameters } = build((name) => new Slot(name) as never).compile()
    const statement = database.prepare(text)
    const bind = (values: P) =>
      parameters.map((parameter) =>
        parameter instanceof Slot ? values[parameter.name as keyof P] : parameter,
      ) as SQLInputValue[]
    return {
      all: (values) => statement.all(...bind(values)) as R[],
      get: (values) => statement.get(...bind(values)) as R | undefined,
      run: (values) => written(writing(() => statement.run(...bind(values)))),
    }
  }

  return {
    all: <R>(query: Compilable<R>) => {
      const { sql: text, parameters } = query.compile()
      return statementOf(text).all(...(parameters as SQLInputValue[])) as R[]
    },
    get: <R>(query: Compilable<R>) => {
      const { sql: text, parameters } = query.compile()
      return statementOf(text).get(...(parameters as SQLInputValue[])) as R | undefined
    },
    run: (query) => {
      const { sql: text, parameters } = query.compile()
      return written(writing(() => statementOf(text).run(...(parameters as SQLInputValue[]))))
    },
    script: (text) => writing(() => database.exec(text)),
    prepared,
    transaction: (work) => {
      writing(() => database.exec('begin immediate'))
      try {
        const result = work()
        database.exec('commit')
        return result
      } catch (error) {
        // A failed commit or a full disk can have rolled back already.
        if (database.isTransaction) database.exec('rollback')
        throw writeFailure(error)
      }
    },
    copyTo: (file) => void database.prepare('vacuum into ?').run(file),
    faults: () => integrityErrorsOf(database),
    close: () => database.close(),
  }
}

function integrityErrorsOf(database: DatabaseSync): string[] {
  const lines = database.prepare('pragma integrity_check').all() as { integrity_check: string }[]
  const orphans = database.prepare('pragma foreign_key_check').all() as { table: string }[]
  return [
    ...lines.map((line) => line.integrity_check).filter((integrity_check) => integrity_check !== 'ok'),
    ...orphans.map((orphan) => `a row of ${orphan.table} names one that is not there`),
  ]
}
