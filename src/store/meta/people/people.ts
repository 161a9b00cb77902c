import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import { restrictAccess } from '../database/connection.ts'
import type { Store } from '../database/store.ts'
import type { Person } from '../meta.ts'
/** People, read from the tables that auth writes. */
export type PersonStore = {
  personById(userId: string): Person | undefined
  people(userIds: string[]): Person[]
  /** E-mail addresses are compared case-insensitively. */
  personByEmail(email: string): Person | undefined
  /** true until the first account exists: /setup is open. */
  isEmpty(): boolean
}

/** Reads better-auth's tables; only auth writes them. */
export function peoplePart({ read, dialect: { builder } }: Store): PersonStore {
  const person = builder.selectFrom('auth_user').select(['id', 'name', 'email'])
  // Copy the driver's rows: they have no prototype, and React refuses to pass such objects from server to client.
  const plain = (row: Person | undefined): Person | undefined => row && { ...row }
  return {
    personById: (userId) => plain(read.get(person.where('id', '=', userId))),
    people: (userIds) =>
      userIds.length === 0
        ? []
        : read.all(person.where('id', 'in', userIds).orderBy('name')).map((row) => ({ ...row })),
    personByEmail: (email) => plain(read.get(person.where('email', '=', email.trim().toLowerCase()))),
    // A crash between the two inserts leaves a user without a password, who could not sign in. So check the accounts.
    isEmpty: () => read.get(builder.selectFrom('auth_account').select('id').limit(1)) === undefined,
  }
}

/**
 * better-auth's own connection to the meta file, through Kysely's executor. Each statement commits by itself: a
 * transaction held across an await would block meta's synchronous writer in this process until its busy time-out.
 */
export function openAuthDatabase(file: string): { kysely: Kysely<never>; close(): void } {
  restrictAccess(file)
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5_000 })
  database.exec('pragma journal_mode = wal; pragma synchronous = full')
  const kysely = new Kysely<never>({
    dialect: new SqliteDialect({
      database: {
        prepare: (text) => {
          const statement = database.prepare(text)
          const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
          return {
            reader: statement.columns().length > 0,
            all: (parameters) => statement.all(...values(parameters)),
            run: (parameters) => statement.run(...values(parameters)),
            iterate: (parameters) => statement.iterate(...values(parameters)),
          }
        },
        close: () => database.close(),
      },
    }),
  })
  return { kysely, close: () => database.close() }
}
