import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { silent } from '../base/observe.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import { createWaits, type WaitedFor, withRetry } from './pipeline/retry.ts'
import { waitingBlobs } from './pipeline/waiting-blobs.ts'
import { createWorkerPool } from './pipeline/worker-pool.ts'
import { type Bench, bench, outcome, send, settled, stored, until } from './rig.cases.ts'

const fullDisk = (code: string) => Object.assign(new Error('write'), { code })
const noBlobs = {} as BlobStore
const quick = { ...systemClock, sleep: async () => undefined }

test.each<[WaitedFor, string, Error, boolean]>([
  ['database', 'a full disk', new MishapError('DATABASE_UNWRITABLE'), true],
  ['database', 'a fault of ours', new Error('UNIQUE constraint failed'), false],
  ['database', 'the other store', new MishapError('STORE_UNAVAILABLE'), false],
  ['events', 'an engine that is away', new MishapError('STORE_UNAVAILABLE'), true],
  ['events', 'anything', new Error('Code: 999'), true],
  ['files', 'no space', fullDisk('ENOSPC'), true],
  ['files', 'a quota', fullDisk('EDQUOT'), true],
  ['files', 'a disk that fails', fullDisk('EIO'), true],
  ['files', 'a file system that turned read-only', fullDisk('EROFS'), true],
  ['files', 'a file that is not there', fullDisk('ENOENT'), false],
  ['files', 'another machine', new MishapError('BLOBS_UNAVAILABLE'), false],
  ['blobs', 'a store that is away', new MishapError('BLOBS_UNAVAILABLE'), true],
  ['blobs', 'a full disk of the spool', fullDisk('ENOSPC'), true],
  ['blobs', 'a damaged blob', new MishapError('BLOB_DAMAGED'), false],
  ['files', 'a key that is refused', new MishapError('VALIDATION'), false],
])('%s: %s', async (store, _what, error, waits) => {
  const work = { clock: quick, observe: silent, stopped: new AbortController(), waits: createWaits(quick) }
  const seen: (WaitedFor | undefined)[] = []
  const asked = withRetry(work, store, () => {
    seen.push(work.waits.oldest()?.store)
    if (seen.length < 3) throw error
    return 'done'
  })
  if (waits) expect(await asked).toBe('done')
  else await expect(asked).rejects.toBe(error)
  expect(seen).toEqual(waits ? [undefined, store, store] : [undefined])
  expect(work.waits.oldest()).toBeUndefined()
})

test('a stop ends the waiting with the error', async () => {
  const work = { clock: quick, observe: silent, stopped: new AbortController(), waits: createWaits(quick) }
  work.stopped.abort()
  const asked = withRetry(work, 'events', () => Promise.reject(new MishapError('STORE_UNAVAILABLE')))
  await expect(asked).rejects.toThrow('events store')
})

test('of two stores the one that is waited for longest is told', () => {
  let nowMs = 1000
  const waits = createWaits({ ...systemClock, now: () => nowMs++ })
  waits.begin('files')
  waits.begin('events')
  waits.begin('files')
  expect(waits.oldest()).toEqual({ store: 'files', sinceMs: 1000 })
  waits.end('files')
  expect(waits.oldest()).toEqual({ store: 'events', sinceMs: 1001 })
})

test('blobs wait for room and begin a stream anew; other faults pass', async () => {
  const faults = [fullDisk('ENOSPC'), fullDisk('ENOSPC')]
  const kept: string[] = []
  const write = async (stream: AsyncIterable<Uint8Array>) => {
    const parts: Uint8Array[] = []
    for await (const part of stream) {
      parts.push(part)
      const fault = faults.shift()
      if (fault) throw fault
    }
    kept.push(Buffer.concat(parts).toString())
    return { bytes: 1 }
  }
  const told: boolean[] = []
  const blobs = waitingBlobs({ ...noBlobs, putStream: (_key, stream) => write(stream) }, (full) => told.push(full))
  const pieces = async function* () {
    yield Buffer.from('one ')
    yield Buffer.from('two')
  }
  await blobs.putStream('a', { [Symbol.asyncIterator]: () => pieces() }, 99)
  expect([kept, told]).toEqual([['one two'], [true, false]])
  faults.push(fullDisk('EACCES'))
  await expect(blobs.putStream('a', pieces(), 99)).rejects.toMatchObject({ code: 'EACCES' })
})

/** Fails each commit with `error` until the returned function is called. */
function failCommits(entry: Bench, error: () => Error): () => void {
  const { commitBatch } = entry.meta.batches
  entry.meta.batches.commitBatch = async () => {
    throw error()
  }
  return () => {
    entry.meta.batches.commitBatch = commitBatch
  }
}

test('while the disk of the database is full, refining waits, says so, and goes on by itself', async () => {
  const entry = await bench()
  const giveRoom = failCommits(entry, () => new MishapError('DATABASE_UNWRITABLE'))
  const refine = entry.open()
  await refine.start()
  await send(entry, 8)
  refine.advance(entry.writer.durable())
  await until(async () => refine.waitsFor() !== undefined, 'waits')
  expect(refine.waitsFor()).toMatchObject({ store: 'database' })
  expect([await stored(entry), entry.failures]).toEqual([0, []])
  giveRoom()
  await settled(entry, 8)
  expect([entry.events.rows.length, await outcome(entry, 'dead'), refine.waitsFor(), entry.failures]).toEqual([
    8,
    0,
    undefined,
    [],
  ])
})

