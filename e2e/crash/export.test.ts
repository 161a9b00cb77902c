// kill -9 in the middle of an export, of the engine and of the whole product: it begins again, and its file has every row
// once.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { RestExport } from '../../src/contract/explore/exports.ts'
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

/** The files of all exports, as `organization/name`. A name that ends in `~` is still being written. */
function filesOf({ data }: Product): string[] {
  const folder = join(data, 'blobs/exports')
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'))
}

/** The ids of the exports that have a complete file. */
const idsOfFiles = (product: Product): string[] =>
  filesOf(product)
    .filter((name) => !name.endsWith('~'))
    .map((name) => /\/(\d+)-/.exec(name)?.[1] ?? name)
    .toSorted()

/** What one try of the export has written so far: whole rows without the head. Undefined when its file is complete. */
function rowsSoFar({ data }: Product, part: string): number | undefined {
  try {
    return readFileSync(join(data, 'blobs/exports', part), 'latin1').split('\r\n').length - 2
  } catch {
    return undefined
  }
}

/** Every process of the product, first its main. */
const signal = ({ child }: Product, name: NodeJS.Signals): boolean => process.kill(-(child.pid ?? Number.NaN), name)

/**
 * Requests exports until one stands still less than half-written. Its id is the last of `ids`.
 *
 * All rows are written within half a second. Asking for the progress over HTTP came too late on a busy machine. So this
 * looks at the folder alone and never waits, and all processes are stopped in the turn that sees the first page.
 */
async function halfWritten(product: Product, project: Project, ids: string[]): Promise<{ id: string; part: string }> {
  for (let attempt = 1; attempt <= 5; attempt++) {
    const had = new Set(filesOf(product))
    const id = await requested(product, project)
    ids.push(id)
    const end = performance.now() + 20_000
    while (performance.now() < end) {
      const part = filesOf(product).find((name) => name.endsWith('~') && !had.has(name))
      if (part !== undefined && (rowsSoFar(product, part) ?? 0) > 0) {
        signal(product, 'SIGSTOP')
        const rows = rowsSoFar(product, part)
        // Half: the engine has not been asked for the last pages.
        if (rows !== undefined && rows < spanCount / 2) return { id, part }
        signal(product, 'SIGCONT')
        break
      }
      if (idsOfFiles(product).includes(id)) break
    }
  }
  throw new Error('no export was seen half-written')
}

/** The ids of all rows of the file. */
async function idsOf(product: Product, project: Project, id: string): Promise<string[]> {
  await until('the export', 60_000, async () => (await exportOf(product, project, id)).state === 'done')
  const headers = { authorization: `Bearer ${project.token}` }
  const answer = await fetch(`${product.url}/api/0${O}/exports/${id}/download/`, { headers })
  const [, ...lines] = (await answer.text()).trimEnd().split('\r\n')
  return lines.map((line) => line.split(',', 1)[0] ?? '')
}

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
  const requestedIds: string[] = []
  const engine = execFileSync('pgrep', ['-f', `engine.ts ${first.data}`], { encoding: 'utf8' })
    .trim()
    .split('\n')
  const byEngine = await halfWritten(first, project, requestedIds)
  for (const pid of engine) process.kill(Number(pid), 'SIGKILL')
  signal(first, 'SIGCONT')
  expect(new Set(await idsOf(first, project, byEngine.id)).size).toBe(spanCount)

  // The whole product: the next start begins the export again.
  const byTree = await halfWritten(first, project, requestedIds)
  await first.stop('SIGKILL')
  expect(rowsSoFar(first, byTree.part)).toBeGreaterThan(0)
  expect(rowsSoFar(first, byTree.part)).toBeLessThan(spanCount)
  expect(idsOfFiles(first)).not.toContain(byTree.id)
  const second = await begun(first.data)
  const ids = await idsOf(second, project, byTree.id)
  expect([ids.length, new Set(ids).size]).toEqual([spanCount, spanCount])
  expect(filesOf(second)).toHaveLength(requestedIds.length)
  expect(idsOfFiles(second)).toEqual(requestedIds.toSorted())
})
