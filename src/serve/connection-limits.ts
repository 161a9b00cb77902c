import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressGroup } from './gate.ts'

type HeadLimits = { perAddress: number; total: number }

/** Limits for idle connections. An unlisted proxy, or people who share an address, need far fewer. */
const headLimits: HeadLimits = { perAddress: 4096, total: 16_384 }

/**
 * Limits connections without a request in progress: those that send headers, and those kept alive. Above a limit, the
 * longest waiting one is closed. Node itself closes connections whose headers take longer than 30 s.
 */
export function boundHeads(server: Server, isTrusted: (address: string) => boolean, limits = headLimits): void {
  /** Sockets by group, longest waiting first. */
  const waiting = new Map<string, Set<Socket>>()
  const open = new WeakMap<Socket, { group: string; isTrusted: boolean; requests: number }>()
  let total = 0
  const leave = (group: string, socket: Socket) => {
    const sockets = waiting.get(group)
    if (!sockets?.delete(socket)) return
    total--
    if (sockets.size === 0) waiting.delete(group)
  }
  const cutOldest = (group: string) => {
    const [oldest] = waiting.get(group) ?? []
    if (!oldest) return
    leave(group, oldest)
    oldest.destroy()
  }
  /** Returns the group with the most connections, which is the flooding one in a flood. */
  const largest = () => [...waiting].reduce((most, group) => (group[1].size > most[1].size ? group : most))[0]
  const enter = (socket: Socket) => {
    const connection = open.get(socket)
    if (!connection || socket.destroyed) return
    const sockets = waiting.get(connection.group) ?? new Set()
    waiting.set(connection.group, sockets)
    sockets.add(socket)
    total++
    if (sockets.size > limits.perAddress && !connection.isTrusted) cutOldest(connection.group)
    else if (total > limits.total) cutOldest(largest())
  }
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? ''
    const group = addressGroup(address)
    open.set(socket, { group, isTrusted: isTrusted(address), requests: 0 })
    enter(socket)
    socket.once('close', () => leave(group, socket))
  })
  server.on('request', ({ socket }: IncomingMessage, res: ServerResponse) => {
    const connection = open.get(socket)
    if (!connection) return
    leave(connection.group, socket)
    connection.requests++
    res.once('close', () => {
      connection.requests--
      if (connection.requests === 0) enter(socket)
    })
  })
}
