import pg from 'pg'
import { MishapError } from '../../../../base/errors.ts'
import type { PostgresAddress, PostgresHost } from '../../../../base/postgres-url.ts'
import { isAnswer, isAway, isUnwritable } from './failures.ts'
import { tlsOptions } from './tls.ts'

const connectTimeoutMs = 5_000
const keepAliveMs = 10_000
/** PostgreSQL 15. */
const versionMin = 150_000

/** A statement. With a name, the server parses it once for each connection. */
export type ServerQuery = {
  text: string
  values?: unknown[]
  name?: string
  /** Booleans and dates as such, as better-auth expects them. Otherwise booleans are 0 and 1, as in SQLite. */
  isPlain?: boolean
}
export type ServerResult = { rows: unknown[]; changes: number }

/** One connection to the primary. */
export type ServerClient = {
  /** The process of the server for this connection. */
  pid: number
  /** Runs one statement after the other. Throws the driver's error. */
  query(query: ServerQuery): Promise<ServerResult>
  /** Runs SQL text with any number of statements. */
  script(text: string): Promise<void>
  /** false once the connection is lost or discarded. */
  isUsable(): boolean
  /** Cuts the connection: running statements fail. */
  discard(): void
  end(): Promise<void>
}

const oids = { bool: 16, int8: 20, numeric: 1700 }

/** int8 and numeric (the type of its sums) are numbers up to 2^53, like in SQLite. */
const parserOf = (oid: number, isPlain: boolean) => {
  if (oid === oids.int8 || oid === oids.numeric) return Number
  if (oid === oids.bool && !isPlain) return (text: string) => (text === 't' ? 1 : 0)
  return pg.types.getTypeParser(oid)
}
const typesFor = (isPlain: boolean) => ({ getTypeParser: ((oid: number) => parserOf(oid, isPlain)) as never })
const [ownTypes, plainTypes] = [typesFor(false), typesFor(true)]

/**
 * PostgreSQL refuses NUL in text. U+2400, the symbol for NUL, takes its place: it is as readable, the same text always
 * becomes the same other text, and a comparison with NUL converts its value alike.
 */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\u2400') : value
  return Array.isArray(value) ? value.map(storable) : value
}

const resultOf = ({ rows, rowCount }: pg.QueryResult): ServerResult => ({ rows, changes: rowCount ?? 0 })

/** Makes the connection of a driver's client that is connected. */
function clientOf(driver: pg.Client): ServerClient {
  const state = { isUsable: true, last: Promise.resolve() as Promise<unknown> }
  const lost = () => {
    state.isUsable = false
  }
  driver.on('error', lost)
  driver.on('end', lost)
  // The driver's own queue is deprecated.
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = state.last.then(work)
    state.last = result.catch(() => undefined)
    return result
  }
  return {
    pid: (driver as unknown as { processID: number }).processID,
    query: ({ text, values = [], name, isPlain }) =>
      inTurn(async () =>
        resultOf(
          await driver.query({
            text,
            values: values.map(storable),
            types: isPlain ? plainTypes : ownTypes,
            ...(name === undefined ? {} : { name }),
          }),
        ),
      ),
    script: (text) =>
      inTurn(async () => {
        await driver.query(text)
      }),
    isUsable: () => state.isUsable,
    discard: () => {
      lost()
      ;(driver as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
    },
    end: () => driver.end().catch(() => undefined),
  }
}

type Options = { name: string; schema?: string | undefined }

/** Connects to one host. Falls back to no TLS for `prefer`. Throws the driver's error. */
async function connectTo(address: PostgresAddress, at: PostgresHost, options: Options): Promise<pg.Client> {
  const { user, password, database } = address
  const open = async (ssl: ReturnType<typeof tlsOptions>) => {
    const driver = new pg.Client({
      ...at,
      user,
      password,
      database,
      ssl: ssl ?? false,
      application_name: options.name,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
      ...(options.schema === undefined ? {} : { options: `-c search_path=${options.schema}` }),
    })
    // Without a listener, an error between two statements would end the process.
    driver.on('error', () => undefined)
    await driver.connect()
    return driver
  }
  const ssl = tlsOptions(address, at.host)
  try {
    return await open(ssl)
  } catch (error) {
    if (address.sslMode !== 'prefer' || !ssl || !String(error).includes('does not support SSL')) throw error
    return open(undefined)
  }
}

const where = ({ host, port }: PostgresHost) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)

/** Why none of the hosts can be used. `isLasting`: waiting does not help. */
export class NoServer extends MishapError {
  readonly isLasting: boolean
  constructor(reasons: string[], isLasting: boolean) {
    super('DATABASE_UNAVAILABLE', { causes: reasons })
    this.isLasting = isLasting
  }
}

type Checked = { standby: boolean; read_only: string; version: string }

/** Returns why the server of a connection cannot be used; undefined if it can. */
async function refusalOf(driver: pg.Client): Promise<{ why: string; isLasting: boolean } | undefined> {
  const { rows } = await driver.query<Checked>(
    "select pg_is_in_recovery() as standby, current_setting('default_transaction_read_only') as read_only, current_setting('server_version_num') as version",
  )
  const [row] = rows
  if (Number(row?.version) < versionMin)
    return {
      why: `PostgreSQL ${Math.floor(Number(row?.version) / 10_000)} is too old; 15 or newer is needed`,
      isLasting: true,
    }
  if (row?.standby) return { why: 'it is a read-only standby', isLasting: true }
  return row?.read_only === 'on'
    ? { why: 'it is read-only (default_transaction_read_only)', isLasting: true }
    : undefined
}

/** How PostgreSQL refuses a connection when its disk is full: an internal error (XX000), seen with 15.18. */
const fullDisk = /^could not (?:write|extend)\b/

/** Explains why a connection failed, and whether waiting helps. */
function explain(error: unknown): { why: string; isLasting: boolean } {
  const why = error instanceof Error ? error.message || String((error as { code?: string }).code) : String(error)
  if (isAway(error)) return { why, isLasting: false }
  if (isUnwritable(error) || fullDisk.test(why)) return { why: `its disk is full or failing (${why})`, isLasting: true }
  if (isAnswer(error)) return { why, isLasting: true }
  return { why: `TLS: ${why}`, isLasting: true }
}

/**
 * Connects to the first host that accepts writes. Throws NoServer with a reason for each host. It is lasting if each
 * host has an answer that waiting does not change: a wrong password, a missing database, a certificate that does not
 * verify, a standby, an old version.
 */
export async function connectToPrimary(address: PostgresAddress, options: Options): Promise<ServerClient> {
  const reasons: string[] = []
  let isLasting = true
  for (const at of address.hosts) {
    let refusal: { why: string; isLasting: boolean } | undefined
    try {
      const driver = await connectTo(address, at, options)
      refusal = await refusalOf(driver).catch(explain)
      if (!refusal) return clientOf(driver)
      void driver.end().catch(() => undefined)
    } catch (error) {
      refusal = explain(error)
    }
    reasons.push(`${where(at)}: ${refusal.why}.`)
    isLasting &&= refusal.isLasting
  }
  throw new NoServer(reasons, isLasting)
}
