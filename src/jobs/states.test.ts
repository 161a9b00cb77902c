import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { createJobStates } from './states.ts'

function memory(text?: string) {
  const values = new Map(text === undefined ? [] : [['jobs', text]])
  return {
    values,
    meta: {
      values: {
        getValue: async (name: string) => values.get(name),
        setValue: async (name: string, to: string) => void values.set(name, to),
      },
    },
  }
}
const hourly = { name: 'hourly', everyMs: 3_600_000, firstMs: 60_000 }
const often = { name: 'often', everyMs: 5000, firstMs: 1000 }

test('last run, duration, result, failure, next run', async () => {
  const clock = testClock(1_000_000)
  const { meta } = memory()
  const states = await createJobStates(clock, meta, [hourly, often])
  expect(states.all()[0]).toMatchObject({ lastMs: null, nextMs: null, error: '', failures: 0 })
  states.started()
  expect(states.all().map((state) => state.nextMs)).toEqual([1_060_000, 1_001_000])
  clock.advance(60_000)
  states.begin(hourly)
  clock.advance(500)
  expect(states.all()[0]).toMatchObject({ runningSinceMs: 1_060_000 })
  await states.done(hourly, { removed: 3 })
  expect(states.all()[0]).toMatchObject({
    runningSinceMs: null,
    lastMs: 1_060_000,
    durationMs: 500,
    result: { removed: 3 },
    nextMs: 1_000_000 + 3_600_000,
  })
  for (let i = 0; i < 2; i++) {
    states.begin(often)
    await states.failed(often, new SyntaxError('secret'))
  }
  expect(states.all()[1]).toMatchObject({ failures: 2, error: expect.stringMatching(/^SyntaxError/) })
  expect(states.all()[1]?.error).not.toContain('secret')
  states.begin(often)
  await states.done(often, {})
  expect(states.all()[1]).toMatchObject({ failures: 0, error: '' })
})

test('what runs seldom is remembered over a restart; a broken memory is none', async () => {
  const clock = testClock(1_000_000)
  const item = memory()
  const states = await createJobStates(clock, item.meta, [hourly, often])
  states.begin(often)
  await states.done(often, {})
  expect(item.values.size).toBe(0)
  states.begin(hourly)
  await states.done(hourly, { dropped: ['a'] })
  const [kept, fresh] = (await createJobStates(clock, item.meta, [hourly, often])).all()
  expect(kept).toMatchObject({ lastMs: 1_000_000, result: { dropped: ['a'] } })
  expect(fresh).toMatchObject({ lastMs: null })
  expect((await createJobStates(clock, memory('{').meta, [hourly])).all()[0]).toMatchObject({ lastMs: null })
})
