import { expect, test } from 'vitest'
import { testClock } from '../clock.ts'
import { trustedNow } from './trusted-clock.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const startMs = Date.UTC(2026, 10, 21)

/** A clock that can be set, and a store that remembers; each look is one run of retention. */
function world(known = true, organizations = [startMs - 400 * dayMs]) {
  const values = new Map<string, string>()
  if (known) values.set('retention-clock', JSON.stringify({ atMs: startMs }))
  const state = { nowMs: startMs }
  const clock = { ...testClock(), now: () => state.nowMs }
  const meta = {
    organizations: () => organizations.map((createdMs, id) => ({ id, slug: 'acme', name: 'Acme', createdMs })),
    getValue: (name: string) => values.get(name),
    setValue: (name: string, text: string) => void values.set(name, text),
  }
  const look = (nowMs: number) => {
    state.nowMs = nowMs
    return trustedNow({ clock, meta })
  }
  /** Looks once an hour for a time; gives the last answer. */
  const run = (fromMs: number, hours: number) => {
    let answer = look(fromMs)
    for (let at = 1; at <= hours; at++) answer = look(fromMs + at * hourMs)
    return answer
  }
  return { look, run, values }
}

test('a clock that runs is believed', () => {
  const { run } = world()
  expect(run(startMs, 100)).toEqual({ nowMs: startMs + 100 * hourMs })
})

test.each([
  ['a year', 365 * dayMs],
  ['two days', 2 * dayMs],
])('%s ahead and back again: nothing is deleted by it', (_name, leapMs) => {
  const { run } = world()
  const ahead = run(startMs + leapMs, 48)
  expect(ahead).toEqual({
    nowMs: startMs,
    held: { clockMs: startMs + leapMs + 48 * hourMs, evenMs: 48 * hourMs },
  })
  expect(run(startMs + 49 * hourMs, 5).nowMs).toBeLessThanOrEqual(startMs + 54 * hourMs)
})

test('a clock that stays there is believed after three days, also over a restart', () => {
  const { run, look } = world()
  const there = startMs + 365 * dayMs
  expect(run(there, 71).nowMs).toBe(startMs)
  expect(look(there + 72 * hourMs)).toEqual({ nowMs: there + 72 * hourMs })
  expect(look(there + 73 * hourMs)).toEqual({ nowMs: there + 73 * hourMs })
})

test('a clock that leaps on begins its three days anew, and of a pause only two hours count', () => {
  const { run, look } = world()
  run(startMs + 100 * dayMs, 71)
  expect(run(startMs + 200 * dayMs, 60).held?.evenMs).toBe(60 * hourMs)
  expect(look(startMs + 200 * dayMs + 80 * hourMs).held?.evenMs).toBe(62 * hourMs)
})

test('a machine that was off for half a day goes on at once', () => {
  const { look } = world()
  expect(look(startMs + 12 * hourMs)).toEqual({ nowMs: startMs + 12 * hourMs })
})

test('back is believed, and so is the way ahead again up to where it was', () => {
  const { look } = world()
  expect(look(0)).toEqual({ nowMs: 0 })
  expect(look(startMs + hourMs)).toEqual({ nowMs: startMs + hourMs })
})

test('a clock that was right again after days of a wrong time is believed after three days', () => {
  const { run } = world()
  run(startMs + 365 * dayMs, 80)
  const back = run(startMs + 4 * dayMs, 80)
  expect(back).toEqual({ nowMs: startMs + 4 * dayMs + 80 * hourMs })
  expect(run(startMs + 365 * dayMs, 10).nowMs).toBeLessThan(startMs + 10 * dayMs)
})

test.each([
  ['without anybody', []],
  ['with an organization of today', [startMs - 60_000]],
])('a new installation %s is believed at once', (_name, organizations) => {
  expect(world(false, organizations).look(startMs)).toEqual({ nowMs: startMs })
})

test.each([['nothing'], ['{'], ['{"atMs":null}'], ['null']])('where %s is known, three days pass first', (text) => {
  const { run, values } = world(false)
  if (text !== 'nothing') values.set('retention-clock', text)
  expect(run(startMs, 71).nowMs).toBe(0)
  expect(run(startMs + 72 * hourMs, 0)).toEqual({ nowMs: startMs + 72 * hourMs })
})
