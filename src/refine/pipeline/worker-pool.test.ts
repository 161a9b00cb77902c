import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { silent } from '../../base/observe.ts'
import { metricColumns } from '../../store/events/metrics/encode.ts'
import { linesOf } from '../../store/events/row-file.ts'
import { createMetricBuffers } from '../kinds/metric/memory.ts'
import { totalBody } from '../kinds/otlp/fixture.cases.ts'
import { head, openTestJournal } from '../rig.cases.ts'
import { plainSettings } from './fixture.cases.ts'
import { emptyRange, type RefinedRange } from './range.ts'
import type { FromWorker, ToWorker } from './worker.ts'
import { createWorkerPool, type WorkerThread } from './worker-pool.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const killerFile = fileURLToPath(new URL('./killer.cases.ts', import.meta.url))

/** A journal with these bodies, and a pool that refines them in two ranges, the first with `first` of them. */
async function refined(size: number, bodies: readonly Buffer[], first: number): Promise<RefinedRange[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-pool-'))
  closing.push(() => rmSync(folder, { recursive: true, force: true }))
  const journalFolder = join(folder, 'journal')
  const writer = await openTestJournal(journalFolder)
  closing.push(() => writer.close())
  for (const body of bodies)
    await writer.append({ ...head(7), lane: 'bulk', kind: 'otlp_metrics', contentType: 'application/json' }, body)
  const pool = createWorkerPool({
    size,
    setup: {
      journalFolder,
      blobSource: { folder: join(folder, 'blobs') },
      file: killerFile,
      metrics: createMetricBuffers(),
    },
    observe: silent,
    settingsOf: async (projectId) => ({ ...plainSettings, projectId }),
  })
  closing.push(() => pool.close())
  const whole = { from: 0, durable: writer.durable(), bytesMax: 1e9, lane: 'bulk' } as const
  const earlier = await pool.begin({ ...whole, recordsMax: first })
  const later = await pool.begin({ ...whole, from: earlier.to, recordsMax: 1e6 })
  return Promise.all([earlier.done, later.done])
}

const valuesOf = (range: RefinedRange): number[] =>
  linesOf(range.lines.get('metrics') ?? new Uint8Array(0))
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => Number(line.split('\t')[metricColumns.indexOf('value')]))

const ones = (count: number): number[] => Array(count).fill(1)

test.each([1, 2])('two ranges with totals count each of them once, with %d workers', async (size) => {
  const bodies = Array.from({ length: 300 }, (_, n) => totalBody(n))
  const [earlier, later] = await refined(size, bodies, 290)
  expect([earlier, later].map((range) => range && valuesOf(range))).toEqual([[10, ...ones(289)], ones(10)])
})

test.each([1, 2])('a range that crashed its worker once is refined again, with %d workers', async (size) => {
  const bodies = Array.from({ length: 30 }, (_, n) => totalBody(n, n === 3 ? 'KILLS-ONCE' : ''))
  const [earlier, later] = await refined(size, bodies, 20)
  expect([earlier, later].map((range) => range && valuesOf(range))).toEqual([[10, ...ones(19)], ones(10)])
})

test.each([1, 2])(
  'a record that crashes each worker is left out, and the next total has it, with %d workers',
  async (size) => {
    const bodies = Array.from({ length: 12 }, (_, n) => totalBody(n, n === 3 ? 'KILLS-ITS-WORKER' : ''))
    const [earlier, later] = await refined(size, bodies, 8)
    expect([earlier, later].map((range) => range && valuesOf(range))).toEqual([[10, 1, 1, 2, 1, 1, 1], ones(4)])
    expect(earlier?.dead.length).toBe(1)
  },
  60_000,
)

test('the parts of a range whose worker crashed while it was read wait for the range before it', async () => {
  const threads: { posted: ToWorker[]; events: EventEmitter }[] = []
  const startThread = () => {
    const [events, posted] = [new EventEmitter(), [] as ToWorker[]]
    threads.push({ posted, events })
    const postMessage = (message: ToWorker) => void posted.push(message)
    return { on: events.on.bind(events), postMessage, terminate: async () => 0 } as unknown as WorkerThread
  }
  const say = (at: number, message: FromWorker) => threads[at]?.events.emit('message', message)
  const end = (at: number) => threads[at]?.events.emit('exit', 9)
  const jobsOf = (at: number) => threads[at]?.posted.map((message) => [message.kind, 'job' in message && message.job])
  const parts = () => threads.flatMap(({ posted }) => posted.filter((message) => 'job' in message && message.job > 2))
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const setup = { journalFolder: '', blobSource: { folder: '' } }
  const pool = createWorkerPool({ size: 2, setup, startThread, observe: silent, settingsOf: async () => plainSettings })
  const range = { durable: 9, recordsMax: 9, bytesMax: 9, lane: 'bulk' } as const
  const found = { kind: 'found' as const, projectIds: [], records: 2, hasTotals: true }

  const [first, second] = [pool.begin({ ...range, from: 0 }), pool.begin({ ...range, from: 4 })]
  say(0, { ...found, job: 1, to: 4 })
  say(1, { ...found, job: 2, to: 8 })
  await settled()
  // The second is read, and waits for its settings.
  expect([jobsOf(0), jobsOf(1)]).toEqual([
    [
      ['range', 1],
      ['settings', 1],
    ],
    [['range', 2]],
  ])
  // Its worker crashes while the range waits, and two others while they read it again.
  for (const at of [1, 2, 3]) end(at)
  await settled()
  expect(parts()).toEqual([])
  say(0, { kind: 'done', range: emptyRange({ job: 1, from: 0 }, 4) })
  await settled()
  expect(parts()).toMatchObject([{ kind: 'range', from: 4, recordsMax: 1 }])
  await Promise.all([first, second])
  await pool.close()
})
