import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { unpackDeadLetter } from '../../journal/dead-letter.ts'
import type { RecordHead } from '../../journal/journal.ts'
import { offsetOf } from '../../journal/record.ts'
import { openFileBlobs } from '../../store/blobs/files.ts'
import {
  type Bench,
  bench,
  closing,
  envelope,
  head,
  newId,
  openTestJournal,
  outcome,
  send,
  settled,
  stored,
} from '../rig.cases.ts'

const issues = (entry: Bench) => entry.meta.issues.listIssues({ projectIds: [entry.projectId], sort: 'last', max: 10 })

const threadFile = fileURLToPath(new URL('./thread.ts', import.meta.url))

test('what is in the journal is stored, counted and told of, once', async () => {
  const entry = await bench()
  // A thread of the product, as most other cases share one of the tests.
  const refine = entry.open(threadFile)
  await refine.start()
  await send(entry, 30)
  refine.advance(entry.writer.durable())
  await settled(entry, 30)
  expect(entry.events.rows.length).toBe(30)
  expect(await issues(entry)).toMatchObject([{ count: 30, title: 'TypeError: x' }])
  expect(entry.commits.flatMap((commit) => commit.issues).reduce((sum, issue) => sum + issue.events, 0)).toBe(30)
  expect(entry.commits[0]?.issues[0]).toMatchObject({ isNew: true })
})

test('what a filter drops is counted, and a hundredth of it kept, by the same commit', async () => {
  const entry = await bench()
  await entry.meta.projects.updateProject(entry.projectId, { filters: { messages: ['Noise*'] } })
  const refine = entry.open()
  await refine.start()
  await send(entry, 1500, 'NoiseError')
  await send(entry, 1)
  refine.advance(entry.writer.durable())
  await settled(entry, 1)
  expect([await stored(entry), await outcome(entry, 'filtered')]).toEqual([1, 1500])
  const kept = await entry.meta.projects.filteredEvents(entry.projectId, 'error_message', 100)
  // The mean is 15. Zero or more than 50 occurs once in a million runs.
  expect(kept.length).toBeGreaterThan(0)
  expect(kept.length).toBeLessThan(50)
  expect(kept[0]).toMatchObject({ title: 'NoiseError: x', why: 'Noise*' })
  expect(JSON.parse(kept[0]?.payload ?? '')).toMatchObject({ platform: 'javascript' })
}, 30_000)

test('after a start nothing is looked for again until something arrives', async () => {
  const entry = await bench()
  await send(entry, 3)
  await entry.writer.close()
  // A start begins a new segment, so the end of the journal is beyond its last record.
  const writer = await openTestJournal(join(entry.folder, 'journal'))
  closing.push(() => writer.close())
  const looks = { count: 0 }
  const refine = entry.open(undefined, {
    ...systemClock,
    sleep: (ms, signal) => {
      looks.count++
      return systemClock.sleep(Math.min(ms, 5), signal)
    },
  })
  await refine.start()
  refine.advance(writer.durable())
  for (let tries = 0; (await stored(entry)) < 3 && tries < 400; tries++) await systemClock.sleep(25)
  expect(offsetOf(writer.durable())).toBe(0)
  const before = looks.count
  await systemClock.sleep(500)
  expect(looks.count - before).toBeLessThanOrEqual(2)
  await writer.append(head(entry.projectId), envelope(newId()))
  refine.advance(writer.durable())
  for (let tries = 0; (await stored(entry)) < 4 && tries < 400; tries++) await systemClock.sleep(25)
  expect(await stored(entry)).toBe(4)
})

test('an event id that comes again within the hour is counted as duplicate and stored once', async () => {
  const entry = await bench()
  const refine = entry.open()
  await refine.start()
  const [id = ''] = await send(entry, 1)
  await entry.writer.append(head(entry.projectId), envelope(id))
  await entry.writer.append(head(entry.projectId), envelope(id))
  refine.advance(entry.writer.durable())
  await settled(entry, 1)
  expect([
    entry.events.rows.length,
    await stored(entry),
    await outcome(entry, 'duplicate'),
    (await issues(entry))[0]?.count,
  ]).toEqual([1, 1, 2, 1])
})

