import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { boundHeads } from './connection-limits.ts'

const open: { servers: Server[]; sockets: Socket[] } = { servers: [], sockets: [] }
afterEach(() => {
  for (const socket of open.sockets.splice(0)) socket.destroy()
  for (const server of open.servers.splice(0)) server.close().closeAllConnections()
})

async function rig(limits: { perAddress: number; total: number }, trusted = false) {
  const server = createServer((req, res) => {
    if (req.url === '/') res.end('ok')
  })
  boundHeads(server, () => trusted, limits)
  open.servers.push(server.listen(0, '127.0.0.1'))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cut: number[] = []
  const begin = async (text: string) => {
    const number = open.sockets.length
    const socket = connect(port, '127.0.0.1')
    open.sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => cut.push(number))
    await once(socket, 'connect')
    socket.write(text)
    if (text.endsWith('\r\n\r\n') && text.startsWith('GET / ')) await once(socket, 'data')
    await new Promise((resolve) => setTimeout(resolve, 20))
    return socket
  }
  return { begin, cut }
}

const half = 'GET / HTTP/1.1\r\nHost: a\r\nX-A: '
const whole = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const hangs = 'GET /hangs HTTP/1.1\r\nHost: a\r\n\r\n'

test.each<[string, string[], { perAddress: number; total: number }, boolean, number[]]>([
  ['the one that waited longest is cut', [half, half, half], { perAddress: 2, total: 9 }, false, [0]],
  ['one that is kept open after its answer counts', [whole, half, half], { perAddress: 2, total: 9 }, false, [0]],
  ['one with a request in progress does not', [hangs, half, half], { perAddress: 2, total: 9 }, false, []],
  ['a trusted proxy has no bound of its own', [half, half, half], { perAddress: 2, total: 9 }, true, []],
  ['all together have one', [half, half, half, half], { perAddress: 9, total: 2 }, true, [0, 1]],
])('%s', async (_name, texts, limits, trusted, expected) => {
  const { begin, cut } = await rig(limits, trusted)
  for (const text of texts) await begin(text)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(cut).toEqual(expected)
})

test('a kept connection that is used again goes to the end of the line', async () => {
  const { begin, cut } = await rig({ perAddress: 2, total: 9 })
  const first = await begin(whole)
  await begin(half)
  first.write(whole)
  await once(first, 'data')
  await new Promise((resolve) => setTimeout(resolve, 20))
  await begin(half)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(cut).toEqual([1])
})
