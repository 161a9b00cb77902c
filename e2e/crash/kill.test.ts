// kill -9 of the whole tree, of process app or of process engine, between any two steps of "Exactly once".
import { existsSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { randomOf } from '../../src/random.cases.ts'
import { bootstrap, discard, freePort, type Product, ready, start, until } from '../product.ts'
import { type Scope, type Step, steps } from './steps.ts'
import { type Acknowledged, faultsOf, send, settled, verifyFaults } from './traffic.ts'

/** Three kills for each power cut: `npm run e2e:crash -- --rounds 100` makes 300. */
const rounds = 3 * Number(process.env.CRASH_ROUNDS ?? 1)
const seed = Number(process.env.CRASH_SEED ?? 1)
const roundMs = 60_000
let running: Product | undefined
afterAll(async () => {
  if (running) await discard(running)
})

const mainSteps = new Set<Step>(['body-spooled', 'record-written', 'record-synced', 'segment-begun', 'segment-trimmed'])

/** Shuffled steps without a repeat until all have run. App can only be killed alone in a step that it executes. */
function plan(random: () => number): { step: Step; scope: Scope; at: number }[] {
  const list: { step: Step; scope: Scope; at: number }[] = []
  while (list.length < rounds) {
    const order = steps.map((step) => ({ step, by: random() })).sort((a, b) => a.by - b.by)
    for (const { step } of order) {
      const lot = random()
      const alone =
        step.startsWith('insert') && lot < 0.25 ? 'engine' : !mainSteps.has(step) && lot < 0.6 ? 'app' : 'tree'
      const rare = step === 'segment-trimmed' || step === 'segment-begun' || step.includes('spool')
      list.push({ step, scope: alone, at: rare ? 1 : 1 + Math.floor(random() * 6) })
    }
  }
  return list.slice(0, rounds)
}

const isGone = (product: Product) => product.child.exitCode !== null || product.child.signalCode !== null

/** Sends traffic until a process was killed at the step, for at most 8 s. Then it kills everything. */
async function crash(product: Product, markFile: string, sending: ReturnType<typeof send>): Promise<boolean> {
  const over = () => isGone(product) || existsSync(markFile)
  // Steps during the start count too. The 8 s begin when the product is ready.
  await until('ready', 90_000, async () => over() || (await fetch(`${product.url}/api/health/ready`)).ok)
  const end = performance.now() + 8000
  while (performance.now() < end && !over()) await pause(20)
  const reached = existsSync(markFile)
  if (!isGone(product) && reached) {
    // Only one process was killed. It restarts by itself while the rest continues. Then kill everything at any moment.
    await ready(product).catch(() => undefined)
    await pause(300)
  }
  const stopping = sending.stop()
  await product.stop('SIGKILL')
  await stopping
  return reached
}

test(`${rounds} kills between the steps: nothing acknowledged is missing, nothing is stored twice, the ledger agrees`, {
  timeout: (rounds + 2) * roundMs,
}, async () => {
  const port = await freePort()
  let product = await start({ port })
  running = product
  const { data } = product
  const markFile = `${data}.reached`
  const project = bootstrap(product, 'kill', 'web')
  await ready(product)
  const acknowledged: Acknowledged[] = []
  const types: string[] = []
  const lastings = new Set<string>()
  const unreached: string[] = []
  await product.stop()
  for (const [round, { step, scope, at }] of plan(randomOf(seed)).entries()) {
    rmSync(markFile, { force: true })
    const env = {
      NODE_OPTIONS: `--import=${pathToFileURL(new URL('./steps.ts', import.meta.url).pathname)}`,
      CRASH_STEP: step,
      CRASH_SCOPE: scope,
      CRASH_AT: String(at),
      CRASH_DONE: markFile,
      CRASH_DATA: data,
    }
    const began = performance.now()
    const where = `seed ${seed}, round ${round}: ${scope} killed at ${step} ${at}`
    const type = `Kill${round}Error`
    types.push(type)
    // If the step runs during the start, the product is killed before any traffic.
    const started = await start({ data, port, env }).catch((error: unknown) => {
      if (existsSync(markFile)) return undefined
      throw error
    })
    if (started) {
      product = started
      running = started
      // Each of these issues lasts for nine rounds. It cannot last longer, because lists of events end after 10,000.
      const lasting = `Every${Math.floor(round / 9)}Error`
      lastings.add(lasting)
      const traffic = send(started, project, [type, lasting], 8, true)
      if (!(await crash(started, markFile, traffic))) unreached.push(step)
      acknowledged.push(...traffic.acknowledged)
    }
    // Only every third recovery runs undisturbed and is checked, so that some kills hit a recovery.
    if (round % 3 === 2 || round === rounds - 1) {
      product = await start({ data, port })
      running = product
      expect({ where, faults: await faultsOf(product, project, types.slice(-4), acknowledged) }).toEqual({
        where,
        faults: [],
      })
      await product.stop(round % 2 === 0 ? 'SIGTERM' : 'SIGKILL')
    }
    console.log(`${where}${existsSync(markFile) ? '' : ' (not reached)'}: ${Math.round(performance.now() - began)} ms`)
  }
  product = await start({ data, port })
  running = product
  await settled(product, project)
  expect(await faultsOf(product, project, [...types, ...lastings], acknowledged, true)).toEqual([])
  expect(acknowledged.length).toBeGreaterThan(5 * rounds)
  await product.stop()
  expect(await verifyFaults(data)).toBe('')
  expect(unreached.length).toBeLessThan(Math.max(2, rounds / 4))
})
