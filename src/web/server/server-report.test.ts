import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { App } from '../handle.ts'
import { errorEnvelope, sendServerError, stackFrames } from './server-report.ts'

describe('stackFrames', () => {
  it('reads V8 frames, oldest first, and knows our own from the framework’s', () => {
    const stack =
      'Error: no\n    at load (/app/src/web/app/page.js:3:7)\n    at async /app/node_modules/next/server.js:10:2\n    at node:internal/process:1:2\n  garbage'
    expect(stackFrames(stack)).toEqual([
      { function: '?', filename: 'node:internal/process', lineno: 1, colno: 2, in_app: false },
      { function: '?', filename: 'async /app/node_modules/next/server.js', lineno: 10, colno: 2, in_app: false },
      { function: 'load', filename: '/app/src/web/app/page.js', lineno: 3, colno: 7, in_app: true },
    ])
  })
  it('takes at most 50 and survives no stack', () => {
    expect(stackFrames('    at f (/a.js:1:1)\n'.repeat(200))).toHaveLength(50)
    expect(stackFrames('')).toEqual([])
  })
})

describe('errorEnvelope', () => {
  const options = {
    error: Object.assign(new TypeError('x'.repeat(9000)), { digest: '2774530904' }),
    request: { path: '/o/a/issues?q=secret', method: 'GET' },
    where: { routeType: 'render', routePath: '/o/[org]/issues', renderSource: 'react-server-components' },
    eventId: 'a'.repeat(32),
    atMs: 1_795_000_000_000,
    release: 'mishap@0.1.0',
    dsn: 'http://k@h/1',
  }
  const [header, item, event] = errorEnvelope(options)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

  it('is an envelope with one event', () => {
    expect(header).toMatchObject({ event_id: options.eventId, dsn: options.dsn })
    expect(item).toEqual({ type: 'event' })
  })
  it('carries the digest as a tag and the error cut to its limit', () => {
    expect(event).toMatchObject({
      tags: { digest: '2774530904', route_type: 'render' },
      environment: 'production',
      platform: 'node',
      transaction: 'GET /o/[org]/issues',
    })
    const { values } = (event?.exception ?? {}) as { values: { type: string; value: string }[] }
    expect(values[0]?.type).toBe('TypeError')
    expect(values[0]?.value).toHaveLength(4000)
  })
  it('leaves out what people typed into the address', () => expect(JSON.stringify(event)).not.toContain('secret'))
  it('has no digest tag where there is none', () => {
    const text = errorEnvelope({ ...options, error: new Error('plain') })
    expect(text).not.toContain('digest')
  })
})

describe('sendServerError', () => {
  it.each([['https://k@mishap.example/7'], ['https://k@intranet.example/tools/mishap/7']])(
    'posts to the own port, whatever address %s has',
    async (dsn) => {
      const asked: string[] = []
      const server = createServer((req, res) => {
        asked.push(`${req.method} ${req.url}`)
        res.end()
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      const silent = { error: () => undefined, warn: () => undefined }
      const app = {
        observe: silent,
        selfDsn: () => dsn,
        clock: { now: () => 1_795_000_000_000 },
        version: '0.1.0',
        config: { host: '0.0.0.0', port },
      } as unknown as App
      const where = { routeType: 'render', routePath: '/o/[org]/issues', renderSource: 'react-server-components' }
      await sendServerError(app, new TypeError('no'), { path: '/o/a', method: 'GET' }, where)
      server.close()
      expect(asked).toEqual(['POST /api/7/envelope/?sentry_key=k&sentry_version=7'])
    },
  )

  it('says nothing of a request whose sender left', async () => {
    const lines: string[] = []
    const say = (level: string) => () => void lines.push(level)
    const app = {
      observe: { debug: say('debug'), warn: say('warn'), error: say('error') },
      selfDsn: () => assert.fail('no report is made'),
    } as unknown as App
    const where = { routeType: 'action', routePath: '/login' }
    const error = Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
    await sendServerError(app, error, { path: '/login', method: 'POST' }, where)
    expect(lines).toEqual(['debug'])
  })
})
