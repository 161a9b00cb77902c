import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { createStoreWatch, type StoreAnswer } from './store-watch.ts'

function watch(isRemote: boolean) {
  const clock = testClock()
  const changes: StoreAnswer[] = []
  const answers: { resolve(): void; reject(error: Error): void }[] = []
  const ping = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    answers.push({ resolve, reject })
    return promise
  }
  const watched = createStoreWatch({ store: { isRemote, ping }, clock, changed: (state) => changes.push(state) })
  return { clock, changes, answers, watched }
}
const up = { up: true, reason: null }

test('files are up and are never asked', () => {
  const { clock, changes, answers } = watch(false)
  clock.advance(60_000)
  expect([changes, answers]).toEqual([[up], []])
})

test('a store is asked every 3 s; a change is reported once, with the reason', async () => {
  const { clock, changes, answers, watched } = watch(true)
  answers[0]?.resolve()
  for (let at = 1; at <= 2; at++) {
    await setImmediate()
    clock.advance(3000)
    answers[at]?.reject(new MishapError('BLOBS_UNAVAILABLE', { detail: 'refused' }))
  }
  await setImmediate()
  const away = { up: false, reason: 'refused' }
  expect([changes, watched.state()]).toEqual([[up, away], away])
  clock.advance(3000)
  answers[3]?.resolve()
  await setImmediate()
  expect([changes, watched.state()]).toEqual([[up, away, up], up])
  watched.stop()
  clock.advance(9000)
  expect(answers.length).toBe(4)
})

test('a store that does not answer is away after 5 s, and is not asked a second time meanwhile', async () => {
  const { clock, changes, answers } = watch(true)
  clock.advance(6000)
  expect(answers.length).toBe(1)
  expect(changes).toEqual([up, { up: false, reason: 'It does not answer.' }])
  answers[0]?.resolve()
  await setImmediate()
  expect(changes.at(-1)).toEqual(up)
})
