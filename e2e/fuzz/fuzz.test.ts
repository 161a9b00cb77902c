// A structure-aware fuzzer against the running product. It runs 20 s with a fixed seed here, and 10 minutes with a new
// seed by `npm run fuzz`. FUZZ_SECONDS, FUZZ_SEED and FUZZ_AT repeat a failure.
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { pssOf, treeOf } from '../../bench/measure.ts'
import { randomOf } from '../../src/random.cases.ts'
import { settled } from '../crash/traffic.ts'
import {
  api,
  bootstrap,
  discard,
  envelopeOf,
  errorEvent,
  ingest,
  type Product,
  ready,
  root,
  start,
  until,
} from '../product.ts'
import { type Fuzzed, makeRequest, recordedEnvelopes } from './mutate.ts'

const seconds = Number(process.env.FUZZ_SECONDS ?? 20)
const seed = Number(process.env.FUZZ_SEED ?? 20_261_121)
const at = process.env.FUZZ_AT === undefined ? undefined : Number(process.env.FUZZ_AT)
const answerMsMax = 15_000
const memoryMax = 1600
let product: Product | undefined
afterAll(async () => {
  if (product) await discard(product)
})

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/**
 * Sends a request unchanged. Status 0 means that the connection closed without an answer. The server can close an idle
 * keep-alive connection at the same moment. Then the request is sent again.
 */
function sendOne(port: number, fuzzed: Fuzzed, tries = 0): Promise<{ status: number; body: string; ms: number }> {
  const began = performance.now()
  return new Promise((resolve) => {
    const end = (status: number, body: string) => resolve({ status, body, ms: performance.now() - began })
    const { method, path, headers, body, leaveAt } = fuzzed
    const made = request(
      {
        port,
        host: '127.0.0.1',
        method,
        path,
        headers: { ...headers, 'content-length': String(body.length) },
        agent,
        timeout: answerMsMax,
      },
      (answer) => {
        let text = ''
        answer.on('data', (chunk: Buffer) => {
          text += chunk.toString('latin1')
        })
        answer.on('end', () => end(answer.statusCode ?? 0, text))
        answer.on('error', () => end(answer.statusCode ?? 0, text))
      },
    )
    made.on('error', (error: NodeJS.ErrnoException) => {
      if (made.reusedSocket && error.code === 'ECONNRESET' && leaveAt === undefined && tries < 2)
        resolve(sendOne(port, fuzzed, tries + 1))
      else end(0, '')
    })
    made.on('timeout', () => {
      made.destroy()
      end(-1, 'no answer in time')
    })
    if (leaveAt === undefined) return void made.end(body)
    made.write(body.subarray(0, leaveAt), () => made.destroy())
  })
}

const wrongStatus = (fuzzed: Fuzzed, status: number) =>
  fuzzed.leaveAt === undefined &&
  (status <= 0 ? status < 0 || fuzzed.method === 'POST' : status >= 500 && status !== 503)

test(`fuzzing for ${seconds} s with seed ${seed}: every request is answered, every item is counted, nothing falls over`, {
  timeout: (seconds + 180) * 1000,
}, async () => {
  product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  const running = product
  const project = bootstrap(running, 'fuzz', 'web')
  await ready(running)
  const processes = treeOf(running.child.pid ?? 0).sort()
  const recorded = recordedEnvelopes(join(root, 'fixtures/envelopes'))
  expect(recorded.length).toBeGreaterThan(60)
  const statuses: Record<number, number> = {}
  const faults: string[] = []
  const state = { n: at ?? 0, slowest: 0, memory: 0 }
  const ends = performance.now() + seconds * 1000
  const sender = async () => {
    while (performance.now() < ends && faults.length < 5) {
      const n = state.n++
      if (at !== undefined && n > at) return
      const fuzzed = makeRequest(recorded, project, randomOf(seed + n * 7919))
      const { status, body, ms } = await sendOne(running.port, fuzzed)
      statuses[status] = (statuses[status] ?? 0) + 1
      state.slowest = Math.max(state.slowest, ms)
      if (wrongStatus(fuzzed, status)) {
        const file = join(tmpdir(), `mishap-fuzz-${seed}-${n}`)
        writeFileSync(file, fuzzed.body)
        faults.push(
          `request ${n}: ${status} ${body.slice(0, 200)} (${fuzzed.method} ${fuzzed.path}; ${fuzzed.what.join(', ')}; body in ${file})`,
        )
      }
      if (n % 500 === 499) state.memory = Math.max(state.memory, pssOf(running.child.pid ?? 0).total)
    }
  }
  await Promise.all(Array.from({ length: 8 }, sender))
  expect(faults).toEqual([])
  const status = await settled(running, project, 120_000)
  const { deadItems } = (await api(running, project, '/status/')).json as { deadItems: { reason: string }[] }
  console.log(
    `${state.n} requests, answers ${JSON.stringify(statuses)}, slowest ${Math.round(state.slowest)} ms, at most ${state.memory} MB, received ${status.ledger.received}, dead ${status.ledger.dead}`,
  )
  expect([...new Set(deadItems.map((deadLetter) => deadLetter.reason))]).toEqual([])
  expect(status.ledger.lost).toBe(0)
  expect(status.ledger.received).toBeGreaterThan(state.n / 3)
  expect(state.slowest).toBeLessThan(answerMsMax)
  expect(state.memory).toBeLessThan(memoryMax)
  // No process was restarted.
  expect(treeOf(running.child.pid ?? 0).sort()).toEqual(processes)
  expect(running.log()).not.toContain('a child ended')
  // The product still stores events.
  const event = errorEvent('AfterFuzzError')
  expect((await ingest(running, project, envelopeOf(event))).status).toBe(200)
  await until(
    'the event after it all',
    20_000,
    async () => (await api(running, project, `/projects/fuzz/web/events/${event.event_id}/`)).status === 200,
  )
})
