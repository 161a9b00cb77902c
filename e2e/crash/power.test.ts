// Power cuts: a layer records every write, name change and sync of the product. The test then builds the disk as a cut
// at a random call can leave it, and the product must continue from there.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { randomOf } from '../../src/random.cases.ts'
import { bootstrap, freePort, type Product, type Project, ready, start } from '../product.ts'
import {
  type Call,
  compileLayer,
  Disk,
  differences,
  type Model,
  readCalls,
  type Snapshot,
  takeSnapshot,
} from './disk.ts'
import { type Acknowledged, faultsOf, readyAtLast, send, settled } from './traffic.ts'

/** For 100 rounds: `npm run e2e:crash -- --rounds 100`. */
const rounds = Number(process.env.CRASH_ROUNDS ?? 3)
const seed = Number(process.env.CRASH_SEED ?? 1)
const roundMs = 60_000

/** Use memory if there is enough. The test checks which data was synced, not how long a disk takes. */
const memory = '/dev/shm'
const hasMemory = existsSync(memory) && statfsSync(memory).bavail * statfsSync(memory).bsize > 4 * 2 ** 30
const place = mkdtempSync(join(hasMemory ? memory : tmpdir(), 'mishap-cut-'))
const layer = compileLayer(place)
const paths = {
  data: join(place, 'data'),
  still: join(place, 'still'),
  log: join(place, 'calls'),
  seq: join(place, 'seq'),
}
let running: Product | undefined
afterAll(async () => {
  await running?.stop('SIGKILL')
  if (process.env.CRASH_KEEP !== '1') rmSync(place, { recursive: true, force: true })
})

const watched = () => ({
  LD_PRELOAD: 'path' in layer ? layer.path : '',
  DISKLOG_ROOT: paths.data,
  DISKLOG_FILE: paths.log,
  DISKLOG_SEQ: paths.seq,
  UV_USE_IO_URING: '0',
  MISHAP_LOG_LEVEL: 'info',
})

/** SQLite's WAL index is shared memory in the form of a file. The first connection rebuilds it. */
const isMemory = (path: string) => path.endsWith('-shm')

/** Cuts the power at any call since the folder was created. Unacknowledged data can be lost, but the product starts. */
async function cutAnywhere(begun: Snapshot, calls: Call[], project: Project, acknowledged: Acknowledged[], n: number) {
  const random = randomOf(seed * 77 + n)
  const disk = new Disk(begun, n % 2 === 0 ? 'strict' : 'ordered')
  const until = Math.floor(random() * calls.length)
  for (const call of calls.slice(0, until + 1)) disk.apply(call)
  const data = join(place, `first-${n}`)
  disk.cut(data, random)
  const product = await start({ data })
  running = product
  await readyAtLast(product)
  const before = acknowledged.filter((event) => event.ns < (calls[until]?.ns ?? 0n))
  const where = `seed ${seed}, first start ${n}: cut at call ${until} of ${calls.length}, ${before.length} acknowledged`
  console.log(where)
  if (before.length > 0)
    expect({ where, faults: await faultsOf(product, project, ['SeenError'], before) }).toEqual({ where, faults: [] })
  await product.stop()
  for (const path of [data, `${data}.log`]) rmSync(path, { recursive: true, force: true })
}

test.skipIf('skip' in layer)(
  'the layer sees every byte that the three stores and the journal write; a cut at any call leaves what starts again',
  { timeout: (rounds + 2) * roundMs },
  async () => {
    const data = mkdtempSync(join(place, 'all-'))
    const log = join(place, 'all-calls')
    const begun = takeSnapshot(data, join(place, 'all-still'))
    const env = { ...watched(), DISKLOG_ROOT: data, DISKLOG_FILE: log, DISKLOG_SEQ: join(place, 'all-seq') }
    const product = await start({ data, env })
    running = product
    const project = bootstrap(product, 'seen', 'web')
    await ready(product)
    const traffic = send(product, project, ['SeenError'])
    await pause(2000)
    await traffic.stop()
    await settled(product, project)
    await product.stop('SIGTERM')
    const calls = readCalls(log)
    const disk = new Disk(begun, 'strict')
    for (const call of calls) disk.apply(call)
    const to = join(place, 'all-built')
    disk.all(to)
    expect(disk.unseen).toEqual([])
    expect(differences(data, to, isMemory)).toEqual([])
    expect(traffic.acknowledged.length).toBeGreaterThan(20)
    for (let n = 0; n < rounds; n++) await cutAnywhere(begun, calls, project, traffic.acknowledged, n)
  },
)

