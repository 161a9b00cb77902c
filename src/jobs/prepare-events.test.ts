import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import { createLock } from './lock.ts'
import { prepareEvents } from './prepare-events.ts'

test('whoever takes rows out waits until older tables are brought over, however often the engine is away', async () => {
  const clock = testClock()
  const lock = createLock()
  const done: string[] = []
  const waits = { away: 60, warned: 0 }
  const open = Promise.withResolvers<void>()
  const migrate = async () => {
    if (waits.away-- > 0) throw new Error('away')
    done.push('brings over')
    await open.promise
    done.push('brought over')
  }
  const next = ['made', 'regroup', 'thinning', 'refine'].map((name) => async () => void done.push(name))
  const observe = { warn: () => void waits.warned++ } as unknown as Observe
  const begun = prepareEvents({ clock, observe, events: { migrate }, lock, next })
  const removal = lock().then((release) => {
    done.push('removal')
    release()
  })
  while (done.length === 0) {
    await Promise.resolve()
    clock.advance(500)
  }
  expect([done, waits.warned]).toEqual([['brings over'], 1])
  open.resolve()
  await Promise.all([begun, removal])
  expect(done.slice(0, 3)).toEqual(['brings over', 'brought over', 'made'])
  expect(done.toSorted()).toEqual(['brings over', 'brought over', 'made', 'refine', 'regroup', 'removal', 'thinning'])
  expect(done.indexOf('refine')).toBeGreaterThan(done.indexOf('thinning'))
})
