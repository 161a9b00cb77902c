import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { createOutgoing } from '../../base/outgoing.ts'
import type { SendDeps } from './transport.ts'

/** A request as the service got it. */
type Received = { method: string; path: string; headers: Record<string, string>; body: Buffer }
type Prepared = { status: number; headers?: Record<string, string>; body: string }

/**
 * Starts a local server that answers like a service and keeps what it got. The product calls the service's own name
 * through its guarded client; only the origin is replaced on the way.
 */
export async function localService() {
  const received: Received[] = []
  const state = { answer: { status: 200, body: '' } as Prepared }
  const server = createServer((req, res) => {
    const parts: Buffer[] = []
    req.on('data', (part: Buffer) => parts.push(part))
    req.on('end', () => {
      const headers = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]))
      received.push({ method: req.method ?? '', path: req.url ?? '', headers, body: Buffer.concat(parts) })
      res.writeHead(state.answer.status, state.answer.headers).end(state.answer.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => void server.close())
  const { port } = server.address() as AddressInfo
  const called: string[] = []
  const guarded = createOutgoing({ clock: systemClock, allowedNetworks: ['127.0.0.1'] })
  const deps: SendDeps = {
    clock: systemClock,
    url: 'https://m.test',
    outgoing: {
      send: (request) => {
        const { origin } = new URL(request.url)
        called.push(origin)
        return guarded.send({ ...request, url: request.url.replace(origin, `http://127.0.0.1:${port}`) })
      },
    },
    mailer: { send: async () => '', close() {} },
    smtp: async () => undefined,
    push: {
      browser: async () => undefined,
      encrypt: () => Promise.reject(new Error('no browser here')),
      forget: async () => undefined,
    },
  }
  return {
    deps,
    received,
    called,
    answerWith: (answer: Prepared) => {
      state.answer = answer
      received.length = 0
      called.length = 0
    },
  }
}
