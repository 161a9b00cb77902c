import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { type Observe, silent } from '../base/observe.ts'
import type { RecordOutcomes } from '../journal/request-log.ts'
import { openFileBlobs } from '../store/blobs/files.ts'
import { logColumns } from '../store/events/logs/encode.ts'
import { linesOf } from '../store/events/row-file.ts'
import { type Bench, bench, envelope, head, newId, outcome, send, settled, stored, until } from './rig.cases.ts'

test('totals count the batches, records, events and time of what was committed', async () => {
  const entry = await bench()
  const refine = entry.open()
  await refine.start()
  expect(refine.totals()).toEqual({ batches: 0, records: 0, events: 0, ms: 0 })
  await send(entry, 7)
  refine.advance(entry.writer.durable())
  await settled(entry, 7)
  const first = refine.totals()
  expect(first).toMatchObject({ records: 7, events: 7 })
  expect(first.batches).toBeGreaterThan(0)
  await send(entry, 2)
  refine.advance(entry.writer.durable())
  await settled(entry, 9)
  const both = refine.totals()
  expect(both).toMatchObject({ records: 9, events: 9 })
  expect(both.batches).toBeGreaterThan(first.batches)
  // A sum of durations, not of times of day.
  expect(both.ms).toBeGreaterThanOrEqual(first.ms)
  expect(both.ms).toBeLessThan(60_000)
  expect(first.ms).toBeGreaterThanOrEqual(0)
})

test('a reader can wait until what was on disk is committed, and not longer than it says', async () => {
  const entry = await bench()
  const refine = entry.open()
  await refine.start()
  await refine.caughtUp(60_000)
  for (const sum of [3, 6]) {
    await send(entry, 3)
    refine.advance(entry.writer.durable())
    await refine.caughtUp(60_000)
    expect([await stored(entry), await entry.meta.batches.cursor()]).toEqual([sum, entry.writer.durable()])
  }
  const resume = await refine.pause()
  await send(entry, 1)
  refine.advance(entry.writer.durable())
  await refine.caughtUp(10)
  expect(await stored(entry)).toBe(6)
  resume()
  await settled(entry, 7)
})

test('a clock that goes back takes nothing from the total duration', async () => {
  const entry = await bench()
  let nowMs = Date.now()
  const refine = entry.open(undefined, { ...systemClock, now: () => (nowMs -= 10) })
  await refine.start()
  await send(entry, 3)
  refine.advance(entry.writer.durable())
  await settled(entry, 3)
  expect(refine.totals().ms).toBe(0)
})

test('the totals that it returns are a copy', async () => {
  const entry = await bench()
  const refine = entry.open()
  Object.assign(refine.totals(), { records: 99 })
  expect(refine.totals().records).toBe(0)
})

test('the ends of committed records are reported, and changed issues, but not empty lists of them', async () => {
  const entry = await bench()
  const ends: RecordOutcomes[][] = []
  const uses: number[] = []
  const { touchKeys } = entry.meta.ledger
  entry.meta.ledger.touchKeys = async (list) => {
    uses.push(list.length)
    await touchKeys(list)
  }
  const refine = entry.open(undefined, systemClock, { ended: (list) => void ends.push(list) })
  await refine.start()
  await send(entry, 2)
  refine.advance(entry.writer.durable())
  await settled(entry, 2)
  expect([ends.length > 0, ends.every((list) => list.length > 0)]).toEqual([true, true])
  expect(ends.flat()).toContainEqual(expect.objectContaining({ keyId: 1 }))
  const commits = entry.commits.length
  // A report of what a client dropped changes no issue.
  const report = Buffer.from(
    '{}\n{"type":"client_report"}\n{"timestamp":1,"discarded_events":[{"reason":"sample_rate","category":"error","quantity":4}]}\n',
  )
  await entry.writer.append(head(entry.projectId), report)
  refine.advance(entry.writer.durable())
  await until(async () => (await outcome(entry, 'client_discard')) === 4, 'the report')
  expect(entry.commits.length).toBe(commits)
  expect(entry.commits.every((commit) => commit.issues.length > 0)).toBe(true)
  // No key was used by a request that was refused.
  expect(uses).toEqual([])
})

