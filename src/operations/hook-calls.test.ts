import { describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { HookCount } from '../store/meta/trackers/hooks.ts'
import { createHookCalls, hookLimits } from './hook-calls.ts'

/** `written` has the counts of each write. A write fails while `state.isDown`. */
function rig() {
  const clock = testClock()
  const written: HookCount[][] = []
  const logged: object[] = []
  const state = { isDown: false }
  const countHooks = async (counts: readonly HookCount[]) => {
    if (state.isDown) throw new Error('planted')
    written.push([...counts])
  }
  const observe = { warn: (fields: object) => void logged.push(fields) }
  const calls = createHookCalls({ clock, observe, meta: { trackers: { countHooks } } })
  return { clock, written, logged, state, calls }
}
type Rig = ReturnType<typeof rig>

const refuse = async () => {
  throw new MishapError('AUTH_REQUIRED')
}
const tracker = { service: 'tracker', name: '7' } as const
/** Calls as one address does, and returns `ok` or the code of the error. */
async function call(
  { calls }: Rig,
  work: () => Promise<string>,
  { receiver = tracker as Parameters<Rig['calls']['guard']>[0], address = '192.0.2.1', signature = 'x' } = {},
): Promise<string> {
  const headers = new Headers({ 'x-forwarded-for': address, ...(signature ? { 'x-gitlab-token': signature } : {}) })
  return calls
    .guard(receiver, headers, work)
    .catch((error: unknown) => (error instanceof MishapError ? error.code : String(error)))
}
const flood = async (here: Rig, times: number, options: Parameters<typeof call>[2] = {}) => {
  for (let count = 0; count < times; count++) await call(here, refuse, options)
}
const ok = async () => 'ok'

describe('limits', () => {
  test.each<[string, Parameters<typeof call>[2], string]>([
    ['the same call', {}, 'HOOK_LIMITED'],
    ['another address', { address: '192.0.2.2' }, 'ok'],
    ['another connection', { receiver: { service: 'tracker', name: '8' } }, 'ok'],
    ['Slack', { receiver: { service: 'slack', name: '7' } }, 'ok'],
    ['a call without a signature', { signature: '' }, 'ok'],
  ])('after a flood of refused calls: %s', async (_name, options, expected) => {
    const here = rig()
    await flood(here, hookLimits.freeFailures)
    expect(await call(here, ok, options)).toBe(expected)
  })

  test('unsigned calls never delay signed ones, however many they are', async () => {
    const here = rig()
    await flood(here, hookLimits.addressFailuresMax * 2, { signature: '' })
    expect([await call(here, ok, { signature: '' }), await call(here, ok)]).toEqual(['HOOK_LIMITED', 'ok'])
  })

  test('a signed call whose body process main did not read is refused like the ones before it, and not tried', async () => {
    const here = rig()
    let tried = 0
    const guard = (signature: object) =>
      here.calls
        .guard(tracker, new Headers({ 'x-body-unread': '1', ...signature }), async () => {
          tried += 1
          return 'ok'
        })
        .catch((error: unknown) => (error as MishapError).code)
    expect([await guard({ 'x-gitlab-token': 'x' }), tried]).toEqual(['HOOK_LIMITED', 0])
    expect([await guard({}), tried]).toEqual(['ok', 1])
  })

  test('an address that tries many connections is limited for all of them, for a minute', async () => {
    const here = rig()
    for (let id = 0; id < hookLimits.addressFailuresMax; id++)
      await flood(here, 1, { receiver: { service: 'tracker', name: String(id) } })
    expect(await call(here, ok)).toBe('HOOK_LIMITED')
    here.clock.advance(60_000)
    expect(await call(here, ok)).toBe('ok')
  })

  test('the pause has its seconds, and a call that is proved after it forgets the refused ones', async () => {
    const here = rig()
    await flood(here, hookLimits.freeFailures + 1)
    const headers = new Headers({ 'x-forwarded-for': '192.0.2.1', 'x-gitlab-token': 'x' })
    await expect(here.calls.guard(tracker, headers, ok)).rejects.toMatchObject({
      code: 'HOOK_LIMITED',
      status: 429,
      retryAfterS: 1,
    })
    here.clock.advance(1000)
    expect(await call(here, ok)).toBe('ok')
    await flood(here, hookLimits.freeFailures - 1)
    expect(await call(here, ok)).toBe('ok')
  })

  test.each([
    ['a store that is down', () => Promise.reject(new MishapError('DATABASE_UNAVAILABLE')), 'DATABASE_UNAVAILABLE'],
    ['a mistake of ours', () => Promise.reject(new Error('planted')), 'Error: planted'],
  ])('%s is not the caller’s failure', async (_name, work, code) => {
    const here = rig()
    for (let count = 0; count <= hookLimits.freeFailures; count++) expect(await call(here, work)).toBe(code)
    expect(await call(here, ok)).toBe('ok')
  })
})

describe('counts', () => {
  test('are written together every 5 s and at the stop, with the calls that a limit refused', async () => {
    const here = rig()
    await flood(here, hookLimits.freeFailures + 3)
    for (let count = 0; count < 4; count++) here.calls.count(7, 'bad_signature')
    here.calls.count(8, 'accepted')
    here.clock.advance(4_999)
    expect(here.written).toEqual([])
    here.clock.advance(1)
    await here.calls.flush()
    expect(here.written).toEqual([
      [
        { integrationId: 7, outcome: 'limited', quantity: 3 },
        { integrationId: 7, outcome: 'bad_signature', quantity: 4 },
        { integrationId: 8, outcome: 'accepted', quantity: 1 },
      ],
    ])
    here.calls.count(8, 'ignored')
    await here.calls.stop()
    expect(here.written[1]).toEqual([{ integrationId: 8, outcome: 'ignored', quantity: 1 }])
    here.calls.count(8, 'ignored')
    here.clock.advance(60_000)
    await Promise.resolve()
    expect(here.written).toHaveLength(2)
  })

  test('wait for a database that is away', async () => {
    const here = rig()
    here.state.isDown = true
    here.calls.count(7, 'unsigned')
    await here.calls.flush()
    here.calls.count(7, 'unsigned')
    here.state.isDown = false
    await here.calls.flush()
    expect(here.written).toEqual([[{ integrationId: 7, outcome: 'unsigned', quantity: 2 }]])
  })

  test('of invented connections do not fill the memory', async () => {
    const here = rig()
    for (let id = 0; id < 10_500; id++) here.calls.count(id, 'limited')
    await here.calls.flush()
    expect(here.written[0]).toHaveLength(10_000)
  })

  test('of refused calls are one line in the log, not one for each', async () => {
    const here = rig()
    await flood(here, 2)
    await flood(here, 3, { receiver: { service: 'slack', name: 'x'.repeat(10_000) } })
    await here.calls.flush()
    await here.calls.flush()
    expect(here.logged).toEqual([{ tracker: 2, slack: 3 }])
  })
})
