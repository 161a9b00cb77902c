import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { refineBody } from '../src/refine/fixture.ts'

// Events a second that one core turns from an envelope into a row: `node bench/refine.ts [--seconds 3] [--folder fixtures/envelopes]`.

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '3' }, folder: { type: 'string', default: 'fixtures/envelopes' } },
})

type Figure = { perSecond: number; bytes: number }

/** The same bodies through JSON.parse and JSON.stringify alone: what this machine can do at this moment. */
function plain(body: Buffer): number {
  const text = body.toString()
  return JSON.stringify(JSON.parse(text.slice(text.lastIndexOf('{"type":"event"}\n') + 17).split('\n')[0] ?? '{}'))
    .length > 0
    ? 1
    : 0
}

const refined = (body: Buffer): number => refineBody(body).events.length

function measure(bodies: Buffer[], seconds: number, run: (body: Buffer) => number): Figure {
  for (let i = 0; i < 300; i++) for (const body of bodies) run(body)
  const start = performance.now()
  const cpu = process.cpuUsage()
  let events = 0
  while (performance.now() - start < seconds * 1000) for (const body of bodies) events += run(body)
  // By CPU time, so that what else runs on the machine counts less.
  const { user, system } = process.cpuUsage(cpu)
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0) / bodies.length
  return { perSecond: events / ((user + system) / 1e6), bytes }
}

if (!existsSync(values.folder)) {
  console.log(`skipped: ${values.folder} is not there`)
} else {
  const bodies = readdirSync(values.folder)
    .filter((name) => name.endsWith('event.envelope'))
    .map((name) => readFileSync(`${values.folder}/${name}`))
    .filter((body) => refineBody(body).events.length === 1)
  const small = bodies.filter((body) => body.length >= 1000 && body.length < 4000)
  const large = bodies.filter((body) => body.length >= 4000 && body.length <= 20_000)
  for (const [name, list] of [
    ['small', small],
    ['large', large],
    ['all', bodies],
  ] as const) {
    if (!list.length) continue
    const { perSecond, bytes } = measure(list, Number(values.seconds), refined)
    const reference = measure(list, Number(values.seconds) / 3, plain)
    const share = (reference.perSecond / perSecond).toFixed(1)
    console.log(
      `refine ${name}: ${Math.round(perSecond)} events/s a core, ${list.length} bodies of ${Math.round(bytes)} bytes on average; JSON alone ${Math.round(reference.perSecond)}/s (${share} times)`,
    )
  }
}