test('a body that is kept outside the journal is deleted after its commit', async () => {
  const entry = await bench()
  const blobs = openFileBlobs(join(entry.folder, 'blobs'))
  const deleted: string[] = []
  const seen = {
    ...blobs,
    delete: (key: string) => {
      deleted.push(key)
      return blobs.delete(key)
    },
  }
  const refine = entry.open(undefined, systemClock, { blobs: seen })
  await refine.start()
  await blobs.put('spool/large', envelope(newId()))
  await entry.writer.append({ ...head(entry.projectId), spool: { key: 'spool/large', bytes: 1 } }, Buffer.alloc(0))
  refine.advance(entry.writer.durable())
  await settled(entry, 1)
  await until(async () => deleted.length > 0, 'a deletion')
  expect(deleted).toEqual(['spool/large'])
  await until(async () => !existsSync(join(entry.folder, 'blobs', 'spool', 'large')), 'its file gone')
})

test('a pause waits for the batches in flight, holds back new ones, and ends with the last of several', async () => {
  const entry = await bench()
  const gate = Promise.withResolvers<void>()
  entry.events.state.gate = () => gate.promise
  const refine = entry.open()
  await refine.start()
  await send(entry, 2)
  refine.advance(entry.writer.durable())
  await until(async () => entry.events.state.inserts > 0, 'the insert')
  let isPaused = false
  const pausing = refine.pause().then((go) => {
    isPaused = true
    return go
  })
  await systemClock.sleep(50)
  expect(isPaused).toBe(false)
  gate.resolve()
  const resume = await pausing
  expect(await stored(entry)).toBe(2)
  const resumeOther = await refine.pause()
  await send(entry, 3)
  refine.advance(entry.writer.durable())
  resume()
  // Twice is once.
  resume()
  await systemClock.sleep(200)
  expect(await stored(entry)).toBe(2)
  resumeOther()
  await settled(entry, 5)
})

test('without artifacts there is no cache of maps, and rows cannot be mapped again', async () => {
  const entry = await bench()
  const refine = entry.open()
  expect(refine.mapCache).toBeUndefined()
  await expect(refine.reprocessRows(1, [])).rejects.toThrow('no artifacts to map by')
})

/** Uploads a script with its map for release 1.0 of the project. */
async function uploadMap(entry: Bench): Promise<void> {
  const map = { version: 3, sources: ['../src/in.ts'], names: ['first'], mappings: 'AAAA,SAASA', sourcesContent: ['x'] }
  const bodies = ['function a(){throw b}\n//# sourceMappingURL=a.js.map', JSON.stringify(map)]
  const uuid = randomUUID()
  const blobKey = `artifacts/1/${uuid}`
  await openFileBlobs(join(entry.folder, 'blobs')).put(blobKey, Buffer.from(bodies.join('')))
  const sizes = bodies.map((body) => Buffer.byteLength(body))
  const rows = ['~/a.js', '~/a.js.map'].map((url, index) => ({
    entry: `files/_/_/${index}`,
    url,
    debugId: '',
    headers: {},
    bytes: sizes[index] ?? 0,
    packed: sizes[index] ?? 0,
    method: 0,
    crc: 1,
    type: index === 1 ? ('source_map' as const) : ('minified_source' as const),
    at: index === 1 ? (sizes[0] ?? 0) : 0,
  }))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  await entry.meta.artifacts.addBundle(
    { organizationId: 1, uuid, checksum: uuid, kind: 'bundle', blobKey, bytes, createdMs: Date.now() },
    rows,
    [{ projectId: entry.projectId, release: '1.0', dist: '' }],
  )
}

const frame = { filename: 'https://a.test/a.js', abs_path: 'https://a.test/a.js', function: 'a', lineno: 1, colno: 10 }
const minified = () => {
  const exception = {
    values: [{ type: 'TypeError', value: 'x', stacktrace: { frames: [{ ...frame, in_app: true }] } }],
  }
  const event = { platform: 'javascript', release: '1.0', timestamp: Date.now() / 1000, exception }
  return Buffer.from(`{"event_id":"${newId()}"}\n{"type":"event"}\n${JSON.stringify(event)}\n`)
}

