import { createPublicKey, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { message } from '../message/message.cases.ts'
import { decrypted, subscriber } from './push.cases.ts'
import { newPushKeys, pushRequest } from './push-service.ts'
import { localService } from './rig.cases.ts'
import { sendVia } from './transports.ts'

const service = await localService()

const keys = await newPushKeys()
const forgotten: number[] = []
const deps = (browser: ReturnType<typeof subscriber>['browser'] | undefined) => ({
  ...service.deps,
  push: {
    browser: async () => browser,
    encrypt: async (
      to: Parameters<typeof pushRequest>[1],
      content: string,
      options: { keptS: number; isUrgent: boolean },
    ) => pushRequest(keys, to, content, { subject: 'https://m.test', ...options }),
    forget: async (id: number) => void forgotten.push(id),
  },
})
const outbound = { message: message(), deliveryId: 9, recipient: '4' }

test('only the browser can read the message, and the push service recognizes the installation', async () => {
  const subscribed = subscriber('https://push.example/send/abc')
  service.answerWith({ status: 201, body: '' })
  expect(await sendVia('push', deps(subscribed.browser), {}, outbound)).toEqual({ answer: '201' })
  const [got] = service.received
  expect(service.called).toEqual(['https://push.example'])
  expect(got).toMatchObject({
    method: 'POST',
    path: '/send/abc',
    headers: { ttl: '86400', urgency: 'normal', 'content-encoding': 'aes128gcm' },
  })
  expect(JSON.parse(decrypted(got?.body ?? Buffer.alloc(0), subscribed))).toEqual({
    title: 'New issue WEB-7: TypeError: x is not a function',
    body: 'app/page\nweb · web@2 · 3 events',
    url: 'https://m.test/o/acme/issues/7',
    tag: 'delivery-9',
  })
  // VAPID (RFC 8292): a token for this push service, signed with our key.
  const [, token = '', shownKey] = /^vapid t=([^,]+), k=(.+)$/.exec(got?.headers.authorization ?? '') ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  expect(shownKey).toBe(keys.publicKey)
  const point = Buffer.from(keys.publicKey, 'base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  expect(isSigned).toBe(true)
  const { aud, sub, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  expect([aud, sub]).toEqual(['https://push.example', 'https://m.test'])
  // A push service refuses tokens that are valid for more than a day.
  const leftS = exp - service.deps.clock.now() / 1000
  expect(leftS).toBeGreaterThan(0)
  expect(leftS).toBeLessThanOrEqual(86_400)
})

test.each([404, 410])('a subscription that the service answers with %i is removed', async (status) => {
  forgotten.length = 0
  service.answerWith({ status, body: '' })
  await expect(
    sendVia('push', deps(subscriber('https://push.example/send/abc').browser), {}, outbound),
  ).rejects.toThrow(/withdrawn its subscription/)
  expect(forgotten).toEqual([4])
})

test('a push service that is called too often names the pause, and the subscription stays', async () => {
  forgotten.length = 0
  service.answerWith({ status: 429, headers: { 'retry-after': '20' }, body: '' })
  await expect(
    sendVia('push', deps(subscriber('https://push.example/send/abc').browser), {}, outbound),
  ).rejects.toMatchObject({
    retryAfterMs: 20_000,
  })
  expect(forgotten).toEqual([])
})

test('a browser that was signed off since gets nothing', async () => {
  service.answerWith({ status: 201, body: '' })
  expect(await sendVia('push', deps(undefined), {}, outbound)).toEqual({
    answer: 'Nothing was sent: the browser gets no push messages any more.',
  })
  expect(service.received).toEqual([])
})
