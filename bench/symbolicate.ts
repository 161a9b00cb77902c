import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import type { NormalFrame } from '../src/domain/event.ts'
import type { JournalRecord, RecordHead } from '../src/journal/journal.ts'
import { createTools } from '../src/refine/pipeline/context.ts'
import { plainSettings, recordedMs } from '../src/refine/pipeline/fixture.cases.ts'
import { refineRecord } from '../src/refine/pipeline/record.ts'
import { type FlatMap, flatten, lastAtMost, parseMap, segmentAt } from '../src/refine/symbolicate/flat.ts'
import { type MapSource, mapFrames } from '../src/refine/symbolicate/frames.ts'
import { createWorkerMaps } from '../src/refine/symbolicate/maps.ts'
import { presenceOf } from '../src/refine/symbolicate/presence.ts'
import { openView } from '../src/refine/symbolicate/view.ts'

// Source maps on one core: a minified bundle of this checkout's own dependencies with its map of about 13 MB. Cold:
// from the bytes of both files to the first look-ups. Warm: frames with scope names and source lines at random
// positions, each looked up once. `node bench/symbolicate.ts [--seconds 3]`. Add `--cpu-prof` for a profile.

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3' } } })

const packages = [
  'react-dom/client',
  'react',
  'zod',
  '@sentry/browser',
  '@base-ui/react',
  '@tanstack/react-query',
  'kysely',
  'hono',
  'bowser',
  'nuqs',
]
const framesAStack = 20

type Segments = NonNullable<FlatMap['segments']>

async function bundle(): Promise<{ script: Buffer; map: Buffer }> {
  const lines = packages.map((name, at) => `import * as p${at} from '${name}'; globalThis.p${at} = p${at}`)
  const { outputFiles } = await build({
    stdin: { contents: lines.join('\n'), resolveDir: `${import.meta.dirname}/..` },
    bundle: true,
    minify: true,
    sourcemap: 'external',
    write: false,
    outfile: 'app.js',
    logLevel: 'error',
    platform: 'node',
    format: 'esm',
  })
  const file = (ending: string) => Buffer.from(outputFiles.find(({ path }) => path.endsWith(ending))?.contents ?? [])
  return { script: file('.js'), map: file('.map') }
}

/** CPU time and wall time of one call, in ms. Other processes affect the CPU time less. */
function measured<T>(run: () => T): { result: T; cpuMs: number; wallMs: number } {
  const start = performance.now()
  const before = process.cpuUsage()
  const result = run()
  const { user, system } = process.cpuUsage(before)
  return { result, cpuMs: (user + system) / 1000, wallMs: performance.now() - start }
}

/** Stacks at distinct positions that the map has. */
function stacksOf(flat: FlatMap, count: number): NormalFrame[][] {
  const { segments } = flat
  if (!segments) return []
  const total = segments.column.length
  let seed = 12345
  const random = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return seed / 2 ** 32
  }
  const lineOf = (at: number) => lastAtMost(segments.lineFirst, at)
  return Array.from({ length: count }, () =>
    Array.from({ length: framesAStack }, (): NormalFrame => {
      const at = Math.floor(random() * total)
      const position = { lineno: lineOf(at) + 1, colno: (segments.column[at] ?? 0) + 1 }
      return {
        abs_path: 'https://shop.test/assets/app.js',
        filename: '/assets/app.js',
        function: 'a',
        in_app: true,
        ...position,
      }
    }),
  )
}

const context = { platform: 'javascript', release: '1', dist: '', debugIdOf: () => undefined }
const head: RecordHead = {
  kind: 'store',
  receivedMs: recordedMs,
  contentType: '',
  projectId: plainSettings.projectId,
  organizationId: 1,
  keyId: 3,
  clientAddress: '203.0.113.9',
  userAgent: '',
  origin: '',
}

const recordOf = (frames: readonly object[]): JournalRecord => {
  const exception = { values: [{ type: 'E', value: 'x', stacktrace: { frames } }] }
  const body = Buffer.from(JSON.stringify({ platform: 'javascript', release: '1', exception }))
  return { jpos: 1000, end: 90_000, head, body }
}

/**
 * Runs events of 8 frames through a refine worker: minified ones with and without their maps, and plain ones whose SDK
 * sent the same positions and source lines.
 */
function ingest(maps: MapSource, stacks: readonly NormalFrame[][]): void {
  const few = stacks.slice(0, 500).map((frames) => frames.slice(0, 8))
  const minified = few.map((frames) =>
    recordOf(frames.map(({ abs_path: filename, ...frame }) => ({ ...frame, filename }))),
  )
  const plain = few.map((frames) =>
    recordOf((mapFrames(frames, maps, context)?.frames ?? []).map(({ data: _data, ...frame }) => frame)),
  )
  const tools = createTools()
  const eachUs = (records: readonly JournalRecord[], maps?: MapSource): number => {
    const until = performance.now() + Number(values.seconds) * 1000
    let events = 0
    const { cpuMs } = measured(() => {
      for (let at = 0; performance.now() < until; at++, events++) {
        const record = records[at % records.length] as JournalRecord
        refineRecord(record, record.body, plainSettings, tools, new Map(), maps)
      }
    })
    return (cpuMs * 1000) / events
  }
  eachUs(minified, maps)
  const [mappedUs, unmappedUs, plainUs] = [eachUs(minified, maps), eachUs(minified), eachUs(plain)]
  console.log(
    `symbolicate ingest: an event of 8 minified frames ${mappedUs.toFixed(0)} us in a refine worker with maps, ${unmappedUs.toFixed(0)} us without; a plain one with the same source lines ${plainUs.toFixed(0)} us: ${(plainUs / mappedUs).toFixed(2)} of its speed`,
  )
}

