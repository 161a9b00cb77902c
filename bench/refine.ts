import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import type { JournalRecord } from '../src/journal/journal.ts'
import { createTools } from '../src/refine/pipeline/context.ts'
import { plainSettings, recordedMs, refineBody } from '../src/refine/pipeline/fixture.cases.ts'
import { refineRange } from '../src/refine/pipeline/worker.ts'
import { noBlobs, recordOf } from './refine-records.ts'

// Runs the work of a refine worker on a batch in this process: from journal records to the bytes to insert.
// `node bench/refine.ts [--seconds 3] [--folder fixtures/envelopes]`. Add `--cpu-prof` of node for a profile.

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '3' }, folder: { type: 'string', default: 'fixtures/envelopes' } },
})

const batch = 500
const agent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36'
const tools = createTools()

const recordsOf = (bodies: Buffer[]): JournalRecord[] =>
  Array.from({ length: batch }, (_, index) =>
    recordOf(bodies[index % bodies.length] ?? Buffer.alloc(0), {
      jpos: index * 20_000,
      receivedMs: recordedMs,
      userAgent: agent,
    }),
  )

/** CPU time per item of a call over `count` items, in microseconds. CPU time is less affected by other processes. */
async function cpuUs(seconds: number, count: number, run: () => unknown): Promise<number> {
  for (let i = 0; i < 3; i++) await run()
  const start = performance.now()
  const before = process.cpuUsage()
  let calls = 0
  for (; performance.now() - start < seconds * 1000; calls++) await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / (calls * count)
}

/** Times JSON.parse and JSON.stringify of the same payloads, as a reference for the speed of this machine. */
function plain(bodies: Buffer[]): void {
  for (const body of bodies) {
    const text = body.toString()
    JSON.stringify(
      JSON.parse(text.slice(text.indexOf('\n', text.lastIndexOf('{"type":"event"')) + 1).split('\n')[0] ?? ''),
    )
  }
}

if (!existsSync(values.folder)) {
  console.log(`skipped: ${values.folder} is not there`)
} else {
  const named = readdirSync(values.folder)
    .filter((name) => name.endsWith('event.envelope'))
    .map((name) => ({ name, body: readFileSync(`${values.folder}/${name}`) }))
    .filter(({ body }) => refineBody(body).events.length === 1)
  const bodies = named.map(({ body }) => body)
  const of = (part: string) => named.filter(({ name }) => name.includes(part)).map(({ body }) => body)
  const small = of('browser-11.12.0-unhandled-03')
  const large = of('browser-11.12.0-exception120-01')
  const cases: [string, Buffer[]][] = [
    ['one of 2 kB', small],
    ['one of 12 kB', large],
    [
      '7 of 10 small, 3 large',
      [...small, ...small, ...large, ...small, ...small, ...large, ...small, ...small, ...large, ...small],
    ],
    ['all', bodies],
  ]
  for (const [name, list] of cases) {
    if (!list.length) continue
    const seconds = Number(values.seconds)
    const settings = [{ ...plainSettings }]
    const records = recordsOf(list)
    const job = { job: 1, from: 0, durable: 1e12, recordsMax: batch, bytesMax: 1e12, lane: 'events' as const }
    const refined = await cpuUs(seconds, batch, () => refineRange(job, records, 1e12, settings, noBlobs, tools))
    const json = await cpuUs(seconds / 3, list.length, () => plain(list))
    const bytes = list.reduce((sum, body) => sum + body.length, 0) / list.length
    console.log(
      `refine ${name}: ${refined.toFixed(0)} us an event of ${bytes.toFixed(0)} bytes, ${Math.round(1e6 / refined)}/s a core; its JSON alone ${json.toFixed(0)} us (${(refined / json).toFixed(1)} times)`,
    )
  }
}