test('an outage of the events store has one begin, though its reads answer between the inserts', async () => {
  const entry = await bench()
  entry.events.state.fail.push('before', 'before', 'before', 'before')
  const refine = entry.open()
  await refine.start()
  await send(entry, 2)
  refine.advance(entry.writer.durable())
  await until(async () => entry.events.state.inserts === 2, 'the second try')
  const begun = refine.waitsFor()
  expect(begun).toMatchObject({ store: 'events' })
  await until(async () => entry.events.state.inserts === 4, 'the fourth try')
  expect(refine.waitsFor()).toEqual(begun)
  await settled(entry, 2)
  expect(refine.waitsFor()).toBeUndefined()
})

test('a batch that could not be opened for want of room is opened later', async () => {
  const entry = await bench()
  const { openBatch } = entry.meta.batches
  let tries = 0
  entry.meta.batches.openBatch = async (from, to) => {
    if (++tries < 3) throw new MishapError('DATABASE_UNWRITABLE')
    return openBatch(from, to)
  }
  const refine = entry.open()
  await refine.start()
  await send(entry, 2)
  refine.advance(entry.writer.durable())
  await settled(entry, 2)
  expect([entry.events.rows.length, entry.failures]).toEqual([2, []])
})

test('a batch that waits for room to be opened is opened before the one that follows', async () => {
  const entry = await bench()
  const refine = entry.open()
  await refine.start()
  const begin = await entry.meta.batches.cursor()
  const { openBatch } = entry.meta.batches
  const first: number[] = []
  entry.meta.batches.openBatch = async (from, to) => {
    first[0] ??= from
    // The disk has space again before the first batch retries.
    if (from === first[0] && first.push(from) < 6) throw new MishapError('DATABASE_UNWRITABLE')
    return openBatch(from, to)
  }
  await send(entry, 2)
  refine.advance(entry.writer.durable())
  await until(async () => first.length > 0, 'the first batch')
  await send(entry, 3)
  refine.advance(entry.writer.durable())
  await settled(entry, 5)
  expect([entry.events.rows.length, await stored(entry), entry.failures]).toEqual([5, 5, []])
  expect(await entry.meta.batches.cursor()).toBeGreaterThan(begin)
})

test('commits that fail, however often, make no dead item of what is stored', async () => {
  const entry = await bench()
  await send(entry, 5)
  const mend = failCommits(entry, () => new Error('constraint failed'))
  for (let starts = 0; starts < 8; starts++) {
    const refine = entry.open()
    const failures = entry.failures.length
    // The first one fails in its loop, the others in their recovery.
    const recovered = await refine.start().then(
      () => true,
      () => false,
    )
    refine.advance(entry.writer.durable())
    if (recovered) await until(async () => entry.failures.length > failures, 'failure')
    await refine.stop(0)
    expect(existsSync(join(entry.folder, 'journal', 'recovery'))).toBe(false)
  }
  mend()
  const last = entry.open()
  await last.start()
  last.advance(entry.writer.durable())
  await settled(entry, 5)
  expect([entry.events.rows.length, await outcome(entry, 'stored'), await outcome(entry, 'dead')]).toEqual([5, 5, 0])
  expect(await entry.meta.ledger.deadLetters(5)).toEqual([])
})

test('a record that can no longer be refined, though its row stands, counts as stored and never as dead', async () => {
  const entry = await bench()
  await send(entry, 3)
  const mend = failCommits(entry, () => new Error('constraint failed'))
  const first = entry.open()
  await first.start()
  first.advance(entry.writer.durable())
  await until(async () => entry.failures.length > 0, 'failure')
  await first.stop(0)
  mend()
  const { projectSettings } = entry.meta.projects
  entry.meta.projects.projectSettings = async () => undefined
  const again = entry.open()
  await again.start()
  entry.meta.projects.projectSettings = projectSettings
  expect([
    entry.events.rows.length,
    await outcome(entry, 'stored'),
    await outcome(entry, 'received'),
    await outcome(entry, 'dead'),
  ]).toEqual([3, 3, 3, 0])
  expect(await entry.meta.issues.listIssues({ projectIds: [entry.projectId], sort: 'last', max: 5 })).toMatchObject([
    { count: 3 },
  ])
})

test('a worker that ends while it waits for the disk is not waited for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-crew-'))
  const file = join(folder, 'ends.mjs')
  writeFileSync(
    file,
    `import { parentPort } from 'node:worker_threads'
     parentPort.postMessage({ kind: 'full', full: true })
     setTimeout(() => process.exit(1), 50)`,
  )
  const told: boolean[] = []
  const crew = createWorkerPool({
    size: 1,
    observe: silent,
    settingsOf: async () => undefined,
    full: (full) => void told.push(full),
    setup: { journalFolder: folder, blobSource: { folder: folder }, file },
  })
  await until(async () => told.length >= 2, 'an end')
  await crew.close()
  rmSync(folder, { recursive: true })
  expect(told.slice(0, 2)).toEqual([true, false])
})
