import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import {
  api,
  bootstrap,
  discard,
  envelopeOf,
  errorEvent,
  ingest,
  type Product,
  ready,
  root,
  start,
  until,
} from '../product.ts'

const running: Product[] = []
afterAll(async () => {
  await Promise.all(running.map(discard))
})

type Status = {
  ledger: Record<'received' | 'stored' | 'lost' | 'thinned', number>
  journal: { waitingRecords: number }
  disk: {
    budget: { budgetBytes: number; storedBytes: number } | null
    thinned: { events: number; bytesBefore: number; bytesAfter: number | null; budgetBytes: number; reached: boolean }[]
  }
}
type Job = { name: string; running: boolean; lastRun: string | null }
type Detail = { id: string; title: string; count: string; thinned: number; lifetime: { count: string } }

const verified = (product: Product): Promise<boolean> =>
  new Promise((resolve) => {
    const words = [join(root, 'src/processes/main.ts'), 'verify', '--data', product.data]
    execFile(process.execPath, words, (error) => resolve(error === null))
  })

const floodEvents = 1500
/** Random bytes do not compress. 1,500 of them take 12 MB: each event is stored as received and as processed. */
const noiseBytes = 4000

test('over the disk budget the most repeated is thinned, also over a kill; counts, ledger and verify stay true', async () => {
  const first = await start()
  running.push(first)
  const project = await bootstrap(first)
  await ready(first)
  const noisy = () => ({
    ...errorEvent('Flood', 'again'),
    extra: { noise: randomBytes(noiseBytes).toString('base64') },
  })
  const text = envelopeOf(errorEvent('Rare', 'once'))
  expect((await ingest(first, project, text)).status).toBe(200)
  for (let at = 0; at < floodEvents; at += 50)
    await Promise.all(Array.from({ length: 50 }, () => ingest(first, project, envelopeOf(noisy()))))
  const statusOf = async (product: Product) => (await api(product, project, '/status/')).json as Status
  await until('everything stored', 60_000, async () => (await statusOf(first)).ledger.stored === floodEvents + 1)
  const before = await statusOf(first)
  const stored = before.disk.budget?.storedBytes ?? 0
  expect([before.disk.thinned, before.ledger.thinned, stored > 4_000_000]).toEqual([[], 0, true])
  await first.stop()

  const env = { MISHAP_DISK_BUDGET: String(Math.floor(stored * 0.6)) }
  const second = await start({ data: first.data, env })
  running.push(second)
  await until('thinning to begin', 60_000, async () => (await statusOf(second)).disk.thinned.length > 0)
  await second.stop('SIGKILL')

  const startedMs = Date.now()
  const third = await start({ data: first.data, env })
  running.push(third)
  const after = await until('the budget', 90_000, async () => {
    const status = await statusOf(third)
    const { budget } = status.disk
    const jobs = (await api(third, project, '/status/jobs/')).json as Job[]
    const job = jobs.find((candidate) => candidate.name === 'disk-budget')
    const hasRun = job && !job.running && Date.parse(job.lastRun ?? '') > startedMs
    return budget !== null && budget.storedBytes <= budget.budgetBytes && hasRun && status
  })
  expect(after.ledger).toMatchObject({ received: floodEvents + 1, stored: floodEvents + 1, lost: 0 })
  const gone = after.disk.thinned.reduce((sum, run) => sum + run.events, 0)
  expect(after.ledger.thinned).toBe(gone)
  expect(gone).toBeGreaterThan(300)
  expect(gone).toBeLessThanOrEqual(floodEvents - 22)

  const issues = (await api(third, project, `/organizations/${project.org}/issues/?query=`)).json as Detail[]
  const detailOf = async (title: string) => {
    const id = issues.find((issue) => issue.title.startsWith(title))?.id
    return (await api(third, project, `/organizations/${project.org}/issues/${id}/`)).json as Detail
  }
  expect(await detailOf('Flood')).toMatchObject({
    count: String(floodEvents),
    thinned: gone,
    lifetime: { count: String(floodEvents) },
  })
  expect(await detailOf('Rare')).toMatchObject({ thinned: 0, lifetime: { count: '1' } })
  expect(await verified(third)).toBe(true)
  await third.stop()
  expect(await verified(third)).toBe(true)
}, 300_000)