test('workers map frames once a project has files, and stored rows are mapped when the files come later', async () => {
  const entry = await bench()
  const blobs = openFileBlobs(join(entry.folder, 'blobs'))
  const refine = entry.open(undefined, systemClock, { artifacts: entry.meta, blobs })
  await refine.start()
  const sent = async (count: number) => {
    await entry.writer.append(head(entry.projectId), minified())
    refine.advance(entry.writer.durable())
    await settled(entry, count)
  }
  await sent(1)
  await uploadMap(entry)
  await sent(2)
  const lines = entry.events.rows.map(({ line }) => line)
  expect(lines[0]).not.toContain('src/in.ts')
  expect(lines[1]).toContain('src/in.ts')
  const stored = await entry.events.store.eventsBetween(0, entry.writer.durable())
  const mapped = await refine.reprocessRows(entry.projectId, stored.slice(0, 1))
  expect(JSON.stringify(mapped)).toContain('src/in.ts')
})

test('the dedup windows are read again until the store answers; a stop ends the waiting', async () => {
  const entry = await bench()
  let tries = 0
  const { recentIds } = entry.events.store
  entry.events.store.recentIds = async (...request) => {
    if (++tries < 4) throw new MishapError('STORE_UNAVAILABLE')
    return recentIds(...request)
  }
  const sleeps: number[] = []
  const quick = {
    ...systemClock,
    sleep: (ms: number, signal?: AbortSignal) => {
      sleeps.push(ms)
      return systemClock.sleep(Math.min(ms, 1), signal)
    },
  }
  await entry.open(undefined, quick).start()
  expect([tries, sleeps.filter((ms) => ms === 200).length]).toEqual([4, 3])
  tries = -1e9
  const other = entry.open()
  const starting = other.start()
  const refused = expect(starting).rejects.toThrow('events store')
  await systemClock.sleep(50)
  await other.stop(0)
  await refused
})

/** Leaves a batch open, like a process that ends between insert and commit. */
async function leaveOpen(entry: Awaited<ReturnType<typeof bench>>): Promise<void> {
  const { commitBatch } = entry.meta.batches
  entry.meta.batches.commitBatch = async () => {
    throw new Error('power cut')
  }
  const refine = entry.open()
  await refine.start()
  refine.advance(entry.writer.durable())
  await until(async () => entry.failures.length > 0, 'a failure')
  await refine.stop(0)
  entry.meta.batches.commitBatch = commitBatch
}

/** An observer that keeps what it is given. */
function heard(): { lines: [object, string][]; observe: Observe } {
  const lines: [object, string][] = []
  const keep = (fields: object, text: string) => void lines.push([fields, text])
  return { lines, observe: { ...silent, info: keep, warn: keep, error: keep } as Observe }
}

test('a recovery says what stood and what was refined', async () => {
  const entry = await bench()
  await send(entry, 4)
  await leaveOpen(entry)
  const { lines, observe } = heard()
  await entry.open(undefined, systemClock, { observe }).start()
  expect(lines).toEqual([
    [
      expect.objectContaining({ stored: expect.objectContaining({ events: 4 }), refined: 4 }),
      'recovered an open batch',
    ],
  ])
})

/** Lets the store of a bench keep log lines. Returns their bodies, and loses all stored lines but the first ones. */
function logLinesOf(entry: Bench): { bodies(): string[]; keepFirst(count: number): void } {
  let lines: string[] = []
  const field = (line: string, name: (typeof logColumns)[number]) => line.split('\t')[logColumns.indexOf(name)] ?? ''
  entry.events.store.insert = async (_table, rows) =>
    void lines.push(...linesOf(rows).toString('latin1').split('\n').filter(Boolean))
  entry.events.store.settle = async (table, _token, from, to) => {
    const own = lines.filter((line) => table === 'logs' && Number(field(line, 'jpos')) >= from)
    const found = Map.groupBy(own, (line) => Number(field(line, 'jpos')))
    return new Map(
      [...found]
        .filter(([jpos]) => jpos < to)
        .map(([jpos, all]) => [jpos, new Set(all.map((line) => Number(field(line, 'place'))))]),
    )
  }
  return {
    bodies: () => lines.map((line) => field(line, 'body') || field(line, 'shape')).toSorted(),
    keepFirst: (count) => {
      lines = lines.slice(0, count)
    },
  }
}

