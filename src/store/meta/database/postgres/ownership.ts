import type { Clock } from '../../../../base/clock.ts'
import { MishapError } from '../../../../base/errors.ts'
import type { ServerClient } from './server-client.ts'

/** How often the owner asks its server whether it is still there, and how long it waits for the answer. */
const beatMs = 5_000
const answerMs = 10_000
/** A process that was killed a moment ago can still have the lock: its server notices the closed connection later. */
const patienceMs = 10_000
const pollMs = 250
const longestPollMs = 2_000

/** The class of Mishap's advisory locks; the second key is the schema. */
const lockClass = 0x6d69_7368
const schemaKey = 'hashtext(current_schema())'

type Holder = { pid: number; name: string; host: string | null }

/** Returns who has the lock. */
async function holderOf(client: ServerClient): Promise<Holder | undefined> {
  const { rows } = await client.query({
    text: `select a.pid, a.application_name as name, host(a.client_addr) as host from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.classid = ${lockClass}::oid and l.objid = ${schemaKey}::bit(32)::bigint::oid and l.granted
      and l.database = (select oid from pg_database where datname = current_database())`,
  })
  return (rows as Holder[])[0]
}

async function tryLock(client: ServerClient): Promise<boolean> {
  const { rows } = await client.query({ text: `select pg_try_advisory_lock(${lockClass}, ${schemaKey}) as taken` })
  return (rows as { taken: number }[])[0]?.taken === 1
}

/** The error for a database that another Mishap uses. It names that Mishap. */
const takenBy = (holder: Holder | undefined) =>
  new MishapError('START_DATABASE', {
    detail: holder?.name
      ? `Another Mishap uses this database: "${holder.name}"${holder.host ? ` from ${holder.host}` : ''}, process ${holder.pid} of the server. Stop it, or use another database.`
      : 'Another Mishap uses this database. Stop it, or use another database.',
  })

/**
 * Makes this process the only one that may commit: commits check the row of `writer` for the instance. An older process
 * that was only cut off from the server can no longer commit then, even if its lock was lost before it noticed.
 */
async function takeWriterRow(client: ServerClient, instance: string): Promise<void> {
  await client.script(
    'create table if not exists writer (id integer primary key, instance text not null, number bigint not null)',
  )
  await client.query({
    text: 'insert into writer (id, instance, number) values (1, $1, 0) on conflict (id) do update set instance = excluded.instance, number = 0',
    values: [instance],
  })
}

type Ownership = {
  /** Ends the ownership. */
  close(): Promise<void>
}

type Options = {
  clock: Clock
  connect(): Promise<ServerClient>
  /** A unique name of this process for the row of `writer`. */
  instance: string
  /** application_name of all connections of this process. It is as unique as `instance`. */
  name: string
  /** The server does not answer any more: every other connection must be given up, too. */
  lost(): void
}

/** Takes the lock on a connection. A session of this very process that the server has not noticed to be gone is ended. */
async function takeLock({ clock, name }: Options, client: ServerClient): Promise<void> {
  for (let waitedMs = 0; !(await tryLock(client)); waitedMs += pollMs) {
    const holder = await holderOf(client)
    if (holder?.name === name) await client.query({ text: 'select pg_terminate_backend($1)', values: [holder.pid] })
    else if (waitedMs >= patienceMs) throw takenBy(holder)
    await clock.sleep(pollMs)
  }
}

/** Waits for an answer; undefined if there is none in time. */
const answerOf = async (clock: Clock, client: ServerClient): Promise<boolean> => {
  const stopped = new AbortController()
  const late = clock.sleep(answerMs, stopped.signal).then(() => false)
  const answered = client.query({ text: 'select 1' }).then(
    () => true,
    () => false,
  )
  const result = await Promise.race([answered, late])
  stopped.abort()
  return result
}

/**
 * Takes the database for this process: an advisory lock of a connection that does nothing else. Waits 10 s for a
 * process that has just ended. The connection is also a heartbeat: without an answer in 10 s, `lost` is called, and a
 * new connection takes the lock again. Throws START_DATABASE if another process has it, and errors of `connect`.
 */
export async function takeOwnership(options: Options): Promise<Ownership> {
  const { clock, connect, instance } = options
  const stopped = new AbortController()
  const open = async (take: (client: ServerClient) => Promise<void>) => {
    const client = await connect()
    try {
      await take(client)
      return client
    } catch (error) {
      client.discard()
      throw error
    }
  }
  let client = await open(async (made) => {
    await takeLock(options, made)
    await takeWriterRow(made, instance)
  })
  const retake = async () => {
    for (let waitMs = pollMs; !stopped.signal.aborted; waitMs = Math.min(waitMs * 2, longestPollMs)) {
      try {
        return await open((made) => takeLock(options, made))
      } catch {
        await clock.sleep(waitMs, stopped.signal)
      }
    }
    return client
  }
  const beat = async () => {
    while (!stopped.signal.aborted) {
      await clock.sleep(beatMs, stopped.signal)
      if (stopped.signal.aborted || (await answerOf(clock, client))) continue
      client.discard()
      options.lost()
      client = await retake()
    }
  }
  const beating = beat()
  return {
    close: async () => {
      stopped.abort()
      await beating
      await client.end()
    },
  }
}
