// Compares ingest with sync to disk with a bare node:http sink that reads the same bodies, in one run.
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { bootstrap, discard, freePort, ready, start } from '../e2e/product.ts'
import { median, percentile, realBodies, runLoad } from './load.ts'
import type { Row } from './measure.ts'

const seconds = 5
const rounds = 5
const connections = 64

/** Starts the sink in its own process, like the product. */
async function sink(): Promise<{ port: number; stop(): void }> {
  const port = await freePort()
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', import.meta.filename, 'sink', String(port)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return { port, stop: () => child.kill() }
}

function serveSink(port: number): void {
  const server = createServer((req, res) => {
    const parts: Buffer[] = []
    req.on('data', (part: Buffer) => parts.push(part))
    req.on('end', () => {
      Buffer.concat(parts)
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}')
    })
  })
  server.listen(port, '127.0.0.1', () => console.log('up'))
}

/**
 * Measures both servers alternately, five times each. The ratio is the median of the rounds: on a shared machine the sink
 * alone differs by half from minute to minute, so the best run of each compared two different machines.
 */
export async function benchAccept(): Promise<Row[]> {
  const bare = await sink()
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  const project = bootstrap(product, 'bench', 'web')
  await ready(product)
  const { small, large } = realBodies()
  const rows: Row[] = []
  for (const [name, body] of [
    ['2 kB', small],
    ['14 kB', large],
  ] as const) {
    const found: { ratio: number; bare: number; own: number; p99: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const toBare = await runLoad({ port: bare.port, path: '/', bodies: [body], connections }, seconds)
      const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
      const toOwn = await runLoad({ port: product.port, path, bodies: [body], connections }, seconds)
      if (toOwn.ok !== toOwn.sent) console.error('refused', toOwn.refused)
      const [ofBare, own] = [toBare.ok / toBare.seconds, toOwn.ok / toOwn.seconds]
      found.push({ ratio: own / ofBare, bare: ofBare, own, p99: percentile(toOwn.latenciesMs, 0.99) })
    }
    const ratio = median(found.map((entry) => entry.ratio))
    const rate = (of: 'own' | 'bare') => Math.round(median(found.map((entry) => entry[of])))
    const all = found.map((entry) => entry.ratio.toFixed(2)).join(', ')
    rows.push({
      what: `accept with sync to disk, ${name} (${body.length} bytes), of a bare sink`,
      goal: 'at least 0.6',
      met: ratio >= 0.6,
      result: `${ratio.toFixed(2)} (${all}): ${rate('own')}/s, the sink ${rate('bare')}/s, p99 ${median(found.map((entry) => entry.p99)).toFixed(1)} ms at ${connections} connections, medians of ${rounds}; refine runs beside it`,
    })
  }
  bare.stop()
  await discard(product)
  return rows
}

if (process.argv[2] === 'sink') serveSink(Number(process.argv[3]))
