import { isAway } from './failures.ts'
import type { ServerClient } from './server-client.ts'

/** Connections to the primary. */
export type Pool = {
  /**
   * Runs `work` with a connection that nobody else uses meanwhile. Waits for a free connection. A connection whose work fails
   * because it was lost is not used again. Throws the error of a new connection.
   */
  use<T>(work: (client: ServerClient) => Promise<T>): Promise<T>
  /** Closes all connections, also used ones: their work fails. Later calls of `use` make new ones. */
  reset(): void
  /** Closes the pool when the running work has ended. */
  close(): Promise<void>
}

/** Makes a pool of up to `size` connections. */
export function createPool(connect: () => Promise<ServerClient>, size: number): Pool {
  const idle: ServerClient[] = []
  const all = new Set<ServerClient>()
  const waiters: (() => void)[] = []
  const state = { taken: 0, isClosed: false }

  const drop = (client: ServerClient) => {
    all.delete(client)
    void client.end()
  }
  const take = async (): Promise<ServerClient> => {
    for (let client = idle.pop(); client; client = idle.pop()) {
      if (client.isUsable()) return client
      drop(client)
    }
    const client = await connect()
    all.add(client)
    return client
  }
  const enter = async () => {
    if (state.isClosed) throw new Error('the database is closed')
    if (state.taken >= size) await new Promise<void>((resolve) => waiters.push(resolve))
    else state.taken++
  }
  const leave = () => {
    const next = waiters.shift()
    if (next) next()
    else state.taken--
  }
  const give = (client: ServerClient) => {
    if (state.isClosed || !client.isUsable() || !all.has(client)) drop(client)
    else idle.push(client)
  }

  return {
    use: async (work) => {
      await enter()
      try {
        const client = await take()
        try {
          return await work(client)
        } catch (error) {
          if (isAway(error)) client.discard()
          throw error
        } finally {
          give(client)
        }
      } finally {
        leave()
      }
    },
    reset: () => {
      for (const client of all) client.discard()
      for (const client of idle.splice(0)) drop(client)
    },
    close: async () => {
      state.isClosed = true
      await Promise.all(idle.splice(0).map((client) => client.end()))
    },
  }
}
