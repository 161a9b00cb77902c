import { afterEach, expect, test } from 'vitest'
import { auth, createRig, disabledKey, envelopeOf, eventId, publicKey, type Rig } from './rig.cases.ts'

let rig: Rig
const start = async (...given: Parameters<typeof createRig>) => (rig = await createRig(...given))
afterEach(() => rig?.close())

const path = '/api/7/envelope/'
const event = envelopeOf({ event_id: eventId }, 'event', 'session', 'my-own-type')

test('an accepted request: its record, SDK, id; items wait for refine and names of senders are not repeated', async () => {
  const { send, accept } = await start()
  const client = { 'x-sentry-auth': `${auth['x-sentry-auth']}, sentry_client=sentry.x/1.2\u00e9` }
  expect((await send(path, { headers: client, body: event })).status).toBe(200)
  const notes = accept.drainRequestLog()
  expect(notes).toMatchObject([
    {
      keyId: 1,
      projectId: 7,
      route: 'envelope',
      status: 200,
      code: 'OK',
      reason: '',
      eventId,
      more: 0,
      bytes: event.length,
      items: [
        { type: 'event', outcome: 'waiting', reason: '' },
        { type: 'session', outcome: 'waiting', reason: '' },
        { type: 'unknown', outcome: 'waiting', reason: '' },
      ],
    },
  ])
  expect(notes[0]?.sdk).toMatch(/^sentry\.x\/1\.2\?+$/)
  expect(notes[0]?.jpos).toBeGreaterThan(0)
  expect(accept.drainRequestLog()).toEqual([])
})

test.each([
  ['no such key', `${path}?sentry_key=${'e'.repeat(32)}`, 403, 0, 'ACCEPT_KEY_UNKNOWN', 'unknown_key'],
  ['a disabled one', `${path}?sentry_key=${disabledKey}`, 403, 4, 'ACCEPT_KEY_DISABLED', 'disabled_key'],
  ['a broken body', `${path}?sentry_key=${publicKey}`, 400, 1, 'ACCEPT_ENVELOPE_MALFORMED', 'bad_envelope'],
])('a refused request: %s', async (_name, url, status, keyId, code, reason) => {
  const { send, accept } = await start()
  await send(url, { body: 'broken' })
  expect(accept.drainRequestLog()).toMatchObject([{ keyId, status, code, reason, jpos: -1 }])
  expect(accept.answers()).toEqual([{ status, code, count: 1 }])
})

test('what a rate limit took out is told beside what was kept', async () => {
  const { send, accept } = await start({ key: { rateLimit: { count: 2, windowS: 60 } } })
  await send(path, { headers: auth, body: event })
  await send(path, { headers: auth, body: event })
  const [first, second] = accept.drainRequestLog()
  expect(first?.items.map((item) => item.outcome)).toEqual(['waiting', 'waiting', 'rate_limited'])
  expect(second).toMatchObject({ status: 429, reason: 'key_limit', jpos: -1 })
  expect(second?.items.map((item) => item.reason)).toEqual(['key_limit', 'key_limit', 'key_limit'])
})

test('the newest hundred of a key', async () => {
  const { send, accept } = await start()
  for (let i = 0; i < 105; i++) await send(`${path}?sentry_key=${publicKey}`, { body: 'broken' })
  expect(accept.drainRequestLog()).toHaveLength(100)
  expect(accept.answers()[0]?.count).toBe(105)
})
