// A network between the product and its store that a test can cut.
import { connect, createServer, type Socket } from 'node:net'

export type Wire = {
  port: number
  /** Ends all connections at once, in the middle of what they carry. */
  cut(): void
  close(): void
}

/** Passes connections on to a port of this machine. */
export function wireTo(port: number): Promise<Wire> {
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy()
  }
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve({
        port: address && typeof address === 'object' ? address.port : 0,
        cut,
        close: () => {
          server.close()
          cut()
        },
      })
    }),
  )
}
