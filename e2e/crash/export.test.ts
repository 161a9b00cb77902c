// kill -9 in the middle of an export, of the engine and of the whole product: it begins again, and its file has every row
// once.
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import type { RestExport } from '../../src/contract/exports.ts'
import { api, bootstrap, discard, ingest, type Product, type Project, ready, start, until } from '../product.ts'

const running: { product?: Product } = {}
afterAll(() => running.product && discard(running.product))

const O = '/organizations/exported'
const containers = 80
const spansOfOne = 1000
const spanCount = containers * spansOfOne

async function begun(data?: string): Promise<Product> {
  const product = await start(data === undefined ? {} : { data })
  running.product = product
  await ready(product)
  return product
}

/** A container of streamed spans. */
function containerOf(n: number): string {
  const at = Date.now() / 1000 - n
  // A trace of zeros is none.
  const trace = (n + 1).toString(16).padStart(32, '0')
  const items = Array.from({ length: spansOfOne }, (_, i) => ({
    trace_id: trace,
    span_id: (n * spansOfOne + i + 1).toString(16).padStart(16, '0'),
    name: `span ${i}`,
    status: 'ok',
    is_segment: false,
    start_timestamp: at - i / 2000,
    end_timestamp: at,
    attributes: { 'sentry.op': { value: 'db', type: 'string' } },
  }))
  const head = { type: 'span', item_count: items.length, content_type: 'application/vnd.sentry.items.span.v2+json' }
  return `{}\n${JSON.stringify(head)}\n${JSON.stringify({ version: 2, items })}\n`
}

async function requested(product: Product, project: Project): Promise<string> {
  const plan = { dataset: 'spans', columns: ['id', 'timestamp', 'span.name', 'span.op', 'trace'] }
  const { json } = await api(product, project, `${O}/exports/?statsPeriod=24h`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ plan, format: 'csv' }),
  })
  return (json as RestExport).id
}

const exportOf = async (product: Product, project: Project, id: string): Promise<RestExport> =>
  (await api(product, project, `${O}/exports/${id}/`)).json as RestExport

/** Waits until some rows of the export are written, and not all. */
async function isUnderWay(product: Product, project: Project, id: string): Promise<void> {
  for (;;) {
    const { state, rows, error } = await exportOf(product, project, id)
    if (state === 'running' && rows > 0) return
    if (state !== 'waiting' && state !== 'running') throw new Error(`the export is ${state}: ${error}`)
    await pause(5)
  }
}

/** The ids of all rows of the file. */
async function idsOf(product: Product, project: Project, id: string): Promise<string[]> {
  await until('the export', 60_000, async () => (await exportOf(product, project, id)).state === 'done')
  const headers = { authorization: `Bearer ${project.token}` }
  const answer = await fetch(`${product.url}/api/0${O}/exports/${id}/download/`, { headers })
  const [, ...lines] = (await answer.text()).trimEnd().split('\r\n')
  return lines.map((line) => line.split(',', 1)[0] ?? '')
}

const filesOf = ({ data }: Product): string[] =>
  readdirSync(join(data, 'blobs/exports'), { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'))

test('an export that is killed begins again, and its file has every row once', async () => {
  const first = await begun()
  const project = bootstrap(first, 'exported', 'web')
  for (let n = 0; n < containers; n++) await ingest(first, project, containerOf(n))
  await until('the spans', 120_000, async () => {
    const path = `${O}/events/?dataset=spans&field=count_sample()&statsPeriod=24h`
    const { data } = (await api(first, project, path)).json as { data: { 'count_sample()': number }[] }
    return data[0]?.['count_sample()'] === spanCount
  })

  // The engine: the export waits for it.
  const byEngine = await requested(first, project)
  await isUnderWay(first, project, byEngine)
  const engine = execFileSync('pgrep', ['-f', `engine.ts ${first.data}`], { encoding: 'utf8' })
    .trim()
    .split('\n')
  for (const pid of engine) process.kill(Number(pid), 'SIGKILL')
  expect(new Set(await idsOf(first, project, byEngine)).size).toBe(spanCount)

  // The whole product: the next start begins the export again.
  const byTree = await requested(first, project)
  await isUnderWay(first, project, byTree)
  await first.stop('SIGKILL')
  expect(filesOf(first).filter((name) => name.includes(`/${byTree}-`) && !name.endsWith('~'))).toEqual([])
  const second = await begun(first.data)
  const ids = await idsOf(second, project, byTree)
  expect([ids.length, new Set(ids).size]).toEqual([spanCount, spanCount])
  expect(filesOf(second)).toHaveLength(2)
})
