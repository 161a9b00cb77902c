import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Observe } from '../base/observe.ts'
import type { ServerAway } from '../store/events/server-check.ts'
import { watchServer } from './watch-server.ts'

const server = { url: 'http://ch:8123', host: 'ch:8123', user: 'u', database: 'm' }
type Probe = ServerAway | undefined

/** Watches a server that answers like `probes`, one after the other. Returns what was reported. */
async function watched(probes: readonly Probe[], checks: readonly (Probe | Error)[] = []) {
  const clock = testClock()
  const changes: unknown[] = []
  const logged: unknown[] = []
  const [left, toCheck] = [[...probes], [...checks]]
  const log = (context: unknown) => void logged.push(context)
  const watch = watchServer({
    server,
    clock,
    observe: { warn: log, error: log } as unknown as Observe,
    isChecked: checks.length === 0,
    check: async () => {
      const next = toCheck.shift()
      if (next instanceof Error) throw next
      return next ?? 'ready'
    },
    away: async () => left.shift(),
    changed: (up, away) => void changes.push(up ? 'up' : away),
  })
  for (let n = 0; n < probes.length + checks.length; n++) {
    if (n > 0) clock.advance(2000)
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  }
  return { watch, changes, logged }
}

test.each<[string, Probe[], unknown[]]>([
  ['a server that answers is up', [undefined], ['up']],
  ['two missed answers are no outage', [undefined, 'silent', 'silent', undefined], ['up']],
  ['three are one', [undefined, 'silent', 'silent', 'silent', undefined], ['up', 'silent', 'up']],
  ['a changed password is named', [undefined, 'refused', 'refused', 'refused'], ['up', 'refused']],
])('%s', async (_name, probes, expected) => {
  expect((await watched(probes)).changes).toEqual(expected)
})

test('a server that was away at the start is checked before it counts as up; a fault is logged once', async () => {
  const fault = new MishapError('START_EVENTS_GRANTS', { detail: 'lacks INSERT' })
  const { watch, changes, logged } = await watched([undefined], ['silent', fault, fault, undefined])
  expect(changes).toEqual(['up'])
  expect(logged).toEqual([expect.objectContaining({ host: 'ch:8123', error: expect.stringContaining('lacks INSERT') })])
  expect([watch.up(), watch.pid(), watch.send({})]).toEqual([true, undefined, false])
  await watch.stop(0)
})
