import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { silent } from '../base/observe.ts'
import { skewLastMs, skewWaitMs } from '../domain/skew.ts'
import { commit, effect, hash, nowMs, openTestMeta, withProject } from '../store/meta/fixture.cases.ts'
import type { EventEffect } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { createAlerts } from './alert.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-skew-'))
const opened: { close(): void }[] = []
afterAll(() => {
  for (const item of opened) item.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Real parts, except the clock, the mailer and the events store: it has `all` skew events, `last` of them recent. */
async function rig(found: { all: number; last: number; away?: boolean }) {
  const clock = testClock(nowMs)
  const meta: MetaStore = await withProject(await openTestMeta(join(folder, `${opened.length}.sqlite`), { clock }))
  opened.push(meta)
  const told: string[] = []
  const alerts = createAlerts({
    clock,
    observe: silent,
    meta,
    url: 'https://m.test',
    open: (sealed) => sealed,
    seal: (text) => text,
    authorEmails: async () => [],
    facts: async (message) => ({ message, note: '' }),
    smtp: async () => undefined,
    outgoing: {
      send: async ({ url, body = '' }) => {
        told.push(String(body))
        return { status: 200, headers: {}, body: Buffer.alloc(0), url, address: '' }
      },
    },
    events: {
      countsOf: async (scope, hashes) => {
        if (found.away) throw new MishapError('STORE_UNAVAILABLE')
        const events = scope.toMs - scope.fromMs === skewLastMs ? found.last : found.all
        return hashes.map((item) => ({ ...item, events, lastMs: 0, firstMs: 0 }))
      },
    },
  })
  await meta.alerts.createChannel({
    organizationId: 1,
    projectId: null,
    kind: 'webhook',
    name: 'x',
    sealedTarget: 'https://hook.test/',
    sealedSecret: '',
  })
  const come = (change: Partial<EventEffect>) => commit(meta, { events: [effect(change)] }, clock.now())
  return { clock, meta, alerts, told, come }
}

describe('skew after a deploy', () => {
  test.each([
    ['that goes on is told after half an hour', { all: 60, last: 20 }, 1],
    ['that decays is told to nobody', { all: 70, last: 10 }, 0],
    ['whose events are gone is told to nobody', { all: 0, last: 0 }, 0],
  ])('%s', async (_says, found, times) => {
    const { clock, meta, alerts, told, come } = await rig(found)
    await come({ diagnostics: ['skew'] })
    await alerts.run()
    clock.advance(skewWaitMs - 1)
    await alerts.run()
    expect(told).toEqual([])
    clock.advance(1)
    await alerts.run()
    expect(told.length).toBe(times)
    expect(await meta.alerts.alertsDue(10, clock.now())).toEqual([])
  })

  test('an error of another kind beside it waits for nothing', async () => {
    const { alerts, told, come } = await rig({ all: 0, last: 0 })
    await come({})
    await come({ hashes: [hash(2)], diagnostics: ['extension'] })
    await alerts.run()
    expect(told.length).toBe(2)
  })

  test('an issue that is no skew alone any more is told', async () => {
    const { clock, alerts, told, come } = await rig({ all: 70, last: 1 })
    await come({ diagnostics: ['skew'] })
    await come({})
    clock.advance(skewWaitMs)
    await alerts.run()
    expect(told.length).toBe(1)
  })

  test('that comes back after it was resolved waits as well', async () => {
    const { clock, meta, alerts, told, come } = await rig({ all: 70, last: 10 })
    await come({ diagnostics: ['skew'] })
    clock.advance(skewWaitMs)
    await alerts.run()
    await meta.issues.updateIssue(1, { status: 'resolved' }, null, clock.now())
    clock.advance(1000)
    await come({ diagnostics: ['skew'], timestampMs: clock.now() })
    await alerts.run()
    expect([(await meta.issues.issueById(1))?.substatus, told]).toEqual(['regressed', []])
  })

  test('is asked again while the events store is away', async () => {
    const found = { all: 60, last: 20, away: true }
    const { clock, alerts, told, come } = await rig(found)
    await come({ diagnostics: ['skew'] })
    clock.advance(skewWaitMs)
    await alerts.run()
    expect(told).toEqual([])
    found.away = false
    await alerts.run()
    expect(told.length).toBe(1)
  })
})
