import { describe, expect, it } from 'vitest'
import { errorEnvelope, stackFrames } from './server-report.ts'

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
    asked: { path: '/o/a/issues?q=secret', method: 'GET' },
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
