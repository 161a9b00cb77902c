// Time of the overview with 1 and 10 million events in 50,000 issues over 30 days. The events store copies rows of
// normally ingested events (scale.ts).
import { api, bootstrap, type Product, type Project, ready } from '../e2e/product.ts'
import { percentile } from './load.ts'
import type { Row } from './measure.ts'
import { growing } from './scale.ts'
import { seedSmall } from './search.ts'

const issuesMax = 50_000
const asks = 30
const goalMs = 300
/** The default range, the longest that has events, and a day. */
const periods = ['14d', '30d', '24h'] as const

async function measure(product: Product, project: Project, period: string): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < asks; n++) {
    const began = performance.now()
    const answer = await api(product, project, `/organizations/scale/overview/?statsPeriod=${period}`)
    times.push(performance.now() - began)
    const { failed } = (answer.json ?? {}) as { failed?: unknown[] }
    if (answer.status !== 200 || failed?.length !== 0) throw new Error(`${answer.status}: ${answer.text.slice(-300)}`)
  }
  return times.sort((a, b) => a - b)
}

/** Rows for each number of events in `sizes`, ascending. `folder`: see `growing`. */
export async function benchOverview(sizes: number[], folder?: string): Promise<Row[]> {
  const { product: at, isFilled, fillTo, end } = await growing(folder)
  let product = at()
  const project = bootstrap(product, 'scale', 'web')
  await ready(product)
  const issues = Math.min(issuesMax, Math.ceil((sizes[0] ?? 0) / 20))
  if (!(await isFilled())) await seedSmall(product, project, issues)
  const rows: Row[] = []
  for (const size of sizes) {
    await fillTo(size)
    product = at()
    for (const period of periods) {
      // The first measurement warms the caches.
      await measure(product, project, period)
      const times = await measure(product, project, period)
      rows.push({
        what: `the overview of ${period}, ${size / 1e6}M events over 30 days, ${issues} issues, by the API`,
        goal: `p50 at most ${goalMs} ms at 10M`,
        result: `p50 ${percentile(times, 0.5).toFixed(0)} ms, p95 ${percentile(times, 0.95).toFixed(0)} ms`,
        met: percentile(times, 0.5) <= goalMs,
      })
    }
  }
  await end()
  return rows
}