test.each([
  ['the store is away for a while', ['before', 'before', 'before'] as const],
  ['the answer got lost after the rows stood', ['after'] as const],
  ['both', ['before', 'after', 'before'] as const],
])('%s: every row once, every counter right', async (_name, faults) => {
  const entry = await bench()
  entry.events.state.fail.push(...faults)
  const refine = entry.open()
  await refine.start()
  await send(entry, 20)
  refine.advance(entry.writer.durable())
  await settled(entry, 20)
  expect(entry.events.rows.length).toBe(20)
  expect((await issues(entry))[0]?.count).toBe(20)
  expect(entry.failures).toEqual([])
})

test('a row that the store refuses for its content ends as a dead item; the others are stored', async () => {
  const entry = await bench()
  entry.events.state.bad = 'PoisonError'
  const refine = entry.open()
  await refine.start()
  await send(entry, 5)
  await send(entry, 1, 'PoisonError')
  await send(entry, 5)
  refine.advance(entry.writer.durable())
  await settled(entry, 10)
  expect([
    entry.events.rows.length,
    await outcome(entry, 'dead'),
    (await entry.meta.ledger.deadLetters(10)).length,
  ]).toEqual([10, 1, 1])
  entry.events.state.bad = ''
  for (const dead of await entry.meta.ledger.deadLetters(1)) {
    const kept = unpackDeadLetter((await openFileBlobs(join(entry.folder, 'blobs')).get(dead.blobKey)) as Buffer)
    if (kept) refine.advance(await entry.writer.append({ ...kept.head, again: { ...dead, ...kept.count } }, kept.body))
  }
  refine.advance(entry.writer.durable())
  await settled(entry, 11)
  expect([
    await outcome(entry, 'dead'),
    await outcome(entry, 'received'),
    await entry.meta.ledger.deadLetters(10),
  ]).toEqual([0, 11, []])
})

test.each([
  [0, 'none'],
  [5, 'some'],
  // The store remembers the token of the lost rows. It would drop the same token silently.
  [12, 'all'],
])(
  'a process that ended between insert and commit takes what stands and adds the rest: %i rows lost, %s',
  async (lost) => {
    const entry = await bench()
    await send(entry, 12)
    const first = entry.open()
    // The rows are stored, but the commit never happens.
    const commitBatch = entry.meta.batches.commitBatch
    entry.meta.batches.commitBatch = async () => {
      throw new Error('power cut')
    }
    await first.start()
    first.advance(entry.writer.durable())
    for (let i = 0; i < 500 && entry.failures.length === 0; i++) await systemClock.sleep(20)
    await first.stop(0)
    entry.meta.batches.commitBatch = commitBatch
    expect((await entry.meta.batches.openBatches()).length).toBeGreaterThan(0)
    expect(await stored(entry)).toBe(0)
    // The power cut lost some of the rows.
    entry.events.rows.splice(0, lost)
    // A filter that is newer than the stored rows removes none of them.
    if (lost === 0) await entry.meta.projects.updateProject(entry.projectId, { filters: { messages: ['TypeError*'] } })
    const again = entry.open()
    again.advance(entry.writer.durable())
    await again.start().catch((error: unknown) => {
      throw error
    })
    again.advance(entry.writer.durable())
    await settled(entry, 12)
    expect([
      entry.events.rows.length,
      (await issues(entry))[0]?.count,
      (await entry.meta.batches.openBatches()).length,
    ]).toEqual([12, 12, 0])
  },
)

const killerFile = fileURLToPath(new URL('./killer.cases.ts', import.meta.url))
const odd = (word: string) => Buffer.concat([envelope(newId()), Buffer.from(`{"type":"made_up"}\n${word}\n`)])

