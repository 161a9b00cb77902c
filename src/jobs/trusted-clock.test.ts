import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { trustedNow } from './trusted-clock.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const startMs = Date.UTC(2026, 10, 21)

/** A settable clock and a store in memory. Each look is one run of retention. */
function world(known = true, organizations = [startMs - 400 * dayMs]) {
  const values = new Map<string, string>()
  if (known) values.set('retention-clock', JSON.stringify({ atMs: startMs }))
  const state = { nowMs: startMs }
  const clock = { ...testClock(), now: () => state.nowMs }
  const meta = {
    organizations: {
      organizations: async () => organizations.map((createdMs, id) => ({ id, slug: 'acme', name: 'Acme', createdMs })),
    },
    values: {
      getValue: async (name: string) => values.get(name),
      setValue: async (name: string, text: string) => void values.set(name, text),
    },
  }
  const look = async (nowMs: number) => {
    state.nowMs = nowMs
    return trustedNow({ clock, meta })
  }
  /** Looks once an hour for a number of hours. Returns the last answer. */
  const run = async (fromMs: number, hours: number) => {
    let answer = await look(fromMs)
    for (let at = 1; at <= hours; at++) answer = await look(fromMs + at * hourMs)
    return answer
  }
  return { look, run, values }
}

test('a clock that runs is believed', async () => {
  const { run } = world()
  expect(await run(startMs, 100)).toEqual({ nowMs: startMs + 100 * hourMs })
})

test.each([
  ['a year', 365 * dayMs],
  ['two days', 2 * dayMs],
])('%s ahead and back again: nothing is deleted by it', async (_name, leapMs) => {
  const { run } = world()
  const ahead = await run(startMs + leapMs, 48)
  expect(ahead).toEqual({
    nowMs: startMs,
    untrusted: { clockMs: startMs + leapMs + 48 * hourMs, sinceMs: startMs + leapMs, evenMs: 48 * hourMs },
  })
  expect((await run(startMs + 49 * hourMs, 5)).nowMs).toBeLessThanOrEqual(startMs + 54 * hourMs)
})

test('a clock that stays there is believed after three days, also over a restart', async () => {
  const { run, look } = world()
  const there = startMs + 365 * dayMs
  expect((await run(there, 71)).nowMs).toBe(startMs)
  expect(await look(there + 72 * hourMs)).toEqual({ nowMs: there + 72 * hourMs })
  expect(await look(there + 73 * hourMs)).toEqual({ nowMs: there + 73 * hourMs })
})

test('of a pause two hours count and what was gathered stays; far back within the leap begins anew', async () => {
  const { run, look } = world()
  const there = startMs + 100 * dayMs
  expect((await run(there, 40)).untrusted).toEqual({
    clockMs: there + 40 * hourMs,
    sinceMs: there,
    evenMs: 40 * hourMs,
  })
  expect((await look(there + 60 * hourMs)).untrusted?.evenMs).toBe(42 * hourMs)
  expect((await look(there + 900 * hourMs)).untrusted?.evenMs).toBe(44 * hourMs)
  // Correcting the clock by an hour continues the leap. Setting it back by more than a day restarts it.
  expect((await look(there + 899 * hourMs)).untrusted?.evenMs).toBe(44 * hourMs)
  expect((await look(there - dayMs)).untrusted).toEqual({ clockMs: there - dayMs, sinceMs: there - dayMs, evenMs: 0 })
})

test('a machine that was off for half a day goes on at once', async () => {
  const { look } = world()
  expect(await look(startMs + 12 * hourMs)).toEqual({ nowMs: startMs + 12 * hourMs })
})

test('back is believed, and so is the way ahead again up to where it was', async () => {
  const { look } = world()
  expect(await look(0)).toEqual({ nowMs: 0 })
  expect(await look(startMs + hourMs)).toEqual({ nowMs: startMs + hourMs })
})

test('a clock that was right again after days of a wrong time is believed after three days', async () => {
  const { run } = world()
  await run(startMs + 365 * dayMs, 80)
  const back = await run(startMs + 4 * dayMs, 80)
  expect(back).toEqual({ nowMs: startMs + 4 * dayMs + 80 * hourMs })
  expect((await run(startMs + 365 * dayMs, 10)).nowMs).toBeLessThan(startMs + 10 * dayMs)
})

test.each([
  ['without anybody', []],
  ['with an organization of today', [startMs - 60_000]],
])('a new installation %s is believed at once', async (_name, organizations) => {
  expect(await world(false, organizations).look(startMs)).toEqual({ nowMs: startMs })
})

test.each([['nothing'], ['{'], ['{"atMs":null}'], ['null']])(
  'where %s is known, three days pass first',
  async (text) => {
    const { run, values } = world(false)
    if (text !== 'nothing') values.set('retention-clock', text)
    expect((await run(startMs, 71)).nowMs).toBe(0)
    expect(await run(startMs + 72 * hourMs, 0)).toEqual({ nowMs: startMs + 72 * hourMs })
  },
)

/**
 * Simulates a number of true days. The machine is on in the hours of `on` (day of the week, 0 is Saturday, and hour).
 * Its clock is off by `skewMs`, and it looks every `eachMinutes` while on. Returns the true days on which retention
 * ran, and the most by which data was deleted too early.
 */
