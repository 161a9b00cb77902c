// What a request costs process main alone: HTTP, ingest and the journal, without app and engine. The load comes from another
// process. node bench/main-cost.ts [spans|logs|events] [requests/s] [seconds] [rounds]
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { systemClock } from '../src/base/clock.ts'
import { readConfig } from '../src/base/config.ts'
import { silent } from '../src/base/observe.ts'
import { createIngest } from '../src/ingest/ingest.ts'
import { openJournalWriter } from '../src/journal/files.ts'
import { openFileBlobs } from '../src/store/blobs/files.ts'
import { realBodies, runLoad } from './load.ts'
import { createLogLoad } from './log-load.ts'
import { createSpanLoad } from './span-load.ts'

const key = '0123456789abcdef0123456789abcdef'
const [kind = 'logs', rate = '300', seconds = '6', rounds = '3'] = process.argv.slice(2)

/** Milliseconds of processor time by kind of thread. */
function usedMs(): { main: number; v8: number; pool: number } {
  const used = { main: 0, v8: 0, pool: 0 }
  for (const task of readdirSync('/proc/self/task')) {
    try {
      const ms = Number(readFileSync(`/proc/self/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6
      if (Number(task) === process.pid) used.main += ms
      else if (/V8/i.test(readFileSync(`/proc/self/task/${task}/comm`, 'utf8'))) used.v8 += ms
      else used.pool += ms
    } catch {
      // The thread has ended.
    }
  }
  return used
}

async function client(port: number): Promise<void> {
  const logs = kind === 'logs' ? createLogLoad() : undefined
  const spans = kind === 'spans' ? createSpanLoad() : undefined
  const bodies = logs?.bodies ?? spans?.bodies ?? [realBodies().small]
  const next = logs?.next ?? (spans && ((index: number) => spans.next(index).body))
  const result = await runLoad(
    {
      port,
      path: `/api/1/envelope/?sentry_key=${key}&sentry_version=7`,
      bodies,
      connections: 16,
      rate: Number(rate),
      ...(next ? { renew: next } : {}),
    },
    Number(seconds),
  )
  console.log(JSON.stringify({ ok: result.ok, sent: result.sent }))
}

async function server(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-main-'))
  const journal = await openJournalWriter({
    folder: join(folder, 'journal'),
    bytesMax: 2 ** 40,
    diskReserveBytes: 0,
    groupMs: Number(process.env.GROUP_MS ?? 1),
    clock: systemClock,
    observe: silent,
  })
  const read = readConfig({}, {})
  if ('error' in read) throw new Error(read.error.sentence)
  const ingestKey = { keyId: 1, projectId: 1, organizationId: 1, active: true, allowedOrigins: [] }
  const ingest = createIngest({
    config: { ...read.config, journalBytesMax: 2 ** 40 },
    clock: systemClock,
    observe: silent,
    journal,
    blobs: openFileBlobs(join(folder, 'blobs')),
    keys: () => ({ version: 1, keys: { [key]: ingestKey } }),
  })
  journal.onDurable((durable) => {
    if (Math.random() < 0.05) void journal.trim(durable)
  })
  const http = createServer((req, res) => void ingest.handle(req, res))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as { port: number }
  const timer = setInterval(() => ingest.drainRequestLog(), 500)
  const gcs = { full: 0, young: 0, steps: 0, ms: 0 }
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind: of } = (entry as unknown as { detail: { kind: number } }).detail
      if (of === constants.NODE_PERFORMANCE_GC_MAJOR) gcs.full++
      else if (of === constants.NODE_PERFORMANCE_GC_MINOR) gcs.young++
      else gcs.steps++
      gcs.ms += entry.duration
    }
  }).observe({ entryTypes: ['gc'] })
  for (let round = 0; round <= Number(rounds); round++) {
    Object.assign(gcs, { full: 0, young: 0, steps: 0, ms: 0 })
    const before = usedMs()
    const child = spawn(process.execPath, [import.meta.filename, kind, rate, round === 0 ? '2' : seconds, '0'], {
      env: { ...process.env, CLIENT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    for await (const part of child.stdout) text += part
    const { ok, sent } = JSON.parse(text) as { ok: number; sent: number }
    const after = usedMs()
    if (round > 0)
      console.log(
        `${kind}: us a request: main ${(((after.main - before.main) * 1000) / ok).toFixed(1)}, v8 ${(((after.v8 - before.v8) * 1000) / ok).toFixed(1)}, pool ${(((after.pool - before.pool) * 1000) / ok).toFixed(1)}; ${ok} of ${sent}; gc full ${gcs.full} young ${gcs.young} steps ${gcs.steps}, ${gcs.ms.toFixed(0)} ms; rss ${Math.round(process.memoryUsage.rss() / 2 ** 20)}`,
      )
  }
  clearInterval(timer)
  http.closeAllConnections()
  http.close()
  await journal.close()
  rmSync(folder, { recursive: true })
  process.exit(0)
}

if (process.env.CLIENT) await client(Number(process.env.CLIENT))
else await server()