test('a record that ends its worker is found, kept as a dead item, and the others are stored', async () => {
  const entry = await bench()
  const refine = entry.open(killerFile)
  await refine.start()
  await send(entry, 2)
  const body = odd('KILLS-ITS-WORKER')
  await entry.writer.append(head(entry.projectId), body)
  refine.advance(entry.writer.durable())
  await systemClock.sleep(20)
  // Another batch in flight, which must not be blamed.
  await send(entry, 2)
  refine.advance(entry.writer.durable())
  await settled(entry, 4, 2000)
  expect([
    entry.events.rows.length,
    await outcome(entry, 'dead'),
    await outcome(entry, 'received'),
    entry.failures,
  ]).toEqual([4, 1, 5, []])
  const [dead] = await entry.meta.ledger.deadLetters(5)
  expect(dead).toMatchObject({ projectId: entry.projectId, bytes: body.length })
  expect(dead?.reason).toMatch(/a worker ended on it/)
  const kept = await openFileBlobs(join(entry.folder, 'blobs')).get(dead?.blobKey ?? '')
  expect(kept?.subarray(kept.indexOf('\n') + 1).equals(body)).toBe(true)
}, 60_000)

test('a restart with such a record in an open batch recovers and goes on', async () => {
  const entry = await bench()
  await send(entry, 1)
  await entry.writer.append(head(entry.projectId), odd('KILLS-ITS-WORKER'))
  await send(entry, 1)
  // The batch was opened, then the process ended.
  await entry.meta.batches.openBatch(await entry.meta.batches.cursor(), entry.writer.durable())
  const refine = entry.open(killerFile)
  await refine.start()
  await send(entry, 2)
  refine.advance(entry.writer.durable())
  await settled(entry, 4, 2000)
  expect([
    entry.events.rows.length,
    await outcome(entry, 'dead'),
    (await entry.meta.batches.openBatches()).length,
  ]).toEqual([4, 1, 0])
}, 60_000)

test('a record that ends the process in each recovery is a dead item at the fifth', async () => {
  const entry = await bench()
  await send(entry, 2)
  await entry.writer.append(head(entry.projectId), odd('HOLDS-ITS-WORKER'))
  await send(entry, 2)
  await entry.meta.batches.openBatch(await entry.meta.batches.cursor(), entry.writer.durable())
  let starts = 0
  for (let done = false; !done && starts < 9; starts++) {
    const refine = entry.open(killerFile)
    // The refine run never finishes, and then the process ends.
    const held = join(entry.folder, 'journal-held')
    const start = refine.start().then(() => {
      done = true
    })
    start.catch(() => undefined)
    for (let i = 0; i < 500 && !done && !existsSync(held); i++) await systemClock.sleep(10)
    rmSync(held, { force: true })
    if (!done) await refine.stop(0)
  }
  expect([starts, entry.events.rows.length, await stored(entry), await outcome(entry, 'dead')]).toEqual([5, 4, 4, 1])
  expect((await entry.meta.ledger.deadLetters(5))[0]?.reason).toBe('Error: the process ended on it')
  expect(readdirSync(join(entry.folder, 'journal')).filter((name) => name.startsWith('recovery'))).toEqual([])
}, 60_000)

test('a journal that was emptied, its number too, is found instead of skipped', async () => {
  const entry = await bench()
  const refine = entry.open()
  await refine.start()
  await send(entry, 3)
  refine.advance(entry.writer.durable())
  await settled(entry, 3)
  await refine.stop(500)
  const again = entry.open()
  await again.start()
  again.advance((await entry.meta.batches.cursor()) - 1)
  await expect
    .poll(() => entry.failures, { timeout: 10_000 })
    .toMatchObject([{ code: 'START_JOURNAL_BEHIND', message: expect.stringContaining('write 1 and a line break') }])
})

// ---- the ledger: received items are counted apart from their outcomes

