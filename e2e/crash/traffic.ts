// Sends traffic during failures, and compares the acknowledged events with the stored ones.
import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { metaEnv } from '../meta-database.ts'
import {
  api,
  envelopeOf,
  errorEvent,
  type Issue,
  idsOf,
  ingest,
  type Product,
  type Project,
  root,
  until,
} from '../product.ts'
import { linesEach, sendLogs } from './logs.ts'
import { rollupFaults, sendTrace, traceFaults } from './traces.ts'

/** An acknowledged event. `ns` is the time of the answer, on the clock of `process.hrtime`. */
export type Acknowledged = { id: string; type: string; ns: bigint; attachment?: Buffer }

type Traffic = {
  acknowledged: Acknowledged[]
  /** Number of answers other than 200, by status. Status 0 means no answer. */
  refused: Record<number, number>
  stop(): Promise<void>
}

/** The types of acknowledged traces and of acknowledged log lines. Their id is the trace id. */
const traceType = 'trace'
const logType = 'log'

const spooledBytes = 1_200_000

/** An envelope with an event and a file. A file over 1 MiB goes through the blob store before processing. */
function withAttachment(event: Record<string, unknown>, bytes: Buffer): Buffer {
  const head = JSON.stringify({ type: 'attachment', length: bytes.length, filename: 'a.bin' })
  return Buffer.concat([Buffer.from(`${envelopeOf(event)}${head}\n`), bytes, Buffer.from('\n')])
}

/** Reads twice a second, so that batches are small and a kill meets one: nobody's events are stored every 3 s only. */
async function readWhile(isOn: () => boolean, url: string): Promise<void> {
  while (isOn()) {
    await fetch(`${url}/api/0/`).then(
      (answer) => answer.arrayBuffer(),
      () => undefined,
    )
    await pause(500)
  }
}

/**
 * Sends about 200 requests per second until `stop`: mostly small events of `types`, a few with a file of 5 kB, one in a
 * hundred with a file of 1.2 MB, some to /store/, and some broken ones that must be refused.
 * With `traced`, one in three is a trace of six spans: a transaction, streamed spans or an export of OpenTelemetry. One in
 * eight of the others is six log lines: a container, an export of OpenTelemetry, or a body of a log drain. Both lanes of
 * the journal are busy then.
 */
export function send(
  product: { url: string },
  project: Project,
  types: string[],
  senders = 8,
  traced = false,
): Traffic {
  const traffic: Traffic = { acknowledged: [], refused: {}, stop: async () => undefined }
  const state = { on: true, n: 0, traces: 0, logs: 0 }
  async function one(): Promise<void> {
    const n = state.n++
    const type = types[n % types.length] ?? 'CutError'
    const event = errorEvent(type, 'while the power goes', { tags: { n: String(n) } })
    const kind = n % 100
    const isTrace = traced && kind % 3 === 1
    const isLog = traced && !isTrace && kind % 8 === 4
    const [broken, byStore] = [kind % 25 === 7 && !isLog, kind % 10 === 3 && !isTrace && !isLog]
    const size = isTrace || isLog ? 0 : kind === 50 ? spooledBytes : kind % 12 === 5 ? 5000 : 0
    const bytes = size > 0 && !broken && !byStore ? randomBytes(size) : undefined
    const request = broken
      ? ingest(product, project, '{"broken', { path: 'store', headers: { 'content-type': 'application/json' } })
      : byStore
        ? ingest(product, project, JSON.stringify(event), {
            path: 'store',
            headers: { 'content-type': 'application/json' },
          })
        : isTrace
          ? sendTrace(product, project, event.event_id, state.traces++)
          : isLog
            ? sendLogs(product, project, event.event_id, state.logs++)
            : ingest(product, project, bytes ? withAttachment(event, bytes) : envelopeOf(event))
    const answer = await request.catch(() => undefined)
    const ns = process.hrtime.bigint()
    await answer?.arrayBuffer().catch(() => undefined)
    if (answer?.status === 200)
      traffic.acknowledged.push(
        isTrace || isLog
          ? { id: event.event_id, type: isTrace ? traceType : logType, ns }
          : { id: event.event_id, type, ns, ...(bytes ? { attachment: bytes } : {}) },
      )
    else traffic.refused[answer?.status ?? 0] = (traffic.refused[answer?.status ?? 0] ?? 0) + 1
  }
  const sender = async () => {
    while (state.on) {
      await one()
      await pause(40)
    }
  }
  const running = Array.from({ length: senders }, sender)
  const reading = readWhile(() => state.on, product.url)
  traffic.stop = async () => {
    state.on = false
    await Promise.all([...running, reading])
  }
  return traffic
}

