import { afterEach, describe, expect, it, vi } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { createConnection } from './connection.ts'
import { markStarted, reloadOnce } from './report.ts'

afterEach(() => vi.unstubAllGlobals())

const named = (name: string) => Object.assign(new Error('x'), { name })
const tick = () => new Promise((resolve) => setImmediate(resolve))

/** A page with a connection. `answers` says whether Mishap answers its probes. */
function page(answers: boolean) {
  const memory = new Map<string, string>()
  const state = { answers, reloads: 0 }
  const clock = testClock(0)
  const connection = createConnection({
    after: clock.after,
    isOnline: () => state.answers,
    probe: async () => state.answers,
  })
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => memory.get(key) ?? null,
    setItem: (key: string, value: string) => void memory.set(key, value),
    removeItem: (key: string) => void memory.delete(key),
  })
  vi.stubGlobal('location', { pathname: '/o/a/issues', reload: () => void state.reloads++ })
  vi.stubGlobal('window', { mishap: { connection } })
  return { state, connection, clock }
}

describe('reloadOnce', () => {
  it.each(['ChunkLoadError', 'UnrecognizedActionError'])(
    'reloads once for %s, and again after a start',
    async (name) => {
      const { state } = page(true)
      expect(reloadOnce(named(name))).toBe(true)
      await tick()
      expect([reloadOnce(named(name)), state.reloads]).toEqual([false, 1])
      markStarted()
      expect(reloadOnce(named(name))).toBe(true)
      await tick()
      expect(state.reloads).toBe(2)
    },
  )

  it('does not reload for another error', async () => {
    const { state } = page(true)
    expect([reloadOnce(named('TypeError')), reloadOnce('ChunkLoadError')]).toEqual([false, false])
    await tick()
    expect(state.reloads).toBe(0)
  })

  it('does not leave the page while Mishap is away, and reloads when it is back', async () => {
    const { state, connection, clock } = page(false)
    expect(reloadOnce(named('ChunkLoadError'))).toBe(true)
    await tick()
    expect([connection.status(), state.reloads]).toEqual(['offline', 0])
    state.answers = true
    clock.advance(1000)
    await tick()
    expect([connection.status(), state.reloads]).toEqual(['well', 1])
  })

  it('reloads at once where no connection is watched', () => {
    const { state } = page(true)
    vi.stubGlobal('window', {})
    expect([reloadOnce(named('ChunkLoadError')), state.reloads]).toEqual([true, 1])
  })
})