/** Kills the product and puts a possible disk after a random call in its data folder. Returns the time of the cut. */
async function cutPower(
  product: Product,
  begun: ReturnType<typeof takeSnapshot>,
  model: Model,
  random: () => number,
  firstNs: () => bigint,
) {
  await product.stop('SIGKILL')
  const calls = readCalls(paths.log)
  const disk = new Disk(begun, model)
  // All calls are equally likely: faults occur at calls that are rare in time, such as a rename or commit. Two of three
  // cuts come after the first acknowledgement, the others anywhere, including the start and its recovery.
  const first = random() < 2 / 3 ? calls.findIndex((call) => call.ns > firstNs()) : 0
  const until = Math.max(0, first) + Math.floor(random() * (calls.length - Math.max(0, first)))
  for (const call of calls.slice(0, until + 1)) disk.apply(call)
  const built = `${paths.data}.built`
  disk.cut(built, random)
  expect(disk.unseen).toEqual([])
  rmSync(paths.data, { recursive: true })
  renameSync(built, paths.data)
  for (const path of [paths.still, paths.log, paths.seq]) rmSync(path, { recursive: true, force: true })
  return { ns: calls[until]?.ns ?? 0n, of: calls.length, until }
}

test.skipIf('skip' in layer)(
  `${rounds} power cuts: nothing acknowledged is missing, nothing is stored twice, the ledger agrees`,
  { timeout: (rounds + 2) * roundMs },
  async () => {
    const port = await freePort()
    mkdirSync(paths.data, { recursive: true })
    let product = await start({ data: paths.data, port })
    running = product
    const project = bootstrap(product, 'cut', 'web')
    await ready(product)
    await product.stop()
    const acknowledged: Acknowledged[] = []
    const types: string[] = []
    for (let round = 0; round < rounds; round++) {
      const began = performance.now()
      const random = randomOf(seed * 1000 + round)
      const model: Model = (process.env.CRASH_MODEL as Model | undefined) ?? (round % 2 === 0 ? 'strict' : 'ordered')
      const begun = takeSnapshot(paths.data, paths.still)
      const env = watched()
      product = await start({ data: paths.data, port, env })
      running = product
      const where = `seed ${seed}, round ${round}, ${model}`
      expect({ where, faults: await faultsOf(product, project, types.slice(-4), acknowledged) }).toEqual({
        where,
        faults: [],
      })
      const type = `Cut${round}Error`
      types.push(type)
      const traffic = send(product, project, [type, 'EveryError'], 8, true)
      await pause(1000 + random() * 1500)
      const stopping = traffic.stop()
      const cut = await cutPower(product, begun, model, random, () => traffic.acknowledged[0]?.ns ?? 0n)
      await stopping
      acknowledged.push(...traffic.acknowledged.filter((event) => event.ns < cut.ns))
      console.log(
        `${where}: ${Math.round(performance.now() - began)} ms, cut at call ${cut.until} of ${cut.of}, ${traffic.acknowledged.filter((item) => item.ns < cut.ns).length} of ${traffic.acknowledged.length} acknowledged before it`,
      )
    }
    product = await start({ data: paths.data, port })
    running = product
    const all = [...types, 'EveryError']
    expect(await faultsOf(product, project, all, acknowledged, true)).toEqual([])
    expect(acknowledged.length).toBeGreaterThan(5 * rounds)
    await product.stop()
  },
)
