import { expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import type { Observe } from '../../base/observe.ts'
import { createWaits, isFull, type WaitedFor, withRetry } from './retry.ts'

const codeError = (code: string) => Object.assign(new Error('write'), { code })

/** A rig that records its pauses and skips them. */
function rig() {
  const clock = testClock()
  const pauses: number[] = []
  const lines: Record<string, unknown>[] = []
  const sleep = async (ms: number) => {
    pauses.push(ms)
    clock.advance(ms)
  }
  const observe = { warn: (fields: Record<string, unknown>) => lines.push(fields) } as unknown as Observe
  const work = { clock: { ...clock, sleep }, observe, stopped: new AbortController(), waits: createWaits(clock) }
  return { work, clock, pauses, lines }
}

/** Fails `times` times, then answers. */
const failing = (times: number, error: Error) => {
  let left = times
  return async () => {
    if (left-- > 0) throw error
    return 'done'
  }
}

test('pauses double from 50 ms up to a second, and every twentieth failure is reported', async () => {
  const { work, pauses, lines } = rig()
  expect(await withRetry(work, 'events', failing(41, new MishapError('STORE_UNAVAILABLE')))).toBe('done')
  expect(pauses.slice(0, 7)).toEqual([50, 100, 200, 400, 800, 1000, 1000])
  expect([pauses.length, new Set(pauses.slice(5))]).toEqual([41, new Set([1000])])
  expect(lines).toHaveLength(3)
  expect(lines[0]).toMatchObject({ store: 'events', error: expect.stringMatching(/^STORE_UNAVAILABLE/) })
})

test('the wait begins with the first failure and ends with the answer', async () => {
  const { work, clock } = rig()
  const seen: unknown[] = []
  let left = 2
  await withRetry(work, 'files', () => {
    seen.push(work.waits.oldest())
    if (left-- > 0) throw codeError('ENOSPC')
  })
  const sinceMs = clock.now() - 150
  expect(seen).toEqual([undefined, { store: 'files', sinceMs }, { store: 'files', sinceMs }])
  expect(work.waits.oldest()).toBeUndefined()
})

test('a wait that somebody else began goes on when this question is answered at once', async () => {
  const { work, clock } = rig()
  work.waits.begin('files')
  clock.advance(5)
  work.waits.begin('files')
  await withRetry(work, 'files', failing(0, codeError('ENOSPC')))
  expect(work.waits.oldest()).toEqual({ store: 'files', sinceMs: clock.now() - 5 })
})

test('a stop ends the waiting with the error, and with the wait', async () => {
  const { work, pauses } = rig()
  let tries = 0
  const asked = withRetry(work, 'events', async () => {
    if (++tries === 3) work.stopped.abort()
    throw new MishapError('STORE_UNAVAILABLE')
  })
  await expect(asked).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect([tries, pauses.length, work.waits.oldest()]).toEqual([3, 2, undefined])
})

test.each<[WaitedFor, Error, boolean]>([
  ['events', new Error('anything'), true],
  ['database', new MishapError('DATABASE_UNWRITABLE'), true],
  ['database', codeError('ENOSPC'), true],
  ['database', new MishapError('STORE_UNAVAILABLE'), false],
  ['database', codeError('DATABASE_UNWRITABLE'), false],
  ['files', codeError('EIO'), true],
  ['files', new MishapError('DATABASE_UNWRITABLE'), false],
])('of %s: %s is waited for: %s', async (store, error, isWaited) => {
  const { work, pauses } = rig()
  const answer = await withRetry(work, store, failing(1, error)).catch((thrown: unknown) => thrown)
  expect([answer, pauses.length]).toEqual(isWaited ? ['done', 1] : [error, 0])
})

test.each([
  [codeError('ENOSPC'), true],
  [codeError('EDQUOT'), true],
  [codeError('EROFS'), true],
  [codeError('EIO'), true],
  [codeError('ENOENT'), false],
  [new Error('no code'), false],
  [undefined, false],
])('%s is a full disk: %s', (error, expected) => {
  expect(isFull(error)).toBe(expected)
})
