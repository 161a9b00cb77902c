import { afterEach, describe, expect, test } from 'vitest'
import { systemClock, testClock } from '../base/clock.ts'
import { createAttachmentQuota, unlinkedAttachments } from './lone-attachments.ts'
import { auth, codeOf, createRig, eventId, otherKey, publicKey, type Rig, until } from './rig.cases.ts'

const KiB = 1024
const MiB = 1024 * KiB
const path = `/api/7/envelope/?sentry_key=${publicKey}`
const formPath = `/api/7/events/${eventId}/attachments/`

let rig: Rig
const start = async (...given: Parameters<typeof createRig>) => (rig = await createRig(...given))
afterEach(() => rig?.close())

const envelope = (...items: [type: string, bytes: number, headers?: object][]) =>
  Buffer.concat([
    Buffer.from(`{"event_id":"${eventId}"}\n`),
    ...items.map(([type, length, headers]) =>
      Buffer.from(`${JSON.stringify({ type, length, ...headers })}\n${'1'.repeat(length)}\n`),
    ),
  ])
const form = (bytes: number, files = 1) => ({
  headers: { ...auth, 'content-type': 'multipart/form-data; boundary=b' },
  body: `${`--b\r\ncontent-disposition: form-data; name="f"; filename="f"\r\n\r\n${'1'.repeat(bytes)}\r\n`.repeat(files)}--b--\r\n`,
})
const config = { attachmentBytesPerHour: 100 * KiB }

describe('what is without an event', () => {
  test.each<[string, [string, object?][], number[]]>([
    ['an attachment alone', [['attachment']], [0]],
    ['beside an event', [['event'], ['attachment']], []],
    ['beside feedback', [['attachment'], ['feedback']], []],
    ['beside a transaction', [['attachment'], ['transaction']], []],
    [
      'beside a minidump, which makes an event',
      [['attachment', { attachment_type: 'event.minidump' }], ['attachment']],
      [],
    ],
    ['beside what makes none', [['session'], ['attachment'], ['client_report'], ['attachment']], [1, 3]],
  ])('%s', (_name, items, places) => {
    const spans = items.map(([type, headers = {}]) => ({ type, headers, bytes: 1 }))
    expect([...unlinkedAttachments(spans as never)]).toEqual(places)
  })
})

test('an hour after its first one a project may send again; 0 bounds nothing', () => {
  const quota = createAttachmentQuota(10_000)
  expect(quota.take(1, 9_000, 0)).toBeUndefined()
  expect(quota.take(1, 1_001, 600_000)).toMatchObject({
    scope: 'project',
    reason: 'attachment_quota',
    retryAfterS: 3000,
  })
  expect(quota.take(2, 9_000, 600_000)).toBeUndefined()
  expect(quota.take(1, 9_000, 3_600_000)).toBeUndefined()
  // A small file still takes a disk block.
  expect(quota.take(3, 1, 0, 3)).toMatchObject({ reason: 'attachment_quota' })
  expect([quota.take(4, 1, 0), quota.take(4, 1, 0), quota.take(4, 1, 0)?.reason]).toEqual([
    undefined,
    undefined,
    'attachment_quota',
  ])
  expect(createAttachmentQuota(0).take(1, 1e12, 0)).toBeUndefined()
})

describe('the quota of attachments without an event', () => {
  test('a flood of them is refused and counted, and events go on', async () => {
    const clock = testClock(1_000_000)
    await start({ config, clock: { ...systemClock, now: clock.now } })
    expect((await rig.send(path, { body: envelope(['attachment', 60 * KiB]) })).status).toBe(200)
    const refused = await rig.send(path, { body: envelope(['attachment', 60 * KiB]) })
    expect([refused.status, codeOf(refused)]).toEqual([429, 'ACCEPT_RATE_LIMITED'])
    expect(refused.headers['x-sentry-rate-limits']).toBe('3600:attachment;attachment_item:project:attachment_quota')
    expect(rig.accept.drainOutcomes()).toMatchObject([
      { category: 'attachment', outcome: 'rate_limited', reason: 'attachment_quota', quantity: 1, bytes: 60 * KiB },
    ])
    // The event rate limits attachments that arrive with their event.
    expect((await rig.send(path, { body: envelope(['event', 2], ['attachment', 90 * KiB]) })).status).toBe(200)
    const other = `/api/8/envelope/?sentry_key=${otherKey}`
    expect((await rig.send(other, { body: envelope(['attachment', 60 * KiB]) })).status).toBe(200)
    expect(rig.journal.records).toHaveLength(3)
    clock.advance(3_600_000)
    expect((await rig.send(path, { body: envelope(['attachment', 60 * KiB]) })).status).toBe(200)
  })

  test('of an envelope only they are taken out', async () => {
    await start({ config })
    const answer = await rig.send(path, { body: envelope(['session', 2], ['attachment', 101 * KiB]) })
    expect(answer.status).toBe(429)
    expect(rig.journal.records[0]?.head.skip).toEqual([1])
  })

  test('the route for attachments has the same budget, each file a block at least', async () => {
    await start({ config })
    expect((await rig.send(formPath, form(60 * KiB))).status).toBe(201)
    expect((await rig.send(path, { body: envelope(['attachment', 60 * KiB]) })).status).toBe(429)
    expect((await rig.send(formPath, form(1, 10))).status).toBe(429)
    expect(rig.accept.drainOutcomes().map((drainOutcome) => [drainOutcome.itemType, drainOutcome.reason])).toEqual([
      ['attachment', 'attachment_quota'],
    ])
  })

  test('a large body that is refused leaves no spool', async () => {
    await start({ config })
    expect((await rig.send(formPath, form(2 * MiB))).status).toBe(429)
    expect((await rig.send(path, { body: envelope(['attachment', 2 * MiB]) })).status).toBe(429)
    await until(() => rig.blobs.size === 0)
    expect(rig.journal.records).toHaveLength(0)
  })
})
