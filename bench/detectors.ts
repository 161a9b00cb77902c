// What the detectors cost for each 1,000 spans: the search for candidates in the engine, and reading and examining them.
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { Recording } from '../e2e/detectors/recording.ts'
import { systemClock } from '../src/base/clock.ts'
import { silent } from '../src/base/observe.ts'
import { defaultDetectors } from '../src/domain/detectors/detectors.ts'
import { createDetecting, limitsOf } from '../src/jobs/detectors.ts'
import { recordedMs, refineBody } from '../src/refine/pipeline/fixture.cases.ts'
import { createEventStore } from '../src/store/events/clickhouse.ts'
import type { EventStore } from '../src/store/events/event-store.ts'
import type { SpanRow } from '../src/store/events/span-store.ts'
import { encodeSpanRow } from '../src/store/events/traces/encode-span.ts'
import type { Project } from '../src/store/meta/meta.ts'
import { median } from './load.ts'
import { cpuSecondsOf, type Row } from './measure.ts'
import { startEngine } from './span-rows.ts'

const copies = 20
const rounds = 5
const weekMs = 7 * 86_400_000

/** The recorded traces, `wanted` of them or all. Each copy has trace ids of its own. */
function rowsOf(wanted: (recording: Recording) => boolean, receivedMs: number): SpanRow[] {
  const file = join(import.meta.dirname, '../fixtures/detectors/traces.jsonl.br')
  const recordings = brotliDecompressSync(readFileSync(file))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recording)
    .filter(wanted)
  const rows = recordings.flatMap(({ envelopes }) =>
    envelopes.flatMap((text) =>
      refineBody(text, { receivedMs: recordedMs + weekMs }).spans.flatMap((group) => group.rows),
    ),
  )
  return Array.from({ length: copies }, (_, copy) =>
    rows.map((row) => ({
      ...row,
      traceId: copy.toString(16).padStart(4, '0') + row.traceId.slice(4),
      receivedMs,
      jpos: 2000 + copy,
    })),
  ).flat()
}

/** Runs the job once over all rows. Returns CPU milliseconds of this process and of the engine, and its totals. */
async function measure(events: EventStore, engine: number) {
  const values = new Map([['detectors_cursor', JSON.stringify({ from: 0, to: 1 })]])
  const times = { now: Date.now() }
  const detecting = createDetecting({
    clock: { ...systemClock, now: () => times.now },
    meta: {
      batches: { cursor: async () => 10_000 },
      values: {
        getValue: async (name) => values.get(name),
        setValue: async (name, text) => void values.set(name, text),
      },
      projects: {
        projectById: async (id) => ({ id, organizationId: 1 }) as Project,
        listDetectorSettings: async () => [],
      },
    },
    events,
    append: async () => 1,
  })
  await detecting.run()
  times.now += 20_000
  const engineCpu = () => cpuSecondsOf(engine) * 1000
  const [own, of] = [process.cpuUsage(), engineCpu()]
  const totals = await detecting.run()
  const used = process.cpuUsage(own)
  return { own: (used.user + used.system) / 1000, engine: engineCpu() - of, totals }
}

async function part(what: string, wanted: (recording: Recording) => boolean): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-detectors-'))
  const { child, socketPath } = await startEngine(folder)
  try {
    const events = createEventStore({
      url: 'http://localhost',
      socketPath,
      database: 'bench',
      observe: silent,
      clock: systemClock,
    })
    await events.migrate()
    const rows = rowsOf(wanted, Date.now())
    await events.insert('spans', Buffer.from(rows.map(encodeSpanRow).join('')), 'bench')
    const found: Awaited<ReturnType<typeof measure>>[] = []
    for (let round = 0; round < rounds; round++) found.push(await measure(events, child.pid ?? 0))
    const each = (name: 'own' | 'engine') => (median(found.map((entry) => entry[name])) / rows.length) * 1000
    const { traces = 0, skipped = 0, found: findings = 0 } = (found[0]?.totals ?? {}) as Record<string, number>
    const limits = limitsOf([defaultDetectors])
    const request = { sinceJpos: 0, fromJpos: 1e9, toJpos: 2e9, untilJpos: 2e9, limits, max: 1, projectMax: 1 }
    const began = performance.now()
    for (let ask = 0; ask < 20; ask++) await events.detectorCandidates({ ...request, sinceJpos: 1e9 })
    const idle = (performance.now() - began) / 20
    return {
      what,
      goal: 'none',
      result: `${each('own').toFixed(2)} ms in process app and ${each('engine').toFixed(2)} ms in the engine for 1,000 spans (${rows.length.toLocaleString('en')} spans, ${traces} traces examined, ${skipped} skipped, ${findings} findings; median of ${rounds}); a step without spans ${idle.toFixed(1)} ms`,
      met: true,
    }
  } finally {
    child.kill()
    await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Measures the detectors over traces without and with problems. */
export async function benchDetectors(): Promise<Row[]> {
  return [
    await part('detectors, CPU: recorded traces of which none has a problem', ({ expected }) => expected.length === 0),
    await part('detectors, CPU: recorded traces of which each has a problem', ({ expected }) => expected.length > 0),
  ]
}