const item = (header: object, payload: string) =>
  `${JSON.stringify({ ...header, length: Buffer.byteLength(payload) })}\n${payload}\n`
const whole = (type = 'TypeError') =>
  JSON.stringify({
    platform: 'javascript',
    timestamp: Date.now() / 1000,
    exception: { values: [{ type, value: 'x' }] },
  })
const bodyOf = (...items: string[]) => Buffer.from(`{"event_id":"${newId()}"}\n${items.join('')}`)
const report = JSON.stringify({
  discarded_events: [{ category: 'error', reason: 'sample_rate', quantity: 7 }],
})
const csp = (uri: string) => ({
  type: 'csp-violation',
  url: 'https://a.test/',
  body: { blockedURL: uri, documentURL: 'https://a.test/', effectiveDirective: 'script-src', disposition: 'enforce' },
})

/** Fields that replace those of the usual head, the body, and the resulting sums of the ledger. */
type Counted = { received: number; [end: string]: number }
const ledgerCases: [string, Partial<RecordHead>, () => Buffer, Counted][] = [
  ['one event', {}, () => bodyOf(item({ type: 'event' }, whole())), { received: 1, stored: 1 }],
  [
    'three items, one of them taken out by accept',
    { skip: [1] },
    () =>
      bodyOf(
        item({ type: 'event' }, whole()),
        item({ type: 'session' }, '{}'),
        item({ type: 'attachment', filename: 'a' }, 'abc'),
      ),
    { received: 2, stored: 2 },
  ],
  [
    'what is not stored yet',
    {},
    () => bodyOf(item({ type: 'check_in' }, '{}'), item({ type: 'made_up' }, 'x')),
    { received: 2, filtered: 2 },
  ],
  [
    'sessions, and one without a release',
    {},
    () => {
      const session = {
        sid: 'a'.repeat(32),
        init: true,
        started: new Date().toISOString(),
        attrs: { release: 'web@1' },
      }
      const { started } = session
      const buckets = { aggregates: [{ started, exited: 5 }, { started, crashed: 1 }, null], attrs: session.attrs }
      return bodyOf(
        item({ type: 'session' }, JSON.stringify(session)),
        item({ type: 'session' }, '{}'),
        item({ type: 'sessions' }, JSON.stringify(buckets)),
      )
    },
    { received: 5, stored: 3, invalid: 2 },
  ],
  [
    'a client report is one item, whatever it reports',
    {},
    () => bodyOf(item({ type: 'client_report' }, report)),
    { received: 1, filtered: 1, client_discard: 7 },
  ],
  ['a broken event', {}, () => bodyOf(item({ type: 'event' }, '{"')), { received: 1, invalid: 1 }],
  ['an envelope without items', {}, () => bodyOf(), { received: 0 }],
  ['no envelope at all', {}, () => Buffer.from('nonsense'), { received: 1, invalid: 1 }],
  ['the store route', { kind: 'store' }, () => Buffer.from(whole()), { received: 1, stored: 1 }],
  ['the store route with rubbish', { kind: 'store' }, () => Buffer.from('x'), { received: 1, invalid: 1 }],
  [
    'reports of a browser, a list in one body',
    { kind: 'security', contentType: 'application/reports+json' },
    () => Buffer.from(JSON.stringify([csp('https://x.test/1.js'), csp('https://y.test/2.js'), { type: 'other' }])),
    { received: 3, stored: 2, filtered: 1 },
  ],
  [
    'reports of a browser, a list in one item',
    {},
    () =>
      bodyOf(item({ type: 'raw_security' }, JSON.stringify([csp('https://x.test/1.js'), csp('https://y.test/2.js')]))),
    { received: 2, stored: 2 },
  ],
  [
    'a record whose project is gone is dead, as one item',
    { projectId: 999 },
    () => bodyOf(item({ type: 'event' }, whole()), item({ type: 'session' }, '{}')),
    { received: 1, dead: 1 },
  ],
  [
    'a record whose spooled body is gone is dead',
    { spool: { key: 'spool/none', bytes: 5 } },
    () => Buffer.alloc(0),
    { received: 1, dead: 1 },
  ],
]

