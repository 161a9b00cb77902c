import { type CompiledQuery, type DatabaseConnection, type Driver, Kysely, type QueryResult } from 'kysely'
import type { Connection } from '../database/connection.ts'
import type { Store } from '../database/store.ts'
import type { Person } from '../meta.ts'
/** People, read from the tables that auth writes. */
export type PersonStore = {
  personById(userId: string): Promise<Person | undefined>
  people(userIds: string[]): Promise<Person[]>
  /** E-mail addresses are compared case-insensitively. */
  personByEmail(email: string): Promise<Person | undefined>
  /** true until the first account exists: /setup is open. */
  isEmpty(): Promise<boolean>
  authDatabase(): AuthDatabase
}

/** Reads better-auth's tables; only auth writes them. */
export function peoplePart(store: Store): PersonStore {
  const {
    read,
    dialect: { builder },
  } = store
  const person = builder.selectFrom('auth_user').select(['id', 'name', 'email'])
  // Copy the driver's rows: they have no prototype, and React refuses to pass such objects from server to client.
  const plain = (row: Person | undefined): Person | undefined => row && { ...row }
  return {
    personById: async (userId) => plain(await read.get(person.where('id', '=', userId))),
    people: async (userIds) =>
      userIds.length === 0
        ? []
        : (await read.all(person.where('id', 'in', userIds).orderBy('name'))).map((row) => ({ ...row })),
    personByEmail: async (email) => plain(await read.get(person.where('email', '=', email.trim().toLowerCase()))),
    // A crash between the two inserts leaves a user without a password, who could not sign in. So check the accounts.
    isEmpty: async () => (await read.get(builder.selectFrom('auth_account').select('id').limit(1))) === undefined,
    authDatabase: () => authDatabase(store),
  }
}

/** Runs the statements of better-auth. Its tables are in the same database as the tables that refer to them. */
export type AuthDatabase = { kysely: Kysely<never>; type: 'sqlite' | 'postgres' }

class AuthConnection implements DatabaseConnection {
  readonly #connection: Connection
  constructor(connection: Connection) {
    this.#connection = connection
  }
  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, changes } = await this.#connection.statement(sql, parameters)
    return { rows: rows as Row[], numAffectedRows: BigInt(changes) }
  }
  // biome-ignore lint/correctness/useYield: better-auth reads no streams
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('the tables of better-auth are not streamed')
  }
}

/**
 * Kysely for better-auth on meta's own connection. A second connection to the same SQLite file would wait for a
 * transaction of this process while it blocks the event loop that the transaction needs: 5 s, then SQLITE_BUSY. Each
 * statement commits by itself, because better-auth is set up without transactions.
 */
function authDatabase({ write, dialect }: Store): AuthDatabase {
  const connection = new AuthConnection(write)
  const refuse = async () => {
    throw new Error('better-auth uses no transactions')
  }
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: async () => {},
    destroy: async () => {},
  }
  return {
    kysely: new Kysely<never>({ dialect: { ...dialect.kysely, createDriver: () => driver } }),
    type: dialect.name,
  }
}
