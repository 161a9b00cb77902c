import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { JournalRecord } from '../src/journal/journal.ts'
import { createTools } from '../src/refine/pipeline/context.ts'
import { plainSettings } from '../src/refine/pipeline/fixture.cases.ts'
import { createLineFiles } from '../src/refine/pipeline/line-files.ts'
import { refineRange } from '../src/refine/pipeline/worker.ts'
import { createLogLoad, linesEach } from './log-load.ts'
import { noBlobs, recordOf } from './refine-records.ts'
import { createSpanLoad } from './span-load.ts'

// The work of a refine worker on batches of bulk data, in this process: from journal records to files of rows.
// `node bench/refine-bulk.ts [--rounds 9] [--only spans]`. Add `--cpu-prof` of node for a profile.

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' }, only: { type: 'string' } } })

/** Bodies of one batch: as much as the product takes in a backlog, of spans some 24 MiB. */
const bodiesEach = { spans: 1900, logs: 250 }
/** Batches with ids of their own, so that no cache of ids helps. */
const batches = 3

function recordsOf(bodies: readonly Buffer[]): JournalRecord[] {
  const receivedMs = Date.now()
  return bodies.map((body, index) => recordOf(body, { jpos: index * 2 ** 20, receivedMs }))
}

/** CPU time of this process for each item, in microseconds: least and median of the rounds. */
async function measure(name: string, all: readonly JournalRecord[][], items: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-refine-'))
  const fileOf = createLineFiles(join(folder, 'rows-'))
  const tools = createTools()
  const rounds: number[] = []
  for (let at = 0; at < Number(values.rounds) + batches; at++) {
    const records = all[at % all.length] ?? []
    const job = { job: at, from: 0, durable: 1e12, recordsMax: 4000, bytesMax: 1e12, lane: 'bulk' as const }
    const before = process.cpuUsage()
    await refineRange(job, records, 1e12, [{ ...plainSettings }], noBlobs, tools, undefined, fileOf)
    const { user, system } = process.cpuUsage(before)
    if (at >= batches) rounds.push((user + system) / items)
  }
  rmSync(folder, { recursive: true })
  rounds.sort((a, b) => a - b)
  return `${name}: least ${rounds[0]?.toFixed(2)}, median ${rounds[rounds.length >> 1]?.toFixed(2)} us of the process`
}

if (values.only !== 'logs') {
  const load = createSpanLoad()
  let spans = 0
  const all = Array.from({ length: batches }, () =>
    recordsOf(
      Array.from({ length: bodiesEach.spans }, (_, index) => {
        const next = load.next(index)
        spans += next.spans
        return next.body
      }),
    ),
  )
  console.log(await measure('span', all, spans / batches))
}
if (values.only !== 'spans') {
  const load = createLogLoad()
  const all = Array.from({ length: batches }, (_, batch) =>
    recordsOf(Array.from({ length: bodiesEach.logs }, (_body, index) => load.next(batch * bodiesEach.logs + index))),
  )
  console.log(await measure('log line', all, bodiesEach.logs * linesEach))
}
