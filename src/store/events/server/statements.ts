import { randomUUID } from 'node:crypto'
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client'
import type { Clock } from '../../../base/clock.ts'
import { MishapError } from '../../../base/errors.ts'
import type { EventsKind } from '../kind.ts'

/** The query id of a statement and the settings that tag it. */
type Tags = { id: string; settings: Record<string, string> }

/** Runs statements so that none of them outlives its caller unnoticed. */
type Statements = {
  /** A SELECT. If its caller gives up, a server is told to stop it. */
  read<T>(run: (tags: Tags) => Promise<T>): Promise<T>
  /** A statement that changes data. It waits until those before it whose end is unknown are gone. */
  change<T>(run: (tags: Tags) => Promise<T>): Promise<T>
  /** See `Connection.endEarlier`. */
  endEarlier(): Promise<void>
}

const pollMs = 50
/** A deletion ends between two parts. Longer waits are tried again by the caller. */
const triesMax = 600
const probeSeconds = 20

/**
 * Tracks the statements of one connection. The embedded engine stops a query whose caller disconnects. A server goes on
 * with it: a deletion that is repeated meanwhile would race with itself, and rows would be counted twice.
 */
export function createStatements(
  client: ClickHouseClient,
  { clock, kind, database }: { clock: Clock; kind: EventsKind; database: string },
): Statements {
  if (!kind.isRemote) {
    const plain = <T>(run: (tags: Tags) => Promise<T>) => run({ id: randomUUID(), settings: {} })
    return { read: plain, change: plain, endEarlier: async () => {} }
  }
  const prefix = `${database}/run/`
  const own = `${prefix}${randomUUID()}`
  const unclear = new Set<string>()
  const tags = (): Tags => ({ id: randomUUID(), settings: { log_comment: own } })
  const settings = { ...kind.settings.read, max_execution_time: probeSeconds }

  const kill = (where: string, params: Record<string, unknown>) =>
    client.command({ query: `KILL QUERY WHERE ${where} ASYNC`, query_params: params, clickhouse_settings: settings })

  async function isRunning(where: string, params: Record<string, unknown>): Promise<boolean> {
    const result = await client.query({
      query: `SELECT 1 FROM system.processes WHERE ${where} LIMIT 1`,
      query_params: params,
      format: 'JSONEachRow',
      clickhouse_settings: settings,
    })
    return (await result.json()).length > 0
  }

  /** Ends statements and waits until they are gone. Throws STORE_UNAVAILABLE if they stay. */
  async function end(where: string, params: Record<string, unknown>): Promise<void> {
    await kill(where, params)
    for (let tries = 0; tries < triesMax; tries++) {
      if (!(await isRunning(where, params))) return
      await clock.sleep(pollMs)
    }
    throw new MishapError('STORE_UNAVAILABLE', { causes: ['a statement does not end'] })
  }

  return {
    async read(run) {
      const each = tags()
      try {
        return await run(each)
      } catch (error) {
        if (!(error instanceof ClickHouseError))
          void kill('query_id = {id:String}', { id: each.id }).catch(() => undefined)
        throw error
      }
    },
    async change(run) {
      if (unclear.size > 0) {
        const ids = [...unclear]
        await end('has({ids:Array(String)}, query_id)', { ids })
        for (const id of ids) unclear.delete(id)
      }
      const each = tags()
      try {
        return await run(each)
      } catch (error) {
        if (!(error instanceof ClickHouseError)) unclear.add(each.id)
        throw error
      }
    },
    endEarlier: () =>
      end("startsWith(Settings['log_comment'], {prefix:String}) AND Settings['log_comment'] != {own:String}", {
        prefix,
        own,
      }),
  }
}
