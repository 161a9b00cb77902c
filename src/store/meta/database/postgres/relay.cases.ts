import { connect, createServer, type Socket } from 'node:net'

/** How the connection of a commit is lost. */
export type Manner = 'before it arrives' | 'before it arrives, unnoticed by the server' | 'after it arrives'

/** A relay in front of a server on loopback that cuts connections. */
type Relay = {
  port: number
  /** Cuts the connection of the next commit of a transaction that changed something. */
  cutNextCommit(manner: Manner): void
  /** Number of cut commits. */
  cuts(): number
  close(): Promise<void>
}

/** Starts a relay to a port of this machine. */
export async function startRelay(target: number): Promise<Relay> {
  const state: { manner: Manner | undefined; cuts: number } = { manner: undefined, cuts: 0 }
  const sockets = new Set<Socket>()
  const relay = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    const held = { isSilent: false }
    client.on('close', () => held.isSilent || upstream.end())
    upstream.on('close', () => client.destroy())
    upstream.on('data', (piece) => void client.write(piece))
    client.on('data', (piece) => {
      const { manner } = state
      if (!manner || !piece.includes('from mark; commit')) return void upstream.write(piece)
      state.manner = undefined
      state.cuts++
      held.isSilent = manner === 'before it arrives, unnoticed by the server'
      if (manner === 'after it arrives') {
        // The answer shows that the server has committed.
        upstream.removeAllListeners('data').once('data', () => client.destroy())
        upstream.write(piece)
      } else client.destroy()
    })
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  return {
    port: (relay.address() as { port: number }).port,
    cutNextCommit: (manner) => {
      state.manner = manner
    },
    cuts: () => state.cuts,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => relay.close(resolve))
    },
  }
}
