import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { silent } from '../../base/observe.ts'
import { openJournalWriter } from '../../journal/files.ts'
import { metricColumns } from '../../store/events/metrics/encode.ts'
import { linesOf } from '../../store/events/row-file.ts'
import { attributesOf, startNano } from '../../wire/otlp.cases.ts'
import { createMetricBuffers } from '../kinds/metric/memory.ts'
import { head } from '../rig.cases.ts'
import { plainSettings } from './fixture.cases.ts'
import type { RefinedRange } from './range.ts'
import { createWorkerPool } from './worker-pool.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const killerFile = fileURLToPath(new URL('./killer.cases.ts', import.meta.url))

/** The body of a total of one stream, which grows by one with each. */
const total = (n: number, word = '') => {
  const dataPoint = {
    startTimeUnixNano: startNano,
    timeUnixNano: startNano + BigInt(n + 1) * 1_000_000n,
    asInt: 10 + n,
  }
  const sum = { aggregationTemporality: 2, isMonotonic: true, dataPoints: [dataPoint] }
  const scopeMetrics = [{ metrics: [{ name: 'orders', sum }] }]
  const resource = { attributes: attributesOf({ 'service.name': 'billing' }) }
  return Buffer.from(
    JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics }], word }, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    ),
  )
}

/** A journal with these bodies, and a pool that refines them in two ranges, the first with `first` of them. */
async function refined(size: number, bodies: readonly Buffer[], first: number): Promise<RefinedRange[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-pool-'))
  closing.push(() => rmSync(folder, { recursive: true, force: true }))
  const journalFolder = join(folder, 'journal')
  const writer = await openJournalWriter({
    folder: journalFolder,
    bytesMax: 1e9,
    diskReserveBytes: 0,
    groupMs: 0,
    clock: systemClock,
    observe: silent,
  })
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
  const one = await pool.begin({ ...whole, recordsMax: first })
  const two = await pool.begin({ ...whole, from: one.to, recordsMax: 1e6 })
  return Promise.all([one.done, two.done])
}

const valuesOf = (range: RefinedRange): number[] =>
  linesOf(range.lines.get('metrics') ?? new Uint8Array(0))
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => Number(line.split('\t')[metricColumns.indexOf('value')]))

const ones = (count: number): number[] => Array(count).fill(1)

test.each([1, 2])('two ranges with totals count each of them once, with %d workers', async (size) => {
  const bodies = Array.from({ length: 300 }, (_, n) => total(n))
  const [one, two] = await refined(size, bodies, 290)
  expect([one, two].map((range) => range && valuesOf(range))).toEqual([[10, ...ones(289)], ones(10)])
})

test.each([1, 2])('a range that ended its worker once is refined again, with %d workers', async (size) => {
  const bodies = Array.from({ length: 30 }, (_, n) => total(n, n === 3 ? 'KILLS-ONCE' : ''))
  const [one, two] = await refined(size, bodies, 20)
  expect([one, two].map((range) => range && valuesOf(range))).toEqual([[10, ...ones(19)], ones(10)])
})

test.each([1, 2])(
  'a record that ends each worker is left out, and the next total has it, with %d workers',
  async (size) => {
    const bodies = Array.from({ length: 12 }, (_, n) => total(n, n === 3 ? 'KILLS-ITS-WORKER' : ''))
    const [one, two] = await refined(size, bodies, 8)
    expect([one, two].map((range) => range && valuesOf(range))).toEqual([[10, 1, 1, 2, 1, 1, 1], ones(4)])
    expect(one?.dead.length).toBe(1)
  },
  60_000,
)