test.each([1, 2, 4])('a drain that was stored up to line %d gives the same lines after a kill', async (kept) => {
  const entry = await bench()
  await entry.meta.projects.updateProject(entry.projectId, { filters: { addresses: ['203.0.114.9'] } })
  const bodyOf = (address: string, at: number) => {
    const line = `<158>1 2026-11-21T09:39:58Z host heroku router - at=info host=shop.test path="/${'abcdefgh'[at]}" fwd="${address}"`
    return `${Buffer.byteLength(line)} ${line}`
  }
  const addresses = ['203.0.114.9', '198.51.100.1', '198.51.100.1', '203.0.114.9', '198.51.100.1', '198.51.100.1']
  await entry.writer.append(
    { ...head(entry.projectId), kind: 'heroku_logs', contentType: 'application/logplex-1', lane: 'bulk' },
    Buffer.from(addresses.map(bodyOf).join('')),
  )
  const stored = logLinesOf(entry)
  await leaveOpen(entry)
  const before = stored.bodies()
  expect(before).toHaveLength(4)
  stored.keepFirst(kept)
  await entry.open().start()
  expect(stored.bodies()).toEqual(before)
  expect([await outcome(entry, 'stored'), await outcome(entry, 'filtered')]).toEqual([4, 2])
})

test('an open batch that is longer than the journal is an error in the log, and what is left is kept', async () => {
  const entry = await bench()
  await send(entry, 4)
  await leaveOpen(entry)
  const { lines, observe } = heard()
  const { openBatches } = entry.meta.batches
  entry.meta.batches.openBatches = async () => (await openBatches()).map((batch) => ({ ...batch, to: batch.to + 1000 }))
  await entry.open(undefined, systemClock, { observe }).start()
  const [batch] = await openBatches()
  expect(batch).toBeUndefined()
  expect(lines[0]).toEqual([
    expect.objectContaining({ from: expect.any(Number), found: entry.writer.durable() }),
    'the journal ends before an open batch',
  ])
  expect(await stored(entry)).toBe(4)
})

test('a committed batch that is still listed as open is not recovered again', async () => {
  const entry = await bench()
  await send(entry, 3)
  const refine = entry.open()
  await refine.start()
  refine.advance(entry.writer.durable())
  await settled(entry, 3)
  await refine.stop(100)
  entry.meta.batches.openBatches = async () => [
    { seq: 1, from: 0, to: await entry.meta.batches.cursor(), lane: 'events' },
  ]
  entry.events.state.calls.splice(0)
  await entry.open().start()
  expect([entry.events.state.calls, await stored(entry)]).toEqual([[], 3])
})

test('after a batch that failed nothing is committed, though the next one is stored', async () => {
  const entry = await bench()
  const first = Promise.withResolvers<void>()
  const tokens: string[] = []
  entry.events.state.gate = async (token) => {
    tokens.push(token)
    if (tokens.length === 1) await first.promise
  }
  const { commitBatch } = entry.meta.batches
  let commits = 0
  entry.meta.batches.commitBatch = async (...request) => {
    if (++commits === 1) throw new Error('constraint failed')
    return commitBatch(...request)
  }
  const refine = entry.open()
  await refine.start()
  const begin = await entry.meta.batches.cursor()
  await send(entry, 2)
  refine.advance(entry.writer.durable())
  await until(async () => tokens.length === 1, 'the first insert')
  await send(entry, 3)
  refine.advance(entry.writer.durable())
  await until(async () => entry.events.rows.length === 3, 'the second insert')
  first.resolve()
  await until(async () => entry.failures.length > 0, 'the failure')
  await systemClock.sleep(100)
  expect([commits, await entry.meta.batches.cursor(), await stored(entry)]).toEqual([1, begin, 0])
  // One failure is reported once: the process exits after the first.
  expect(entry.failures).toEqual([expect.objectContaining({ message: 'constraint failed' })])
  await send(entry, 1)
  refine.advance(entry.writer.durable())
  await systemClock.sleep(100)
  expect(tokens.length).toBe(2)
})

test('a small batch is followed by a pause to gather more; a batch of 200 is not', async () => {
  const entry = await bench()
  const sleeps: number[] = []
  const clock = {
    ...systemClock,
    sleep: (ms: number, signal?: AbortSignal) => {
      sleeps.push(ms)
      return systemClock.sleep(ms, signal)
    },
  }
  const refine = entry.open(undefined, clock)
  await refine.start()
  await send(entry, 200)
  refine.advance(entry.writer.durable())
  await settled(entry, 200)
  expect(sleeps.filter((ms) => ms === 150)).toEqual([])
  await send(entry, 1)
  refine.advance(entry.writer.durable())
  await settled(entry, 201)
  expect(sleeps.filter((ms) => ms === 150).length).toBeGreaterThan(0)
})
