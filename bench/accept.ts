// Compares ingest with sync to disk with a bare node:http sink that reads the same bodies, in one run.
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { bootstrap, discard, freePort, ready, start } from '../e2e/product.ts'
import { percentile, realBodies, runLoad } from './load.ts'
import type { Row } from './measure.ts'

const seconds = 6
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

/** Measures both servers alternately, three times each. The best run counts, because noise only slows down. */
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
    const best = { bare: 0, own: 0, p99: 0 }
    for (let round = 0; round < 3; round++) {
      const toBare = await runLoad({ port: bare.port, path: '/', bodies: [body], connections }, seconds)
      const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
      const toOwn = await runLoad({ port: product.port, path, bodies: [body], connections }, seconds)
      if (toOwn.ok !== toOwn.sent) console.error('refused', toOwn.refused)
      best.bare = Math.max(best.bare, toBare.ok / toBare.seconds)
      if (toOwn.ok / toOwn.seconds > best.own)
        Object.assign(best, { own: toOwn.ok / toOwn.seconds, p99: percentile(toOwn.latenciesMs, 0.99) })
    }
    const ratio = best.own / best.bare
    rows.push({
      what: `accept with sync to disk, ${name} (${body.length} bytes), of a bare sink`,
      goal: 'at least 0.5',
      met: ratio >= 0.5,
      result: `${ratio.toFixed(2)}: ${Math.round(best.own)}/s of ${Math.round(best.bare)}/s, p99 ${best.p99.toFixed(1)} ms at ${connections} connections; refine runs beside it`,
    })
  }
  bare.stop()
  await discard(product)
  return rows
}

if (process.argv[2] === 'sink') serveSink(Number(process.argv[3]))
