// Whole product: minified events with uploaded maps against the same events that already have sources, in one run.
import { buildOf, failedEvent, uploadBuild } from '../e2e/mapped.ts'
import {
  api,
  bootstrap,
  discard,
  envelopeOf,
  ingest,
  type Product,
  type Project,
  ready,
  start,
  until,
} from '../e2e/product.ts'
import { runLoad } from './load.ts'
import type { Row } from './measure.ts'

type Frame = {
  function: string | null
  filename: string | null
  absPath: string | null
  lineNo: number | null
  colNo: number | null
  context: [number, string][]
}
type Sent = ReturnType<typeof failedEvent>
type Shown = { entries: { type: string; data: { values: { stacktrace: { frames: Frame[] } }[] } }[] }

const framesEach = 12
const rounds = 3

/** An event with as many frames as real ones have. It repeats the frames of the failure, like a recursion. */
function deep(event: Sent, frames: readonly object[]): Sent {
  const stacktrace = { frames: Array.from({ length: framesEach }, (_, at) => frames[at % frames.length]) }
  return { ...event, exception: { values: [{ type: 'RangeError', value: 'the cart is empty', stacktrace }] } }
}

const framesOf = (event: Sent): object[] => {
  const { exception } = event as unknown as { exception: { values: { stacktrace: { frames: object[] } }[] } }
  return exception.values[0]?.stacktrace.frames ?? []
}

/** Converts a mapped frame to the frame of an SDK that has the sources. */
function plainFrame({ function: name, filename, absPath, lineNo, colNo, context }: Frame): object {
  const at = context.findIndex(([line]) => line === lineNo)
  return {
    function: name,
    filename,
    abs_path: absPath,
    lineno: lineNo,
    colno: colNo,
    in_app: true,
    pre_context: context.slice(0, at).map(([, text]) => text),
    context_line: context[at]?.[1],
    post_context: context.slice(at + 1).map(([, text]) => text),
  }
}

const storedOf = async (product: Product, project: Project) =>
  ((await api(product, project, '/status/')).json as { ledger: { stored: number } }).ledger.stored

/** Events per second at full speed, from the first one sent to the last one stored. */
async function throughput(product: Product, project: Project, body: Buffer, seconds: number): Promise<number> {
  const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
  const before = await storedOf(product, project)
  const began = performance.now()
  const { ok } = await runLoad({ port: product.port, path, bodies: [body], connections: 32 }, seconds)
  await until('the journal to drain', 180_000, async () => (await storedOf(product, project)) >= before + ok)
  return ok / ((performance.now() - began) / 1000)
}

/** The row for the ratio of minified and plain events. Each of three rounds loads both for `seconds`. */
export async function benchMapped(seconds = 8): Promise<Row[]> {
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  const project = bootstrap(product, 'bench', 'web')
  await ready(product)
  const build = await buildOf('mapped')
  await uploadBuild(product, project, build)
  const event = failedEvent(build)
  await ingest(product, project, envelopeOf(event))
  const shown = await until('the event', 30_000, async () => {
    const { status, json } = await api(product, project, `/projects/bench/web/events/${event.event_id}/`)
    return status === 200 && (json as Shown)
  })
  const mapped = shown.entries.find((entry) => entry.type === 'exception')?.data.values[0]?.stacktrace.frames ?? []
  const minified = Buffer.from(envelopeOf(deep(event, framesOf(event))))
  const plain = Buffer.from(envelopeOf({ ...deep(event, mapped.map(plainFrame)), debug_meta: undefined }))
  await throughput(product, project, minified, seconds / 2)
  const rates: { minified: number; plain: number }[] = []
  for (let round = 0; round < rounds; round++)
    rates.push({
      minified: await throughput(product, project, minified, seconds),
      plain: await throughput(product, project, plain, seconds),
    })
  await discard(product)
  const ratio = (rate: (typeof rates)[number]) => rate.minified / rate.plain
  const middle = rates.sort((a, b) => ratio(a) - ratio(b))[Math.floor(rounds / 2)] ?? { minified: 0, plain: 1 }
  return [
    {
      what: `minified events of ${framesEach} frames with their maps, accepted to stored, beside plain ones with the same source lines`,
      goal: 'at least 0.7 of plain ones once warm',
      result: `${Math.round(middle.minified)} events/s of ${Math.round(middle.plain)}: ${ratio(middle).toFixed(2)} (rounds ${rates.map((rate) => ratio(rate).toFixed(2)).join(', ')})`,
      met: ratio(middle) >= 0.7,
    },
  ]
}
