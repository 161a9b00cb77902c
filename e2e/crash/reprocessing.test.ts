// kill -9 at each step of reprocessing: no event is lost or duplicated, and all counts agree.
import { existsSync, rmSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { buildOf, failedEvent, runsOf, uploadBuild } from '../mapped.ts'
import {
  api,
  bootstrap,
  discard,
  envelopeOf,
  freePort,
  type Issue,
  idsOf,
  ingest,
  type Product,
  ready,
  start,
  until,
} from '../product.ts'
import { reprocessingSteps } from './reprocessing-steps.ts'
import { settled, verifyFaults } from './traffic.ts'

let running: Product | undefined
afterAll(async () => {
  if (running) await discard(running)
})

/** By default, one step before the commit and one after it. CRASH_STEPS names steps; `--rounds 2` runs all. */
const few = ['write-runs', 'delete-answered'] as const
const named = process.env.CRASH_STEPS?.split(',')
const steps = reprocessingSteps.filter((step) =>
  named ? named.includes(step) : Number(process.env.CRASH_ROUNDS ?? 1) > 1 || few.some((item) => item === step),
)
const eventsEach = 40
const roundMs = 90_000

test('killed at each step of mapping events again', { timeout: (steps.length + 2) * roundMs }, async () => {
  const port = await freePort()
  let product = await start({ port })
  running = product
  const { data } = product
  const markFile = `${data}.reached`
  const project = bootstrap(product, 'again', 'shop', 'javascript')
  await ready(product)
  const ids: string[] = []
  for (const step of steps) {
    await product.stop()
    rmSync(markFile, { force: true })
    const env = {
      NODE_OPTIONS: `--import=${pathToFileURL(new URL('./reprocessing-steps.ts', import.meta.url).pathname)}`,
      REGROUP_STEP: step,
      REGROUP_DONE: markFile,
    }
    product = await start({ data, port, env })
    running = product
    await ready(product)
    const build = await buildOf(step)
    const events = Array.from({ length: eventsEach }, (_, n) => failedEvent(build, n % 4 === 0 ? 'search' : 'cart'))
    for (const event of events) expect((await ingest(product, project, envelopeOf(event))).status).toBe(200)
    ids.push(...events.map((event) => event.event_id))
    await settled(product, project)
    await uploadBuild(product, project, build).catch(() => undefined)
    await until(`${step} to be reached`, 30_000, async () => existsSync(markFile))
    await product.stop('SIGKILL')
    // This state has no faults: an unfinished step counts as done or as not started.
    expect({ step, faults: await verifyFaults(data) }).toEqual({ step, faults: '' })
    product = await start({ data, port })
    running = product
    await settled(product, project)
    await until('the run to end', 30_000, async () =>
      (await runsOf(product, project)).every((run) => run.dateEnded !== null),
    )
    const issues = (await api(product, project, '/organizations/again/issues/?query=&statsPeriod=24h'))
      .json as (Issue & {
      culprit: string
    })[]
    const found = await Promise.all(issues.map((issue) => idsOf(product, project, issue.id)))
    expect({ step, ids: found.flat().sort() }).toEqual({ step, ids: [...ids].sort() })
    const sums = issues.map((issue, at) => [
      issue.culprit,
      Number(issue.count),
      Number(issue.lifetime.count),
      found[at]?.length,
    ])
    const [quarter, rest] = [ids.length / 4, (ids.length * 3) / 4]
    expect({ step, sums: sums.sort() }).toEqual({
      step,
      sums: [
        ['Cart.totalOf(assets/src/cart)', rest, rest, rest],
        ['search(assets/src/cart)', quarter, quarter, quarter],
      ],
    })
    const { ledger } = await settled(product, project)
    expect({ step, stored: ledger.stored, lost: ledger.lost }).toEqual({ step, stored: ids.length, lost: 0 })
  }
  await product.stop()
  expect(await verifyFaults(data)).toBe('')
})
