import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { silent } from '../src/base/observe.ts'
import { createEventStore } from '../src/store/events/clickhouse.ts'
import { encodeEventRow } from '../src/store/events/encode.ts'
import type { EventRow } from '../src/store/events/events.ts'
import { percentile } from './load.ts'
import { pssOf } from './measure.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-bench-'))
const socketPath = join(folder, 'engine.sock')
const words = [
  '--max-http-header-size=4194304',
  join(import.meta.dirname, '../src/processes/engine.ts'),
  join(folder, 'data'),
  socketPath,
  String(600 * 2 ** 20),
]
const engine = spawn(process.execPath, words, {
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  env: { NODE_ENV: 'test', UV_THREADPOOL_SIZE: '32' },
})
await new Promise((resolve) => engine.once('message', resolve))
const store = createEventStore({
  url: 'http://localhost',
  socketPath,
  database: 'bench',
  observe: silent,
  clock: systemClock,
})
await store.migrate()

const startMs = systemClock.now()
const filler = Array.from({ length: 90 }, () => randomBytes(24).toString('hex'))

function row(n: number): EventRow {
  const hash = ((n * 7919) % 2000).toString(16).padStart(16, '0')
  const text = Array.from({ length: 60 }, (_, at) => filler[(n * 31 + at * 7) % filler.length]).join(' ')
  return {
    projectId: 1 + (n % 3),
    groupHash: hash,
    hashes: [hash],
    timestampUs: (startMs + n) * 1000,
    receivedMs: startMs + n,
    eventId: randomBytes(16).toString('hex'),
    jpos: n,
    gen: 0,
    userHash: ((n * 31) % 5000).toString(16).padStart(16, '0'),
    level: 'error',
    environment: 'production',
    release: 'web@1.0.0',
    transaction: `/route/${n % 40}`,
    type: 'TypeError',
    platform: 'javascript',
    message: `Cannot read properties of undefined, order ${n}`,
    tags: { browser: 'Firefox', os: 'Linux', url: `https://shop.example/p/${n % 500}`, plan: 'team' },
    traceId: randomBytes(16).toString('hex'),
    digest: '',
    frames: [],
    payload: JSON.stringify({ n, text }),
  }
}

const rows = Array.from({ length: 1000 }, (_, n) => row(n))
const encodeStart = performance.now()
for (let times = 0; times < 5; times++) for (const item of rows) encodeEventRow(item)
const encodeMs = performance.now() - encodeStart
console.log(`encode: ${Math.round(5_000_000 / encodeMs)} rows/s of ${Buffer.byteLength(encodeEventRow(row(1)))} B`)

for (const batchRows of [500, 1000]) {
  const batches = Array.from({ length: 40 }, (_, b) =>
    Buffer.from(Array.from({ length: batchRows }, (_, n) => encodeEventRow(row(b * batchRows + n))).join('')),
  )
  const start = performance.now()
  let next = 0
  const client = async () => {
    for (let at = next++; at < batches.length; at = next++)
      await store.insert('events', batches[at] ?? Buffer.alloc(0), `bench:${batchRows}:${at}`)
  }
  await Promise.all([client(), client()])
  const ms = performance.now() - start
  console.log(
    `insert: ${Math.round((batchRows * batches.length * 1000) / ms)} rows/s in batches of ${batchRows}, two in flight, ${(ms / batches.length).toFixed(0)} ms each`,
  )
}

const scope = { projectIds: [1, 2, 3], environments: [], fromMs: startMs - 86_400_000, toMs: startMs + 86_400_000 }
async function time(name: string, run: () => Promise<unknown>, times = 10): Promise<void> {
  await run()
  const tookMs: number[] = []
  for (let at = 0; at < times; at++) {
    const start = performance.now()
    await run()
    tookMs.push(performance.now() - start)
  }
  tookMs.sort((a, b) => a - b)
  console.log(`${name}: p50 ${percentile(tookMs, 0.5).toFixed(1)}, p95 ${percentile(tookMs, 0.95).toFixed(1)} ms`)
}
await time('groups of 2 days', () => store.groups({ scope, order: 'last', max: 50 }))
await time('latest 50 of an issue', () =>
  store.ofIssue({ projectId: 1, hashes: [rows[0]?.groupHash ?? ''], order: 'newest', max: 50 }),
)
await store.insert('events', Buffer.from(rows.map(encodeEventRow).join('')), 'bench:known')
const known = rows.filter((item) => item.projectId === 1)
let next = 0
const entry = () => known[next++ % known.length] ?? row(0)
await time('event by id', () => store.byEventId([1], entry().eventId), 100)
await time('its number and neighbours', () => store.placeOf(1, [entry().groupHash], entry()), 100)
await time(
  'event by id with both, in turn',
  async () => {
    const [found] = await store.byEventId([1], entry().eventId)
    if (!found) throw new Error('not found')
    await store.placeOf(1, [found.groupHash], found)
  },
  100,
)
console.log(`memory of the engine: ${pssOf(engine.pid ?? 0).total} MB`)
console.log(JSON.stringify((await store.size()).find((tableSize) => tableSize.table === 'events')))

await store.close()
engine.kill('SIGTERM')
await new Promise((resolve) => engine.once('exit', resolve))
rmSync(folder, { recursive: true })
