// Full disks of the journal, the events store, meta and the blobs. Each one is a small tmpfs (root only).
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Login, loginOf, noChromium, openBrowser, openPage } from '../browser.ts'
import {
  bootstrap,
  envelopeOf,
  errorEvent,
  ingest,
  type Product,
  type Project,
  ready,
  start,
  until,
} from '../product.ts'
import { type Acknowledged, childrenOf, faultsOf, readyAtLast, send, verifyFaults } from './traffic.ts'

const mounts: string[] = []
const running: Product[] = []
let browser: Browser | undefined
beforeAll(async () => {
  if (!noChromium && canMount) browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  for (const product of running) await product.stop('SIGKILL')
  for (const path of mounts) execFileSync('umount', ['-l', path])
  for (const product of running) {
    rmSync(product.data, { recursive: true, force: true })
    rmSync(`${product.data}.log`, { force: true })
  }
})

function mounted(path: string, mebibytes: number): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  mkdirSync(path, { recursive: true, mode: 0o700 })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'tmpfs', path], { stdio: 'pipe' })
  } catch {
    return false
  }
  mounts.push(path)
  return true
}

const canMount = (() => {
  const path = mkdtempSync(join(tmpdir(), 'mishap-mount-'))
  const could = mounted(path, 1)
  if (could) execFileSync('umount', [mounts.pop() ?? path])
  rmSync(path, { recursive: true })
  return could
})()

/** Fills the disk of `path` until `bytes` are free. Returns a function that frees the space. */
function fill(path: string, bytes: number): () => void {
  const filler = join(path, 'filler')
  const block = Buffer.alloc(64 * 1024, 1)
  for (;;) {
    const free = statfsSync(path)
    const left = free.bavail * free.bsize - bytes
    if (left <= 0) break
    try {
      writeFileSync(filler, block.subarray(0, Math.min(block.length, Math.max(4096, left))), { flag: 'a' })
    } catch {
      break
    }
  }
  return () => rmSync(filler, { force: true })
}

type Stage = {
  name: string
  folder: string
  mebibytes: number
  /** Bytes to leave free. */
  leave: number
  /** The answer of ingest to small events while the disk is full. */
  status: 200 | 503
  /** The answer to an event with a file over 1 MiB, which goes through the blobs. */
  large?: 503
  /** The store that processing waits for, in the status. */
  waits?: 'events' | 'database'
}

const journal = { folder: 'journal', mebibytes: 96, status: 503 } as const
/** The disks that one product fills, one after the other. */
const runs: { what: string; env: Record<string, string>; stages: Stage[] }[] = [
  {
    what: 'the disk of the journal falls below the reserve',
    env: { MISHAP_DISK_RESERVE_BYTES: String(4 * 2 ** 20) },
    stages: [{ ...journal, name: 'reserve', leave: 3 * 2 ** 20 }],
  },
  {
    what: 'the disk of the journal takes not a byte more',
    env: { MISHAP_DISK_RESERVE_BYTES: '0' },
    stages: [{ ...journal, name: 'not a byte', leave: 0 }],
  },
  {
    what: 'the disks of events store, meta and blobs are full in turn',
    env: {},
    stages: [
      { name: 'events store', folder: 'events', mebibytes: 96, leave: 0, status: 200, waits: 'events' },
      { name: 'meta', folder: 'meta', mebibytes: 48, leave: 0, status: 200, waits: 'database' },
      { name: 'blobs', folder: 'blobs', mebibytes: 48, leave: 0, status: 200, large: 503 },
    ],
  },
]

const answerTo = async (product: Product, project: Project, type: string, attachment?: Buffer) => {
  const event = errorEvent(type, 'disk full')
  const head = attachment ? `{"type":"attachment","length":${attachment.length},"filename":"a"}\n` : ''
  const body = Buffer.concat([Buffer.from(envelopeOf(event) + head), attachment ?? Buffer.alloc(0), Buffer.from('\n')])
  const answer = await ingest(product, project, body)
  return { answer, event }
}

/** Checks that the issue list still renders, and that the status page names what processing waits for. */
async function checkScreens(product: Product, project: Project, browser: Browser, login: Login, waits: string) {
  const { page } = await openPage(browser, product.url, { login })
  const answer = await page.goto(`${product.url}/o/${project.org}/issues`)
  expect([waits, answer?.status()]).toEqual([waits, 200])
  await page.getByRole('navigation').first().waitFor({ timeout: 10_000 })
  await page.goto(`${product.url}/o/${project.org}/settings/status`)
  await page.getByText(`Processing has waited for the ${waits === 'events' ? 'events store' : waits}`).waitFor()
  await page.context().close()
}