async function live({
  days,
  on = () => true,
  skewMs = () => 0,
  eachMinutes = 60,
}: {
  days: number
  on?: (weekday: number, hour: number, day: number) => boolean
  skewMs?: (day: number) => number
  eachMinutes?: number
}): Promise<{ ran: number[]; earlyMs: number }> {
  const { look } = world()
  const ran = new Set<number>()
  let earlyMs = 0
  for (let minute = 0; minute < days * 24 * 60; minute += eachMinutes) {
    const day = Math.floor(minute / (24 * 60))
    if (!on(day % 7, Math.floor(minute / 60) % 24, day)) continue
    const trueMs = startMs + minute * 60_000
    const { nowMs, untrusted } = await look(trueMs + skewMs(day))
    if (!untrusted) ran.add(day)
    if (!untrusted) earlyMs = Math.max(earlyMs, nowMs - trueMs)
  }
  return { ran: [...ran], earlyMs }
}

const yearMs = 365 * dayMs
const office = (hour: number) => hour >= 8 && hour < 18

test.each<[string, Parameters<typeof live>[0], { firstMax: number; least: number; lastMin: number }]>([
  ['always on', { days: 60 }, { firstMax: 0, least: 60, lastMin: 59 }],
  ['off at night', { days: 60, on: (_day, hour) => office(hour) }, { firstMax: 0, least: 60, lastMin: 59 }],
  [
    'Monday to Friday, 8 to 18: held once, then weekends are its habit',
    { days: 60, on: (weekday, hour) => weekday >= 2 && office(hour) },
    { firstMax: 10, least: 36, lastMin: 59 },
  ],
  [
    'Monday to Thursday',
    { days: 60, on: (weekday, hour) => weekday >= 2 && weekday <= 5 && office(hour) },
    { firstMax: 12, least: 26, lastMin: 58 },
  ],
  [
    'one day a week',
    { days: 140, on: (weekday, hour) => weekday === 2 && office(hour) },
    { firstMax: 51, least: 13, lastMin: 135 },
  ],
  [
    'half an hour a day, with a weekend off',
    { days: 140, on: (weekday, hour) => weekday >= 2 && hour === 8 },
    { firstMax: 54, least: 61, lastMin: 139 },
  ],
  [
    'off for a month once',
    { days: 90, on: (_w, _h, day) => day < 20 || day >= 50 },
    { firstMax: 0, least: 57, lastMin: 89 },
  ],
  ['restarted every minute', { days: 5, eachMinutes: 1, skewMs: () => yearMs }, { firstMax: 3, least: 2, lastMin: 4 }],
])('%s: retention runs, and goes on to run', async (_name, life, { firstMax, least, lastMin }) => {
  const { ran } = await live(life)
  expect(ran.length).toBeGreaterThanOrEqual(least)
  expect(ran.at(-1)).toBeGreaterThanOrEqual(lastMin)
  expect(ran.find((day) => day >= 2)).toBeLessThanOrEqual(Math.max(2, firstMax))
})

test.each<[string, Parameters<typeof live>[0]]>([
  ['a year ahead for two days', { days: 30, skewMs: (day) => (day === 5 || day === 6 ? yearMs : 0) }],
  [
    'a year ahead for two days, restarted every minute',
    { days: 9, eachMinutes: 1, skewMs: (day) => (day === 3 || day === 4 ? yearMs : 0) },
  ],
  [
    'a year ahead for three days of a machine that is off at weekends',
    {
      days: 60,
      on: (weekday, hour) => weekday >= 2 && office(hour),
      skewMs: (day) => (day >= 37 && day < 40 ? yearMs : 0),
    },
  ],
  ['a year back for two days and forward again', { days: 30, skewMs: (day) => (day === 5 || day === 6 ? -yearMs : 0) }],
])('%s: nothing goes too early, and it runs again', async (_name, life) => {
  const { ran, earlyMs } = await live(life)
  expect(earlyMs).toBe(0)
  expect(ran.at(-1)).toBeGreaterThanOrEqual(life.days - 3)
})

test('a clock that is a year ahead for good is believed after three days; one that was wrong all along too', async () => {
  expect((await live({ days: 20, skewMs: (day) => (day < 5 ? 0 : yearMs) })).ran).toEqual([
    0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
  ])
})

test('what was gathered behind the believed time counts nothing ahead of it', async () => {
  const { run, look } = world()
  await run(startMs - 365 * dayMs, 60)
  const there = startMs + 365 * dayMs
  expect(await run(there, 71)).toEqual({
    nowMs: startMs,
    untrusted: { clockMs: there + 71 * hourMs, sinceMs: there, evenMs: 71 * hourMs },
  })
  expect(await look(there + 72 * hourMs)).toEqual({ nowMs: there + 72 * hourMs })
})

test('a habit is a week at most: who was off for a month waits after each time', async () => {
  const monthly = await live({ days: 150, on: (_w, _h, day) => day % 40 < 10 })
  expect(monthly.ran).not.toContain(40)
  expect(monthly.ran).not.toContain(81)
  expect(monthly.ran).toEqual(expect.arrayContaining([43, 49, 83, 89, 123]))
})