type Status = {
  journal: { lagBytes: number; waitingRecords: number }
  disk: { tables: { table: string; rows: number }[] }
  ledger: { received: number; stored: number; lost: number; dead: number; waiting: number; duplicate: number }
}

/** Waits up to 90 s, because recovery on a busy machine takes long. Other tests check the time of a start. */
export async function readyAtLast(product: { url: string; log?(): string }): Promise<void> {
  await until('ready', 90_000, async () => (await fetch(`${product.url}/api/health/ready`)).ok).catch(
    (error: Error) => {
      throw new Error(`${error.message}: ${product.log?.().slice(-1500)}`)
    },
  )
}

/** On a busy machine, app learns this late about new records on disk. Until then it reports an empty journal. */
const reportEveryMs = 250

/** Waits until the screens answer and the journal is empty, as long as `readyAtLast`. Returns the status. */
export async function settled(product: { url: string }, project: Project, ms = 90_000): Promise<Status> {
  await readyAtLast(product)
  const empty = async () => {
    const answer = await api(product, project, '/status/')
    const status = answer.json as Status
    return answer.status === 200 && status.journal.waitingRecords === 0 && status
  }
  return until('an empty journal', ms, async () => {
    if (!(await empty())) return false
    await pause(reportEveryMs)
    return empty()
  })
}

/**
 * Returns all faults as sentences, or an empty list. Each acknowledged event of `types` must be stored once. For each
 * issue the counter, the rollups and the rows must agree, and the ledger must be their sum.
 */
export async function faultsOf(
  product: Product,
  project: Project,
  types: string[],
  acknowledged: Acknowledged[],
  everything = false,
): Promise<string[]> {
  const faults: string[] = []
  await settled(product, project)
  // Ask again: an answer reads the rows before the ledger, and a commit can happen in between.
  const status = (await api(product, project, '/status/')).json as Status
  let rows = 0
  for (const type of types) {
    const expected = acknowledged.filter((event) => event.type === type)
    const found = (await api(product, project, `/organizations/${project.org}/issues/?query=${type}&statsPeriod=24h`))
      .json as Issue[]
    const [issue] = found
    if (found.length > 1) faults.push(`${type}: ${found.length} issues`)
    if (!issue) {
      if (expected.length > 0) faults.push(`${type}: no issue for ${expected.length} acknowledged events`)
      continue
    }
    const ids = await idsOf(product, project, issue.id)
    rows += ids.length
    const there = new Set(ids)
    if (there.size !== ids.length) faults.push(`${type}: ${ids.length - there.size} events are stored twice`)
    const missing = expected.filter((event) => !there.has(event.id))
    if (missing.length > 0)
      faults.push(`${type}: ${missing.length} of ${expected.length} acknowledged are missing (${missing[0]?.id})`)
    if (Number(issue.lifetime.count) !== ids.length)
      faults.push(`${type}: the counter says ${issue.lifetime.count}, ${ids.length} rows are there`)
    if (Number(issue.count) !== ids.length)
      faults.push(`${type}: the rollups say ${issue.count}, ${ids.length} rows are there`)
    faults.push(...(await attachmentFaults(product, project, expected)))
  }
  const table = status.disk.tables.find((item) => item.table === 'events')?.rows ?? 0
  const traces = acknowledged.filter((event) => event.type === traceType).map(({ id }) => id)
  faults.push(...(await traceFaults(product, project, traces.slice(-20))))
  if (traces.length > 0) faults.push(...(await rollupFaults(product, project, traces.length)))
  const lines = linesEach * acknowledged.filter((event) => event.type === logType).length
  const { ledger } = status
  if (everything && rows !== table) faults.push(`the issues have ${rows} rows, the table ${table}`)
  if (ledger.lost !== 0 || ledger.dead !== 0) faults.push(`the ledger says lost ${ledger.lost}, dead ${ledger.dead}`)
  return [...faults, ...(await storedFaults(product, project, table, lines))]
}

