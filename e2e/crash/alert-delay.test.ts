// Ingest is ten minutes late, and then catches up: the app stands still while main goes on to take events.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { RestAlertRule } from '../../src/contract/alerts/alerts.ts'
import type { RestIncident, RestIncidentDetails } from '../../src/contract/alerts/incidents.ts'
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

const minuteMs = 60_000
const delayMinutes = 10
/** The minute of the delay in which more errors come than a rule allows. */
const burstMinute = 5
const burst = 6
const state = { aheadMs: 0 } as { aheadMs: number; folder: string; product?: Product }

afterAll(async () => {
  if (state.product) await discard(state.product)
  rmSync(state.folder, { recursive: true, force: true })
})

function appPid(product: Product): number {
  const lines = execFileSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' }).split('\n')
  const found = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
  return Number(found.find((line) => Number(line?.[2]) === product.child.pid && line?.[3]?.includes('app.ts'))?.[1])
}

test('a delay of ten minutes fires nothing that would not have fired without it, and what would, once', {
  timeout: 120_000,
}, async () => {
  state.folder = mkdtempSync(join(tmpdir(), 'mishap-delay-'))
  const clock = join(state.folder, 'clock')
  writeFileSync(clock, '0')
  const env = { NODE_OPTIONS: `--import ${join(root, 'e2e/preload.ts')}`, E2E_CLOCK_FILE: clock }
  const product = await start({ env })
  state.product = product
  const project = bootstrap(product, 'late', 'web')
  await ready(product)
  const read = async <T>(path: string) => (await api(product, project, `/organizations/late/${path}`)).json as T
  const add = async (name: string, critical: number, direction: 'above' | 'below') => {
    const plan = { dataset: 'errors', query: '', series: [{ name: 'a', aggregate: 'count()' }] }
    const metric = {
      plan,
      of: 'a',
      windowMinutes: 1,
      threshold: { type: 'fixed', direction, critical },
      missing: 'fire',
    }
    const answer = await api(product, project, '/organizations/late/alerts/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, metric, actions: [{ type: 'members' }] }),
    })
    expect(answer.status).toBe(201)
  }
  const send = async (count = 1) => {
    const event = () => envelopeOf(errorEvent('LateError'))
    const answers = await Promise.all(Array.from({ length: count }, () => ingest(product, project, event())))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  }
  /** Goes to the tenth second of the next minute, and sends an error there. */
  const step = async (count?: number) => {
    const nowMs = Date.now() + state.aheadMs
    state.aheadMs += minuteMs - (nowMs % minuteMs) + 10_000
    writeFileSync(clock, String(state.aheadMs))
    await new Promise((done) => setTimeout(done, 200))
    await send(count)
  }
  const minuteNow = () => Math.floor((Date.now() + state.aheadMs) / minuteMs) * minuteMs
  const judged = (toMs: number) =>
    until('the minutes to be judged', 30_000, async () => {
      const rules = await read<RestAlertRule[]>('alerts/')
      return rules.every((rule) => Date.parse(rule.state.evaluatedTo ?? '') >= toMs) && rules
    })
  // A new rule begins with the newest minute that is over. On a busy machine that was one before the first error.
  await step()
  await step()
  await add('Silence', 1, 'below')
  await add('Burst', burst - 1, 'above')
  await step()
  await step()
  await judged(minuteNow())
  expect(await read<RestIncident[]>('incidents/')).toEqual([])

  const pid = appPid(product)
  process.kill(pid, 'SIGSTOP')
  try {
    for (let minute = 1; minute <= delayMinutes; minute++) await step(minute === burstMinute ? burst : 1)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  const rules = await judged(minuteNow())
  expect(rules.map(({ name, state: { status } }) => [name, status]).toSorted()).toEqual([
    ['Burst', 'ok'],
    ['Silence', 'ok'],
  ])
  const incidents = await until('the incident', 10_000, async () => {
    const found = await read<RestIncident[]>('incidents/')
    return found.length > 0 && found
  })
  expect(incidents).toHaveLength(1)
  const { members } = await read<RestIncidentDetails>(`incidents/${incidents[0]?.id}/`)
  expect(members.map(({ rule, value, threshold }) => [rule?.name, value, threshold])).toEqual([
    ['Burst', burst, burst - 1],
  ])
})