test.each(ledgerCases)('ledger: %s', async (_name, change, body, expected) => {
  const entry = await bench()
  const refine = entry.open()
  await refine.start()
  await entry.writer.append({ ...head(entry.projectId), ...change }, body())
  refine.advance(entry.writer.durable())
  await settled(entry, 0)
  const sums: Record<string, number> = { received: 0 }
  for (const row of await entry.meta.ledger.outcomesSince({ fromMs: 0 }))
    sums[row.outcome] = (sums[row.outcome] ?? 0) + row.quantity
  expect(sums).toEqual(expected)
  const ends = Object.entries(sums).filter(([name]) => name !== 'received' && name !== 'client_discard')
  expect(ends.reduce((sum, [, quantity]) => sum + quantity, 0)).toBe(sums.received)
})

test('ledger: what accept refused itself arrives as received and ended; its discards do not', async () => {
  const entry = await bench()
  const refine = entry.open()
  await refine.start()
  const refused = { projectId: entry.projectId, keyId: 1, category: 'error', itemType: 'event', bytes: 3 }
  const counts = {
    outcomes: [
      { ...refused, outcome: 'rate_limited', reason: 'key_limit', quantity: 4 },
      { ...refused, outcome: 'invalid', reason: 'too_large', quantity: 1 },
      { ...refused, outcome: 'client_discard', reason: 'sdk', quantity: 9 },
    ],
    uses: [{ keyId: 1, atMs: 1234, refusedCode: 'ACCEPT_RATE_LIMITED' }],
  }
  await entry.meta.projects.createKey(entry.projectId, 'Default')
  await entry.writer.append({ ...head(0), kind: 'outcomes' }, Buffer.from(JSON.stringify(counts)))
  refine.advance(entry.writer.durable())
  await settled(entry, 0)
  expect(
    await Array.fromAsync(['received', 'rate_limited', 'invalid', 'client_discard'], async (name) =>
      outcome(entry, name),
    ),
  ).toEqual([5, 4, 1, 9])
  expect((await entry.meta.projects.keysOf(entry.projectId))[0]?.lastUsedMs).toBe(1234)
})

test('ledger: a duplicate was received as well, and what waits is not counted before its commit', async () => {
  const entry = await bench()
  const refine = entry.open()
  const [id = ''] = await send(entry, 1)
  await entry.writer.append(head(entry.projectId), envelope(id))
  refine.advance(entry.writer.durable())
  expect([await refine.waiting(), await outcome(entry, 'received')]).toEqual([2, 0])
  await refine.start()
  refine.advance(entry.writer.durable())
  await settled(entry, 1)
  expect([
    await refine.waiting(),
    ...(await Array.fromAsync(['received', 'stored', 'duplicate'], async (name) => outcome(entry, name))),
  ]).toEqual([0, 2, 1, 1])
})

test('a dead record is kept whole: head, then body', async () => {
  const entry = await bench()
  const refine = entry.open()
  await refine.start()
  const body = bodyOf(item({ type: 'event' }, whole()))
  await entry.writer.append({ ...head(999), userAgent: 'sdk/1' }, body)
  refine.advance(entry.writer.durable())
  await settled(entry, 0)
  const [dead] = await entry.meta.ledger.deadLetters(5)
  expect(dead).toMatchObject({ projectId: 999, reason: 'Error: the project is gone', bytes: body.length })
  const kept = await openFileBlobs(join(entry.folder, 'blobs')).get(dead?.blobKey ?? '')
  const text = kept?.toString('utf8') ?? ''
  expect(JSON.parse(text.slice(0, text.indexOf('\n')))).toMatchObject({ projectId: 999, userAgent: 'sdk/1' })
  expect(text.slice(text.indexOf('\n') + 1)).toBe(body.toString('utf8'))
})
