// Move of a data folder to PostgreSQL, a ClickHouse node and S3 on this machine, with 20,000 issues, while events arrive:
// `npm run bench -- move --rows 1000000`.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { settled } from '../e2e/crash/traffic.ts'
import { noStores, startStores } from '../e2e/engines/stores.ts'
import { bootstrap, discard, type Product, type Project, ready, root, start } from '../e2e/product.ts'
import { databaseFile } from '../src/processes/meta-files.ts'
import { realBodies, runLoad } from './load.ts'
import type { Row } from './measure.ts'

const issues = 20_000
/** Below what this machine stores, so that the journal does not fill up. */
const offered = 3000
/** Events per second during the move. */
const during = 100
const goals = { seconds: 180, pausedMs: 10_000 }

const pathOf = ({ id, key }: Project) => `/api/${id}/envelope/?sentry_key=${key}&sentry_version=7`

/** Sends `events` events of `issues` issues through ingest, and waits until they are stored. */
async function seed(product: Product, project: Project, events: number): Promise<void> {
  const { mix } = realBodies()
  const bodies = Array.from({ length: issues }, (_, at) => {
    const text = (mix[at % mix.length] ?? Buffer.alloc(0)).toString('latin1')
    return Buffer.from(text.replace('"platform":', `"fingerprint":["move ${at}"],"platform":`), 'latin1')
  })
  const path = pathOf(project)
  for (let sent = 0; sent < events; ) {
    const turned = [...bodies.slice(sent % issues), ...bodies.slice(0, sent % issues)]
    const seconds = Math.min(30, 1 + (events - sent) / offered)
    sent += (await runLoad({ port: product.port, path, bodies: turned, connections: 16, rate: offered }, seconds)).ok
    await settled(product, project, 240_000)
  }
}

/** Number of issues in the database of a product with embedded stores. */
async function issuesOf(product: Product): Promise<number> {
  const database = new DatabaseSync(join(product.data, 'meta', databaseFile), { readOnly: true })
  try {
    return Number(database.prepare('select count(*) n from issue').get()?.n)
  } finally {
    database.close()
  }
}

type Moved = { pausedMs: number; checks: { wrong: string[] }[] }

/** Runs `mishap move` and returns what it reports. Throws with its output if it fails. */
const move = (product: Product, env: Record<string, string>): Promise<Moved> =>
  new Promise((resolve, reject) => {
    const words = ['--disable-warning=ExperimentalWarning', join(root, 'src/processes/main.ts'), 'move', '--json']
    execFile(
      process.execPath,
      [...words, '--data', product.data],
      { env: { ...process.env, ...env } },
      (error, out, err) => (error ? reject(new Error(`${out}${err}`)) : resolve(JSON.parse(out) as Moved)),
    )
  })

/** Rows for the move of about `events` events. */
export async function benchMove(events: number): Promise<Row[]> {
  const why = noStores()
  if (why) throw new Error(why)
  const stores = await startStores()
  const product = await start()
  try {
    const project = bootstrap(product, 'bench', 'web')
    await ready(product)
    await seed(product, project, events)
    const found = await issuesOf(product)
    if (found < issues) throw new Error(`${found} issues instead of ${issues}`)
    const targets = Object.entries(stores.settings(false)).map(([name, value]) => [
      name.replace('MISHAP_', 'MISHAP_MOVE_'),
      value,
    ])
    const began = performance.now()
    const moving = move(product, Object.fromEntries(targets))
    const load = { port: product.port, path: pathOf(project), bodies: realBodies().mix, connections: 4, rate: during }
    const ended = new AbortController()
    const traffic = (async () => {
      const counts = { sent: 0, ok: 0 }
      while (!ended.signal.aborted) {
        const { sent, ok } = await runLoad(load, 1)
        counts.sent += sent
        counts.ok += ok
      }
      return counts
    })()
    const { pausedMs, checks } = await moving.finally(() => ended.abort())
    const seconds = (performance.now() - began) / 1000
    const { sent, ok } = await traffic
    for (const [, phase, ms] of product.log().matchAll(/"phase":"([^"]+)","ms":(\d+)/g))
      console.error(`move: ${phase} ${ms} ms`)
    console.error(`move: in all ${Math.round(seconds * 1000)} ms`)
    const wrong = checks.flatMap((check) => check.wrong)
    const isClean = wrong.length === 0 && sent === ok
    return [
      {
        what: `move of ${events.toLocaleString('en')} events and ${issues.toLocaleString('en')} issues to PostgreSQL, a ClickHouse node and S3, at ${during} events/s`,
        goal: `at most ${goals.seconds} s, longest pause ${goals.pausedMs / 1000} s`,
        result: `${Math.round(seconds)} s, pause ${(pausedMs / 1000).toFixed(1)} s; ${ok} of ${sent} requests answered 200; faults: ${wrong.join('; ') || 'none'}`,
        met: isClean && seconds <= goals.seconds && pausedMs <= goals.pausedMs,
      },
    ]
  } finally {
    await discard(product)
    await stores.remove()
  }
}