/** Compares stored items in the ledger with the rows of events, spans and log lines. `lines`: acknowledged log lines. */
async function storedFaults(product: Product, project: Project, rows: number, lines: number): Promise<string[]> {
  const status = (await api(product, project, '/status/')).json as {
    ledger: { rows: { category: string; outcome: string; quantity: number }[] }
    disk: { tables: { table: string; rows: number }[] }
  }
  const sumOf = (categories: string[]) =>
    status.ledger.rows
      .filter((row) => categories.includes(row.category) && row.outcome === 'stored')
      .reduce((sum, row) => sum + row.quantity, 0)
  const [stored, traced, logged] = [sumOf(['error']), sumOf(['transaction', 'span']), sumOf(['log_item'])]
  const rowsOf = (name: string) => status.disk.tables.find(({ table }) => table === name)?.rows ?? 0
  const [spans, logs] = [rowsOf('spans'), rowsOf('logs')]
  return [
    ...(stored === rows ? [] : [`the ledger says ${stored} events stored, the table has ${rows} rows`]),
    ...(logged === logs ? [] : [`the ledger says ${logged} log lines stored, the table has ${logs} rows`]),
    ...(logs >= lines ? [] : [`${lines} log lines were acknowledged, ${logs} are stored`]),
    ...(traced === spans ? [] : [`the ledger says ${traced} spans stored, the table has ${spans} rows`]),
  ]
}

/** Compares the files of the newest acknowledged events byte for byte. */
async function attachmentFaults(product: Product, project: Project, sent: Acknowledged[]): Promise<string[]> {
  const faults: string[] = []
  for (const { id, attachment } of sent.filter((event) => event.attachment).slice(-20)) {
    const path = `/projects/${project.org}/${project.slug}/events/${id}/attachments/`
    const list = (await api(product, project, path)).json as { id: string }[]
    const [first] = Array.isArray(list) ? list : []
    if (!first || list.length !== 1) {
      faults.push(`event ${id} has ${Array.isArray(list) ? list.length : 'no list of'} files instead of 1`)
      continue
    }
    const answer = await fetch(`${product.url}/api/0${path}${first.id}/?download=1`, {
      headers: { authorization: `Bearer ${project.token}` },
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (attachment && !bytes.equals(attachment)) faults.push(`the file of event ${id} has other bytes`)
  }
  return faults
}

/** Runs `mishap verify` on the folder of a stopped product. Returns its findings, or ''. */
export const verifyFaults = (data: string, more: Record<string, string> = {}): Promise<string> =>
  new Promise((resolve) => {
    const words = [
      '--disable-warning=ExperimentalWarning',
      join(root, 'src/processes/main.ts'),
      'verify',
      '--data',
      data,
    ]
    const env = { ...process.env, ...metaEnv(data), ...more }
    execFile(process.execPath, words, { env }, (error, out, err) => resolve(error ? `${out}${err}`.slice(-1500) : ''))
  })

/** Pids of the children of `pid` whose command line contains `word`. */
export const childrenOf = (pid: number | undefined, word: string): number[] =>
  execFileSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match && Number(match[2]) === pid && match[3]?.includes(word))
    .map((match) => Number(match?.[1]))
