// 300 events/s in 1 GB of memory while somebody uses the screens: memory growth, errors and the p99 of ingest.
import { setTimeout as pause } from 'node:timers/promises'
import { noChromium, openBrowser, signIn } from '../e2e/browser.ts'
import { settled } from '../e2e/crash/traffic.ts'
import { api, bootstrap, discard, type Product, type Project, ready, start } from '../e2e/product.ts'
import { memoryLimit } from './limit.ts'
import { percentile, realBodies, runLoad } from './load.ts'
import { pssOf, type Row } from './measure.ts'

const rate = 300
const memoryBytes = 2 ** 30
const issues = 400
const ingestMsMax = 50
/** More than a merge of parts or a page render can use at the moment of a sample. */
const growthMbMax = 60
const partS = 30

type Minute = { pssMb: number; p99Ms: number; sent: number; refused: number; lagMs: number; each: string }

/** Recorded envelopes with different error types, so that lists, tags and rollups have content. */
function variedBodies(): Buffer[] {
  const { mix } = realBodies()
  return Array.from({ length: issues }, (_, i) => {
    const text = (mix[i % mix.length] ?? Buffer.alloc(0)).toString('latin1')
    return Buffer.from(text.replace(/"type":"(\w*Error)"/, `"type":"Soak${i}Error"`), 'latin1')
  })
}

/** Visits lists, issues, searches and the status page, one every two seconds. Counts pages and failures. */
async function visitPages(product: Product, project: Project, state: { on: boolean }) {
  const seen = { pages: 0, failures: 0, slowestMs: 0 }
  if (noChromium) {
    const paths = [
      '/organizations/soak/issues/?statsPeriod=24h',
      '/organizations/soak/issues/?query=Soak7Error',
      '/status/',
    ]
    while (state.on) {
      const answer = await api(product, project, paths[seen.pages % paths.length] ?? '/').catch(() => undefined)
      seen.pages++
      if (answer?.status !== 200) seen.failures++
      await pause(2000)
    }
    return seen
  }
  const browser = await openBrowser()
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await signIn(page, product.url, 'owner@soak.test')
  const list = (await api(product, project, '/organizations/soak/issues/?statsPeriod=24h')).json as { id: string }[]
  const places = () => [
    '/o/soak/issues',
    `/o/soak/issues/${list[seen.pages % Math.max(1, list.length)]?.id}`,
    '/o/soak/issues?q=Soak7Error&range=14d',
    '/o/soak/status',
    '/o/soak/issues?sort=events',
  ]
  while (state.on) {
    const began = performance.now()
    const path = places()[seen.pages % 5] ?? '/'
    const answer = await page.goto(product.url + path, { timeout: 30_000 }).catch(() => undefined)
    seen.pages++
    if (!answer?.ok()) {
      seen.failures++
      console.error(`soak: ${path} gave ${answer?.status() ?? 'nothing'}`)
    }
    seen.slowestMs = Math.max(seen.slowestMs, performance.now() - began)
    await pause(2000)
  }
  await browser.close()
  return seen
}

const mean = (list: number[]) => list.reduce((sum, value) => sum + value, 0) / Math.max(1, list.length)

type Soaked = {
  minutes: number
  parts: Minute[]
  latencies: Float64Array[]
  seen: Awaited<ReturnType<typeof visitPages>>
  ledger: { lost: number; dead: number }
  ended: number
  where: string
  killed: number
}

function rowsOf({ minutes, parts, latencies, seen, ledger, ended, where, killed }: Soaked): Row[] {
  const quarter = Math.max(1, Math.floor(parts.length / 4))
  const early = mean(parts.slice(quarter, 2 * quarter).map((part) => part.pssMb))
  const late = mean(parts.slice(-quarter).map((part) => part.pssMb))
  const sent = parts.reduce((sum, part) => sum + part.sent, 0)
  const refused = parts.reduce((sum, part) => sum + part.refused, 0)
  const all = Float64Array.from(latencies.flatMap((latency) => [...latency])).sort()
  const p99 = percentile(all, 0.99)
  const whatFor = `${minutes} min at ${rate} events/s with the screens in use`
  return [
    {
      what: `memory, ${whatFor}`,
      goal: '1 GB, no growth',
      result: `PSS ${Math.round(early)} MB in the second quarter, ${Math.round(late)} MB in the last, at most ${Math.max(...parts.map((part) => part.pssMb))} MB (${parts.at(-1)?.each}); ${where}`,
      met: late - early <= growthMbMax && Math.max(...parts.map((part) => part.pssMb)) <= 1024 && killed === 0,
    },
    {
      what: `errors, ${whatFor}`,
      goal: 'none',
      result: `${sent} sent, ${refused} not answered 200, ${seen.pages} pages, ${seen.failures} failed, ${ended} processes ended, lost ${ledger.lost}, dead ${ledger.dead}`,
      met: refused === 0 && seen.failures === 0 && ended === 0 && ledger.lost === 0 && ledger.dead === 0,
    },
    {
      what: `accept p99, ${whatFor}`,
      goal: `at most ${ingestMsMax} ms`,
      result: `${p99.toFixed(1)} ms; worst half minute ${Math.max(...parts.map((part) => part.p99Ms)).toFixed(1)} ms; slowest page ${Math.round(seen.slowestMs)} ms`,
      met: p99 <= ingestMsMax,
    },
  ]
}

/** Rows for the soak. The goal is for 60 `minutes`. */
export async function benchSoak(minutes: number): Promise<Row[]> {
  const limit = memoryLimit(memoryBytes)
  const limited = 'env' in limit ? limit : undefined
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn', ...limited?.env } })
  const project = bootstrap(product, 'soak', 'web')
  await ready(product)
  const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
  const bodies = variedBodies()
  const load = (seconds: number) => runLoad({ port: product.port, path, bodies, connections: 16, rate }, seconds)
  await load(10)
  const state = { on: true }
  const using = visitPages(product, project, state)
  const parts: Minute[] = []
  const latencies: Float64Array[] = []
  for (let n = 0; n < (minutes * 60) / partS; n++) {
    const result = await load(partS)
    const pss = pssOf(product.child.pid ?? 0)
    const status = (await api(product, project, '/status/')).json as
      | { journal: { oldestWaitingMs: number } }
      | undefined
    latencies.push(result.latenciesMs)
    parts.push({
      pssMb: pss.total,
      p99Ms: percentile(result.latenciesMs, 0.99),
      sent: result.sent,
      refused: result.sent - result.ok,
      lagMs: status?.journal?.oldestWaitingMs ?? 0,
      each: pss.each,
    })
    const last = parts.at(-1)
    console.error(
      `soak: ${((n + 1) * partS) / 60} min, PSS ${last?.pssMb} MB (${last?.each}), p99 ${last?.p99Ms.toFixed(1)} ms, refused ${last?.refused}, lag ${last?.lagMs} ms`,
    )
  }
  state.on = false
  const seen = await using
  const status = await settled(product, project, 60_000)
  const hits = limited?.hits()
  const log = product.log()
  const ended = log.split('a child ended').length - 1
  await discard(product)
  limited?.remove()
  const where = limited
    ? `in a group of 1 GiB: limit met ${hits?.hits} times by page cache too, ${hits?.killed} killed`
    : `no limit set (${'none' in limit ? limit.none : ''}), PSS measured`
  const killed = hits?.killed ?? 0
  return rowsOf({ minutes, parts, latencies, seen, ledger: status.ledger, ended, where, killed })
}