/**
 * Kills process app while the disk is full. The new process must recover the open batches, wait for the disk instead of
 * exiting again, and continue.
 */
async function killApp(product: Product): Promise<void> {
  const appsOf = () => childrenOf(product.child.pid, 'app.ts')
  const [first] = appsOf()
  if (first === undefined) throw new Error('no process app')
  process.kill(first, 'SIGKILL')
  const [second] = await until('another process app', 20_000, async () => {
    const found = appsOf().filter((pid) => pid !== first)
    return found.length > 0 && found
  })
  await pause(5000)
  expect(appsOf()).toEqual([second])
}

/** Fills the disk under traffic, checks the answers and frees the space. Returns the acknowledged events. */
async function goThrough(
  product: Product,
  project: Project,
  stage: Stage,
  type: string,
  screens: { browser: Browser; login: Login } | undefined,
): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = []
  const { name } = stage
  const before = send(product, project, [type], 4)
  await pause(700)
  const giveBack = fill(join(product.data, stage.folder), stage.leave)
  await pause(1500)
  await before.stop()
  acknowledged.push(...before.acknowledged)
  const { answer, event } = await answerTo(product, project, type)
  const text = await answer.text()
  expect({ name, status: answer.status, text }).toMatchObject({ name, status: stage.status })
  if (stage.status === 503) {
    expect(text).toContain('ACCEPT_DISK_FULL')
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  } else acknowledged.push({ id: event.event_id, type, ns: 0n })
  if (stage.large) {
    const large = await answerTo(product, project, type, Buffer.alloc(1_200_000))
    expect(large.answer.status).toBe(stage.large)
    expect(await large.answer.text()).toContain('ACCEPT_DISK_FULL')
    expect(Number(large.answer.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect((await fetch(`${product.url}/api/health/live`)).status).toBe(200)
  if (stage.waits && screens) await checkScreens(product, project, screens.browser, screens.login, stage.waits)
  await killApp(product)
  giveBack()
  await readyAtLast(product)
  await until(`ingest to go on (${name})`, 20_000, async () => {
    const answerAgain = await answerTo(product, project, type)
    if (answerAgain.answer.status === 200) acknowledged.push({ id: answerAgain.event.event_id, type, ns: 0n })
    return answerAgain.answer.status === 200
  })
  const after = send(product, project, [type], 4)
  await pause(700)
  await after.stop()
  acknowledged.push(...after.acknowledged)
  expect([name, after.refused[503] ?? 0]).toEqual([name, 0])
  return acknowledged
}

for (const { what, env, stages } of runs)
  test.skipIf(!canMount)(
    `${what}: ${stages[0]?.status} meanwhile, nothing acknowledged is lost, it goes on by itself`,
    { timeout: 180_000, concurrent: true },
    async () => {
      const data = mkdtempSync(join(tmpdir(), 'mishap-full-'))
      for (const { folder, mebibytes } of stages) mounted(join(data, folder), mebibytes)
      // The ledger leaves out what Mishap's screens report of themselves, and the tables have it.
      const product = await start({ data, env: { ...env, MISHAP_SELF_REPORTING: 'off' } })
      running.push(product)
      const project = bootstrap(product, 'full', 'web')
      await ready(product)
      const acknowledged: Acknowledged[] = []
      const screens =
        browser && stages.some((stage) => stage.waits)
          ? { browser, login: await loginOf(browser, product.url, 'owner@full.test') }
          : undefined
      const typeOf = ({ folder }: Stage) => `${folder}FullError`
      const types = stages.map(typeOf)
      for (const stage of stages) {
        acknowledged.push(...(await goThrough(product, project, stage, typeOf(stage), screens)))
        const faults = await faultsOf(product, project, types, acknowledged, true)
        expect([stage.name, ...faults]).toEqual([stage.name])
      }
      await product.stop()
      const restarted = await start({ data, port: product.port, env })
      running.push(restarted)
      expect(await faultsOf(restarted, project, types, acknowledged, true)).toEqual([])
      await restarted.stop()
      expect(await verifyFaults(data)).toBe('')
    },
  )
