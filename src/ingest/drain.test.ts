import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { createRig, publicKey, type Rig } from './rig.cases.ts'

const withKey = `?sentry_key=${publicKey}`
const basic = { authorization: `Basic ${Buffer.from(`${publicKey}:`).toString('base64')}` }
const lines = JSON.stringify([{ message: 'a' }, { message: 'b' }])
const frames = '26 <190>1 a b c d - listening'

const state = {} as { rig: Rig }
const start = async (options: Parameters<typeof createRig>[0] = {}) => {
  state.rig = await createRig(options)
  return state.rig
}
afterEach(() => state.rig.close())

describe('what is accepted', () => {
  test.each<[string, string, Record<string, string>, string]>([
    ['vercel_logs', `integration/vercel/logs${withKey}`, { 'content-type': 'application/json' }, lines],
    [
      'vercel_logs',
      `integration/vercel/logs/${withKey}`,
      { 'content-type': 'application/x-ndjson' },
      '{"message":"a"}\n',
    ],
    [
      'vercel_logs',
      'integration/vercel/logs',
      { 'content-type': 'application/json', 'x-sentry-auth': `sentry sentry_key=${publicKey}` },
      lines,
    ],
    ['heroku_logs', `integration/heroku/logs${withKey}`, { 'content-type': 'application/logplex-1' }, frames],
    ['heroku_logs', 'integration/heroku/logs', { 'content-type': 'application/logplex-1', ...basic }, frames],
  ])('%s at /api/7/%s', async (kind, route, headers, body) => {
    const rig = await start()
    const answer = await rig.send(`/api/7/${route}`, {
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: gzipSync(body),
    })
    expect(answer.status).toBe(200)
    expect(rig.journal.records).toHaveLength(1)
    expect(rig.journal.records[0]?.head).toMatchObject({ kind, projectId: 7, contentType: headers['content-type'] })
    expect(rig.journal.records[0]?.body.toString()).toBe(body)
    expect(rig.accept.drainRequestLog()).toMatchObject([{ status: 200, items: [{ type: kind, outcome: 'waiting' }] }])
  })

  test('not a body with millions of objects', async () => {
    const rig = await start()
    const answer = await rig.send(`/api/7/integration/vercel/logs${withKey}`, {
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(`[${'{},'.repeat(2_000_000)}{}]`),
    })
    expect(answer.status).toBe(413)
    expect(rig.journal.records).toHaveLength(0)
    expect(rig.accept.drainOutcomes()).toMatchObject([
      { category: 'log_item', outcome: 'invalid', reason: 'too_large' },
    ])
  })

  test.each<[string, string, Record<string, string>, string | undefined]>([
    ['in the address', `${withKey}&x-vercel-verify=a1B2-c3`, {}, 'a1B2-c3'],
    ['in the request', withKey, { 'x-vercel-verify': 'code7' }, 'code7'],
    ['that is no word', `${withKey}&x-vercel-verify=a%0d%0ab`, {}, undefined],
    ['not at all', withKey, {}, undefined],
  ])('Vercel’s check of the address, with a code %s', async (_name, query, headers, code) => {
    const rig = await start()
    const answer = await rig.send(`/api/7/integration/vercel/logs${query}`, {
      headers: { 'content-type': 'application/json', ...headers },
      body: '[]',
    })
    expect([answer.status, answer.headers['x-vercel-verify']]).toEqual([200, code])
    expect([rig.journal.records, rig.accept.drainOutcomes()]).toEqual([[], []])
  })

  test('a body over 1 MiB goes to the blob store', async () => {
    const rig = await start()
    const body = JSON.stringify(Array.from({ length: 2000 }, () => ({ message: 'x'.repeat(1000) })))
    const answer = await rig.send(`/api/7/integration/vercel/logs${withKey}`, {
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(answer.status).toBe(200)
    const { spool } = rig.journal.records[0]?.head ?? {}
    expect(rig.blobs.get(spool?.key ?? '')?.toString()).toBe(body)
    expect(rig.journal.state.lanes).toEqual(['bulk'])
  })
})

describe('what is refused', () => {
  test.each<[string, string, Record<string, string>, number, string]>([
    ['another type', `integration/vercel/logs${withKey}`, { 'content-type': 'text/plain' }, 415, 'invalid'],
    [
      'another drain’s type',
      `integration/heroku/logs${withKey}`,
      { 'content-type': 'application/json' },
      415,
      'invalid',
    ],
    ['no key', 'integration/heroku/logs', { 'content-type': 'application/logplex-1' }, 401, 'invalid'],
  ])('%s', async (_name, route, headers, status, outcome) => {
    const rig = await start()
    const answer = await rig.send(`/api/7/${route}`, { headers, body: frames })
    expect(answer.status).toBe(status)
    expect(rig.accept.drainOutcomes()).toMatchObject([{ category: 'log_item', outcome, quantity: 1 }])
  })

  test('lines over the rate limit are counted one by one', async () => {
    const rig = await start({ key: { rateLimit: { count: 1, windowS: 60 } } })
    const send = () =>
      rig.send(`/api/7/integration/vercel/logs${withKey}`, {
        headers: { 'content-type': 'application/json' },
        body: lines,
      })
    expect([(await send()).status, (await send()).status]).toEqual([200, 429])
    expect(rig.accept.drainOutcomes()).toMatchObject([
      { category: 'log_item', outcome: 'rate_limited', itemType: 'vercel_logs', quantity: 2 },
    ])
  })
})
