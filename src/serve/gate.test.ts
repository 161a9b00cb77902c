import { describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { addressGroup, createGate, createQueue, type GateLimits, type Requester } from './gate.ts'

const limits: GateLimits = {
  bodies: { known: { perAddress: 2, total: 3 }, unknown: { perAddress: 2, total: 3 } },
  requests: { known: { perAddress: 2, total: 3 }, unknown: { perAddress: 2, total: 3 } },
  unanswered: { known: 1, unknown: 1 },
  streams: { perAddress: 2, total: 3 },
}
const from = (address: string, credential?: string): Requester => ({
  kind: credential === undefined ? 'unknown' : 'known',
  address,
  credential,
})
const still = { bytes: () => 0, cut: () => undefined }
const never = new AbortController().signal

test.each([
  ['1.2.3.4', '1.2.3.4'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['2001:db8:1:2:3::4', '2001:db8:1:2'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['', ''],
  ['no:address', 'no:address'],
])('the address %s counts as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group)
})

describe('requests', () => {
  test('an address has its bound, all together have one, and what is given back is free', () => {
    const gate = createGate(testClock(), limits)
    const first = gate.request(from('a'))
    gate.request(from('a'))
    expect(() => gate.request(from('a'))).toThrow('Too many requests from your address are in progress.')
    gate.request(from('b'))
    expect(() => gate.request(from('c'))).toThrow('Too many requests are in progress.')
    first()
    first()
    gate.request(from('c'))
    expect(() => gate.request(from('c'))).toThrow('Too many requests are in progress.')
  })

  test('those who are known have a reserve', () => {
    const gate = createGate(testClock(), limits)
    for (const address of ['a', 'a', 'b']) gate.request(from(address))
    expect(gate.request(from('a', 'session'))).toBeTypeOf('function')
  })

  test('live streams have a bound of their own', () => {
    const gate = createGate(testClock(), limits)
    const taken = ['a', 'a', 'a', 'b', 'c'].map((address) => gate.stream(from(address, 's')) !== undefined)
    expect(taken).toEqual([true, true, false, true, false])
    expect(gate.request(from('a', 's'))).toBeTypeOf('function')
  })
})

describe('bodies that come in', () => {
  test('one that came too short a time ago stays, and the next one is refused', () => {
    const gate = createGate(testClock(), limits)
    const cut: string[] = []
    for (const name of ['first', 'second']) gate.body(from('a'), { bytes: () => 0, cut: () => cut.push(name) })
    expect(() => gate.body(from('a'), still)).toThrow('Too many requests from your address are in progress.')
    expect(cut).toEqual([])
  })

  test.each<[string, string, string]>([
    ['the slowest of the address', 'a', 'slow of a'],
    ['the slowest of all, where all are too many', 'c', 'slow of b'],
  ])('after two seconds %s gives way', (_name, address, expected) => {
    const clock = testClock()
    const gate = createGate(clock, limits)
    const cut: string[] = []
    const begin = (who: string, name: string, bytes: number) => {
      const release = gate.body(from(who), {
        bytes: () => bytes,
        cut: () => {
          cut.push(name)
          release()
        },
      })
    }
    begin('a', 'fast of a', 1000)
    begin('a', 'slow of a', 10)
    begin('b', 'slow of b', 1)
    clock.advance(2000)
    expect(gate.body(from(address), still)).toBeTypeOf('function')
    expect(cut).toEqual([expected])
  })

  test('what nobody is known for does not take the place of those who are', () => {
    const gate = createGate(testClock(), limits)
    for (const address of ['a', 'a', 'b']) gate.body(from(address), still)
    expect(gate.body(from('a', 'session'), still)).toBeTypeOf('function')
  })
})

describe('turns', () => {
  test('who asks once does not wait behind all of one who asks often', async () => {
    const turns = createQueue(1, testClock())
    const order: string[] = []
    const wait = async (name: string) => {
      const release = await turns(name, never)
      order.push(name)
      release?.()
    }
    const first = await turns('flood', never)
    const all = ['flood', 'flood', 'flood', 'one'].map(wait)
    first?.()
    first?.()
    await Promise.all(all)
    expect(order).toEqual(['flood', 'one', 'flood', 'flood'])
  })

  test('who leaves takes no turn, and who waits for 30 s hears so', async () => {
    const clock = testClock()
    const turns = createQueue(1, clock)
    const held = await turns('a', never)
    const leaves = new AbortController()
    const left = turns('b', leaves.signal)
    const late = turns('c', never)
    leaves.abort()
    expect(await left).toBeUndefined()
    expect(await turns('b', leaves.signal)).toBeUndefined()
    clock.advance(30_000)
    await expect(late).rejects.toThrow('Too many requests are in progress.')
    held?.()
    expect(await turns('d', never)).toBeTypeOf('function')
  })
})
