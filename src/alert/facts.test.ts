import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { factsMs, withFacts } from './facts.ts'
import { alerted, message } from './message/message.cases.ts'

type Deps = Parameters<typeof withFacts>[0]
const never = () => new Promise<never>(() => undefined)

/** Stores of which nothing is ready but the users and the browsers. */
function rig(parts: { byEventId?: () => Promise<never> } = {}) {
  const clock = testClock(1_000)
  const deps = {
    clock,
    events: {
      byEventId: parts.byEventId ?? never,
      togetherOf: async () => [{ events: 9, users: 4 }],
    },
    meta: {
      issues: { hashesOf: async () => new Map([[7, ['a']]]) },
      projects: { projectsOf: async () => [{ id: 1 }] },
      errorLinks: { clientEndsOf: async () => ({ events: 3, people: 2, lastMs: 1, newest: [] }) },
    },
  } as unknown as Deps
  return { clock, deps }
}

test('a message leaves after two seconds without the facts that are slow, and names them', async () => {
  const { clock, deps } = rig()
  const state = { isDone: false }
  const ready = withFacts(deps, message()).finally(() => {
    state.isDone = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(factsMs - 1)
  await new Promise((resolve) => setImmediate(resolve))
  expect(state.isDone).toBe(false)
  clock.advance(1)
  const { message: made, note } = await ready
  expect(made.alerts[0]?.facts).toEqual({ users: 4, browserSide: { events: 3, people: 2 } })
  expect(note).toBe('Sent without facts that were not ready in time: line, since, common.')
})

test('a store that fails costs its facts only, and nothing waits', async () => {
  const { deps } = rig({ byEventId: async () => Promise.reject(new Error('away')) })
  const { message: made, note } = await withFacts(deps, message())
  expect(made.alerts[0]?.facts).toEqual({ users: 4, browserSide: { events: 3, people: 2 } })
  expect(note).toContain('line, since, common')
})

test.each([
  ['a test', message({ kind: 'test', alerts: [] })],
  ['a summary', message({ kind: 'summary', alerts: [alerted(), alerted()] })],
])('%s has no facts and asks for none', async (_name, made) => {
  expect(await withFacts({} as Deps, made)).toEqual({ message: made, note: '' })
})
