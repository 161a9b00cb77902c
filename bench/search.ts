// Times of the stream by state, and of a search by two tags and words, with 50,000 issues and 1 and 10 million events
// over 30 days. The events store copies rows of normally ingested events, with other tags.
import { settled } from '../e2e/crash/traffic.ts'
import { api, bootstrap, envelopeOf, errorEvent, type Product, type Project, ready } from '../e2e/product.ts'
import { percentile, runLoad } from './load.ts'
import type { Row } from './measure.ts'
import { growing } from './scale.ts'

const issuesMax = 50_000
const asks = 40
const O = '/organizations/scale'

/** Sends one small event of each issue. */
export async function seedSmall(product: Product, project: Project, issues: number): Promise<void> {
  const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
  const bodies = Array.from({ length: issues }, (_, n) =>
    Buffer.from(
      envelopeOf(
        errorEvent(`Search${n}Error`, `something went wrong in part ${n % 977}`, { environment: 'production' }),
      ),
    ),
  )
  for (let sent = 0; sent < issues; )
    sent += (await runLoad({ port: product.port, path, bodies: bodies.slice(sent), connections: 2 }, 5)).sent
  await settled(product, project, 600_000)
}

/** Resolves a tenth of the issues and archives another tenth. */
async function decide(product: Product, project: Project, issues: number): Promise<void> {
  for (const [status, from] of [
    ['resolved', 0],
    ['ignored', 1],
  ] as const)
    for (let first = from * Math.floor(issues / 10); first < (from + 1) * Math.floor(issues / 10); first += 100) {
      const ids = Array.from({ length: 100 }, (_, n) => `id=${first + n + 1}`).join('&')
      const body = JSON.stringify({ status })
      const answer = await api(product, project, `${O}/issues/?${ids}`, { method: 'PUT', body })
      if (answer.status !== 200) throw new Error(answer.text.slice(0, 200))
    }
}

const pick = (list: readonly string[], shift: number) =>
  `arrayElement([${list.map((item) => `'${item}'`).join(', ')}], 1 + bitShiftRight(rand64(n + 9), ${shift}) % ${list.length})`
const browsers = ['Chrome', 'Chrome', 'Chrome', 'Firefox', 'Safari', 'Safari', 'Edge']
const tags = `map('browser.name', ${pick(browsers, 3)}, 'plan', ${pick(['free', 'free', 'free', 'pro'], 9)}, 'customer', toString(rand64(n + 9) % 5000), 'url', concat('https://shop.test/', toString(rand64(n + 9) % 300)), 'environment', 'production', 'level', 'error')`

const states = ['is:unresolved', 'is:resolved', 'is:archived', 'is:new', 'is:regressed', 'is:assigned', '!is:resolved']
const searches: Record<string, { goalMs: number; paths: string[] }> = {
  'the stream by state': {
    goalMs: 50,
    paths: states.flatMap((query) =>
      ['date', 'new'].map(
        (sort) => `${O}/issues/?per_page=25&statsPeriod=30d&sort=${sort}&query=${encodeURIComponent(query)}`,
      ),
    ),
  },
  'two tags and words over 30 days': {
    goalMs: 300,
    paths: [
      'browser.name:Firefox plan:pro went wrong',
      'browser.name:Edge customer:7* "part 12"',
      'plan:pro customer:4711 wrong',
    ].map((query) => `${O}/issues/?per_page=25&statsPeriod=30d&query=${encodeURIComponent(query)}`),
  },
  'values that a box offers': {
    goalMs: 300,
    paths: ['browser.name', 'customer', 'release'].map(
      (key) => `${O}/tags/${key}/values/?statsPeriod=30d&limit=12&query=`,
    ),
  },
}

async function measure(product: Product, project: Project, paths: readonly string[]): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < Math.max(asks, paths.length); n++) {
    const path = paths[n % paths.length] ?? ''
    const began = performance.now()
    const answer = await api(product, project, path)
    times.push(performance.now() - began)
    if (answer.status !== 200) throw new Error(`${path} gave ${answer.status}: ${answer.text.slice(0, 200)}`)
  }
  return times.sort((a, b) => a - b)
}

/** Rows for each number of events in `sizes`, ascending. The first size is the baseline. `folder`: see `growing`. */
export async function benchSearch(sizes: number[], folder?: string): Promise<Row[]> {
  const { product: at, isFilled, fillTo, end } = await growing(folder)
  let product = at()
  const project = bootstrap(product, 'scale', 'web')
  await ready(product)
  const issues = Math.min(issuesMax, Math.ceil((sizes[0] ?? 0) / 10))
  if (!(await isFilled())) {
    await seedSmall(product, project, issues)
    await decide(product, project, issues)
  }
  const rows: Row[] = []
  const first: Record<string, number> = {}
  for (const size of sizes) {
    await fillTo(size, { tags })
    product = at()
    for (const [name, { goalMs, paths }] of Object.entries(searches)) {
      // The first measurement warms the caches.
      await measure(product, project, paths)
      const times = await measure(product, project, paths)
      const own = percentile(times, 0.95)
      first[name] ??= own
      const ratio = own / (first[name] || own)
      rows.push({
        what: `${name}, ${size / 1e6}M events, ${issues} issues, by the API`,
        goal:
          size === sizes[0]
            ? `p95 at most ${goalMs} ms`
            : `p95 at most ${goalMs} ms, at most 2x of ${(sizes[0] ?? 0) / 1e6}M`,
        result: `p50 ${percentile(times, 0.5).toFixed(0)} ms, p95 ${own.toFixed(0)} ms${size === sizes[0] ? '' : `, ${ratio.toFixed(1)}x`}`,
        met: own <= goalMs && ratio <= 2,
      })
    }
  }
  await end()
  return rows
}
