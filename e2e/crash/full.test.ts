// The disk is full: of the journal, of the events store, of meta, of the blobs. Each is a small tmpfs of its own (root only).
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
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
import { type Acknowledged, faultsOf, send } from './traffic.ts'

const mounts: string[] = []
const running: Product[] = []
afterAll(async () => {
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

/** Leaves `bytes` free where `path` is; returns the way to give the space back. */
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
  folder: string
  mebibytes: number
  /** Bytes that stay free. */
  leave: number
  env?: Record<string, string>
  /** What ingest answers to small events meanwhile. */
  status: 200 | 503
  /** An event with a file over 1 MiB, which goes through the blobs. */
  large?: 503
}

const stages: (Stage & { name: string })[] = [
  {
    name: 'the journal’s disk falls below the reserve',
    folder: 'journal',
    mebibytes: 96,
    leave: 3 * 2 ** 20,
    env: { MISHAP_DISK_RESERVE_BYTES: String(4 * 2 ** 20) },
    status: 503,
  },
  {
    name: 'the journal’s disk takes not a byte more',
    folder: 'journal',
    mebibytes: 96,
    leave: 0,
    env: { MISHAP_DISK_RESERVE_BYTES: '0' },
    status: 503,
  },
  { name: 'the events store’s disk is full', folder: 'events', mebibytes: 96, leave: 0, status: 200 },
  { name: 'meta’s disk is full', folder: 'meta', mebibytes: 48, leave: 0, status: 200 },
  { name: 'the blobs’ disk is full', folder: 'blobs', mebibytes: 48, leave: 0, status: 200, large: 503 },
]

const answerTo = async (product: Product, project: Project, type: string, attachment?: Buffer) => {
  const event = errorEvent(type, 'disk full')
  const head = attachment ? `{"type":"attachment","length":${attachment.length},"filename":"a"}\n` : ''
  const body = Buffer.concat([Buffer.from(envelopeOf(event) + head), attachment ?? Buffer.alloc(0), Buffer.from('\n')])
  const answer = await ingest(product, project, body)
  return { answer, event }
}

for (const stage of stages)
  test.skipIf(!canMount)(
    `${stage.name}: ${stage.status} meanwhile, nothing acknowledged is lost, it goes on by itself`,
    { timeout: 180_000 },
    async () => {
      const data = mkdtempSync(join(tmpdir(), 'mishap-full-'))
      const folder = join(data, stage.folder)
      mounted(folder, stage.mebibytes)
      const product = await start({ data, env: stage.env ?? {} })
      running.push(product)
      const project = bootstrap(product, 'full', 'web')
      await ready(product)
      const acknowledged: Acknowledged[] = []
      const type = 'FullError'
      const before = send(product, project, [type], 4)
      await pause(700)
      const giveBack = fill(folder, stage.leave)
      await pause(1500)
      await before.stop()
      acknowledged.push(...before.acknowledged)
      const { answer, event } = await answerTo(product, project, type)
      const text = await answer.text()
      expect({ status: answer.status, text }).toMatchObject({ status: stage.status })
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
      await pause(3000)
      giveBack()
      await until('ingest to go on', 20_000, async () => {
        const again = await answerTo(product, project, type)
        if (again.answer.status === 200) acknowledged.push({ id: again.event.event_id, type, ns: 0n })
        return again.answer.status === 200
      })
      const after = send(product, project, [type], 4)
      await pause(700)
      await after.stop()
      acknowledged.push(...after.acknowledged)
      expect(after.refused[503] ?? 0).toBe(0)
      expect(await faultsOf(product, project, [type], acknowledged, true)).toEqual([])
      await product.stop()
      const again = await start({ data, port: product.port, env: stage.env ?? {} })
      running.push(again)
      expect(await faultsOf(again, project, [type], acknowledged, true)).toEqual([])
      await again.stop()
    },
  )
