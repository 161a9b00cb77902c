import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { BOOT } from './boot-script.ts'

type Handler = (event: { target: unknown; error?: unknown; message?: string; reason?: unknown }) => void
type Here = { hydrated?: boolean; dsn: string; version: string; errors?: [unknown, string][]; report?: unknown }

/** A fake page for the boot script. `kept` is the tab's session storage. */
function page(kept = new Map<string, string>(), metas: Record<string, string> = {}) {
  const clock = testClock(0)
  const handlers = new Map<string, Handler>()
  const said: string[] = []
  const state = { reloads: 0 }
  const window = {} as { mishap: Here }
  runInNewContext(BOOT, {
    window,
    addEventListener: (type: string, handler: Handler) => void handlers.set(type, handler),
    setTimeout: (run: () => void, ms: number) => clock.after(ms, run),
    location: {
      reload: () => {
        state.reloads += 1
      },
    },
    sessionStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    },
    document: {
      querySelector: (what: string) => {
        const content = metas[/mishap-(\w+)/.exec(what)?.[1] ?? '']
        return content === undefined ? null : { content }
      },
      getElementById: () => (said.length > 0 ? {} : null),
      createElement: () => ({ setAttribute: () => undefined, textContent: '' }),
      body: { prepend: (item: { textContent: string }) => void said.push(item.textContent) },
    },
  })
  const fail = (target: unknown, error?: unknown) => handlers.get('error')?.({ target, error })
  return { clock, window, handlers, said, state, kept, fail }
}

const script = { tagName: 'SCRIPT' }

describe('the boot script', () => {
  it('reloads once for a script that cannot be loaded, then says so', () => {
    const first = page()
    first.fail(script)
    first.fail(script)
    first.clock.advance(1499)
    expect(first.state.reloads).toBe(0)
    first.clock.advance(1)
    expect([first.state.reloads, first.said]).toEqual([1, []])
    const second = page(first.kept)
    second.fail(script)
    second.clock.advance(1500)
    expect(second.state.reloads).toBe(0)
    expect(second.said).toEqual([expect.stringContaining('a script could not be loaded')])
    second.clock.advance(60_000)
    expect(second.said).toHaveLength(1)
  })

  it('leaves a page alone that came alive, and failures of other things', () => {
    const { fail, window, clock, state, said } = page()
    fail(script)
    window.mishap.hydrated = true
    clock.advance(60_000)
    const other = page()
    other.fail({ tagName: 'IMG' })
    other.clock.advance(9999)
    expect([state.reloads, said, other.state.reloads, other.said]).toEqual([0, [], 0, []])
  })

  it('says after 10 s that the scripts have not started', () => {
    const { clock, said, state } = page()
    clock.advance(9999)
    expect(said).toEqual([])
    clock.advance(1)
    expect([said, state.reloads]).toEqual([[expect.stringContaining('have not started')], 0])
  })

  it('keeps early errors until somebody reports them', () => {
    const { window, handlers, fail } = page()
    fail(window, 'thrown')
    handlers.get('unhandledrejection')?.({ target: window, reason: 'rejected' })
    window.mishap.report = () => undefined
    fail(window, 'reported by now')
    expect(window.mishap.errors?.map(([error, where]) => `${error} ${where}`)).toEqual([
      'thrown early',
      'rejected early',
    ])
  })

  it('keeps what the reporter needs of the frame, empty where there is none', () => {
    const { dsn, version } = page(new Map(), { dsn: 'http://k@h/1', version: '1.2.3' }).window.mishap
    expect([dsn, version]).toEqual(['http://k@h/1', '1.2.3'])
    expect(page().window.mishap.dsn).toBe('')
  })
})
