import { describe, expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { createPending } from './pending.ts'

/** A page at /a, and what listeners saw. */
function page() {
  const clock = testClock()
  const pending = createPending(clock.after)
  const seen: boolean[] = []
  const stop = pending.listen(() => seen.push(pending.isShown()))
  pending.ends('/a')
  return { clock, pending, seen, stop }
}

describe('a navigation', () => {
  test('is shown after 150 ms and until its page is on screen', () => {
    const { clock, pending, seen } = page()
    pending.starts('/b')
    clock.advance(149)
    expect(pending.isShown()).toBe(false)
    clock.advance(1)
    expect(pending.isShown()).toBe(true)
    clock.advance(5000)
    pending.ends('/b')
    expect(seen).toEqual([true, false])
  })

  test('that is fast is never shown', () => {
    const { clock, pending, seen } = page()
    pending.starts('/b')
    clock.advance(149)
    pending.ends('/b')
    clock.advance(60_000)
    expect(seen).toEqual([])
  })

  test.each([
    ['to a place of the same page', ['/a'], []],
    ['that the person takes back', ['/b', '/a'], []],
    ['to a third page instead counts from its own begin', ['/b', '/c'], [true]],
  ])('%s', (_says, addresses, expected) => {
    const { clock, pending, seen } = page()
    for (const address of addresses) {
      pending.starts(address)
      clock.advance(address === addresses.at(-1) ? 150 : 100)
    }
    expect(seen).toEqual(expected)
  })

  test('that is taken back after it was shown is over', () => {
    const { clock, pending, seen } = page()
    pending.starts('/b')
    clock.advance(150)
    pending.starts('/a')
    expect(seen).toEqual([true, false])
  })

  test('that never ends is over after 30 s', () => {
    const { clock, pending, seen } = page()
    pending.starts('/b')
    clock.advance(150 + 29_999)
    expect(pending.isShown()).toBe(true)
    clock.advance(1)
    expect(seen).toEqual([true, false])
  })
})

test('who no longer listens hears nothing', () => {
  const { clock, pending, seen, stop } = page()
  stop()
  pending.starts('/b')
  clock.advance(150)
  expect([pending.isShown(), seen]).toEqual([true, []])
})