/**
 * A flood of events with unique debug ids that were never uploaded, in a project with files. If the worker does not
 * have the list of existing files, it must ask for each id and process the record a second time.
 */
async function flood(): Promise<void> {
  const idOf = (n: number) => `${n.toString(16).padStart(8, '0')}-0003-423c-92ab-92705ede040b`
  const recordAt = (n: number): JournalRecord => {
    const file = 'https://shop.test/a.js'
    const frames = Array.from({ length: 8 }, (_, at) => ({
      filename: file,
      function: `f${at}`,
      lineno: 1,
      colno: at + 1,
    }))
    const images = [{ type: 'sourcemap', code_file: file, debug_id: idOf(n) }]
    const exception = { values: [{ type: 'E', value: 'x', stacktrace: { frames } }] }
    const body = Buffer.from(
      JSON.stringify({ platform: 'javascript', release: '1', debug_meta: { images }, exception }),
    )
    return { jpos: 1000, end: 90_000, head, body }
  }
  const names = presenceOf(Array.from({ length: 5000 }, (_, n) => `d:${idOf(n + 5_000_000)}`))
  const tools = createTools()
  const figures: string[] = []
  for (const [what, known] of [
    ['without names', undefined],
    ['with the names of 5,000 files', names],
  ] as const) {
    let asked = 0
    const maps = createWorkerMaps(async (_project, queries) => {
      asked += queries.length
      return queries.map(() => ({ reason: 'file_missing' as const }))
    }, performance.now.bind(performance)).of(7, 'state', { leftMs: 1e9 }, known)
    const until = performance.now() + Number(values.seconds) * 1000
    const before = process.cpuUsage()
    let events = 0
    for (; performance.now() < until; events++) {
      const record = recordAt(events)
      refineRecord(record, record.body, plainSettings, tools, new Map(), maps)
      if (!maps.missing()) continue
      await maps.load()
      refineRecord(record, record.body, plainSettings, tools, new Map(), maps)
    }
    const { user, system } = process.cpuUsage(before)
    figures.push(`${((user + system) / events).toFixed(0)} us ${what} (${(asked / events).toFixed(1)} questions)`)
  }
  console.log(`symbolicate flood: an event whose debug id nobody uploaded takes a refine worker ${figures.join(', ')}`)
}

const { script, map } = await bundle()
const mb = (bytes: number) => (bytes / 1e6).toFixed(1)
const cold: number[] = []
let flat: FlatMap | undefined
for (let round = 0; round < 3; round++) {
  const { result, cpuMs, wallMs } = measured(() => flatten({ script: script.toString(), map: parseMap(map) }))
  flat = result
  cold.push(cpuMs)
  console.log(
    `symbolicate cold ${round === 0 ? 'first' : 'again'}: ${cpuMs.toFixed(0)} ms CPU, ${wallMs.toFixed(0)} ms, map of ${mb(map.length)} MB and script of ${mb(script.length)} MB to ${mb(result.bytes)} MB`,
  )
}
if (flat) {
  const view = openView(flat)
  const found = { view, sourcemap: 'https://shop.test/assets/app.js.map', resolvedWith: 'release' } as const
  const maps = { find: () => found, places: new WeakMap() }
  const stacks = stacksOf(flat, 5000)
  let frames = 0
  let named = 0
  let lined = 0
  const until = performance.now() + Number(values.seconds) * 1000
  const { cpuMs } = measured(() => {
    for (let at = 0; performance.now() < until; at++) {
      const mapped = mapFrames(stacks[at % stacks.length] ?? [], maps, context)
      for (const frame of mapped?.frames ?? []) {
        frames++
        if (frame.function !== 'a') named++
        if (frame.context_line !== undefined) lined++
      }
    }
  })
  const places = stacks.flat()
  const bare = measured(() => {
    let sum = 0
    for (let at = 0; at < 1_000_000; at++) {
      const position = places[at % places.length]
      sum += segmentAt(flat.segments as Segments, (position?.lineno ?? 1) - 1, position?.colno ?? 0)
    }
    return sum
  })
  console.log(
    `symbolicate bare: ${(1000 / bare.cpuMs).toFixed(1)} million look-ups/s a core: what this machine can do now`,
  )
  console.log(
    `symbolicate warm: ${Math.round((frames / cpuMs) * 1000)} frames/s a core, ${((cpuMs * 1000) / frames).toFixed(1)} us each; ${Math.round((named / frames) * 100)}% with another name, ${Math.round((lined / frames) * 100)}% with source`,
  )
  ingest(maps, stacks)
}
await flood()
