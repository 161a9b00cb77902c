// kill -9 while sessions arrive: each acknowledged update counts once, also if it is sent again.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import type { RestSessions } from '../../src/contract/release-health.ts'
import {
  api,
  bootstrap,
  discard,
  eventId,
  freePort,
  ingest,
  type Product,
  type Project,
  ready,
  start,
  until,
} from '../product.ts'

const kills = 3
const attrs = { release: 'web@1.0.0', environment: 'production' }
const state: { product?: Product } = {}
afterAll(async () => {
  if (state.product) await discard(state.product)
})

type Sent = { sid: string; crashes: boolean; step: number }

const stepsOf = 3

/** The next update of a session: its start, an update, or its end. */
function updateOf({ sid, crashes, step }: Sent, started: string): object {
  const isLast = step === stepsOf - 1
  const status = isLast ? (crashes ? 'crashed' : 'exited') : 'ok'
  return { sid, init: step === 0, seq: step, started, timestamp: new Date().toISOString(), status, errors: 0, attrs }
}

/** Sends updates of many sessions while the product restarts. It repeats each update until it is acknowledged. */
function traffic(project: Project, url: string) {
  const sessions: Sent[] = []
  const control = { stopped: false, aggregates: 0 }
  const started = new Date().toISOString()
  const envelope = (type: string, body: object) => `{}\n{"type":"${type}"}\n${JSON.stringify(body)}\n`
  const acknowledged = async (body: string): Promise<boolean> =>
    ingest({ url }, project, body).then(
      (answer) => answer.ok,
      () => false,
    )
  async function run(): Promise<void> {
    while (!control.stopped) {
      const session = { sid: eventId(), crashes: sessions.length % 10 === 0, step: 0 }
      sessions.push(session)
      // An unacknowledged update can already be stored, so send the identical update again.
      for (; session.step < stepsOf; session.step++) {
        const body = envelope('session', updateOf(session, started))
        while (!(await acknowledged(body))) await pause(20)
      }
    }
  }
  return { sessions, control, runs: [run(), run(), run()] }
}

test(`${kills} kills: sessions and crashes are those that were sent, and the ledger agrees`, {
  timeout: 300_000,
}, async () => {
  const port = await freePort()
  state.product = await start({ port })
  const { data } = state.product
  const project = bootstrap(state.product, 'health', 'web')
  await ready(state.product)
  const { sessions, control, runs } = traffic(project, state.product.url)
  for (let kill = 0; kill < kills; kill++) {
    await pause(1500 + kill * 700)
    await state.product.stop('SIGKILL')
    state.product = await start({ port, data })
    await ready(state.product, 60_000)
  }
  await pause(1000)
  control.stopped = true
  await Promise.all(runs)
  const { product } = state
  const crashed = sessions.filter((session) => session.crashes).length
  const ask =
    '/organizations/health/sessions/?project=-1&statsPeriod=1h&interval=1h&field=sum(session)&groupBy=session.status'
  const answer = await until('all sessions', 60_000, async () => {
    const { groups } = (await api(product, project, ask)).json as RestSessions
    const by = Object.fromEntries(groups.map((group) => [group.by['session.status'], group.totals['sum(session)']]))
    const all = Object.values(by).reduce((sum, count) => Number(sum) + Number(count), 0)
    return all === sessions.length && by['crashed'] === crashed && by
  })
  expect(answer).toMatchObject({ healthy: sessions.length - crashed, crashed, errored: 0 })
  expect(sessions.length).toBeGreaterThan(20)
  const ledger = (await api(product, project, '/organizations/health/ledger/?range=1h')).json as {
    rows: { category: string; outcome: string; quantity: number }[]
    lost?: number
  }
  const outcomes = new Set(ledger.rows.filter((row) => row.category === 'session').map((row) => row.outcome))
  expect([...outcomes].every((outcome) => ['stored', 'duplicate'].includes(outcome))).toBe(true)
  expect(ledger.lost ?? 0).toBe(0)
})
