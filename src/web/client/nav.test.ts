import { describe, expect, it } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { countedFetch, createGate, guardedFetch, mayPrefetch, type NavigationEnvironment, pageAddress } from './nav.ts'

const tick = () => new Promise((resolve) => setImmediate(resolve))

describe('pageAddress', () => {
  const cases: [string, string][] = [
    ['http://h/o/a/issues?q=x&_rsc=1abc#top', '/o/a/issues?q=x'],
    ['http://h/', '/'],
    ['http://h/a?_rsc=z', '/a'],
  ]
  it.each(cases)('%s', (url, address) => expect(pageAddress(new URL(url))).toBe(address))
})

describe('wantsPrefetch', () => {
  it.each<[string, { connection?: { saveData?: boolean } }, boolean]>([
    ['a browser that does not say', {}, true],
    ['a usual connection', { connection: { saveData: false } }, true],
    ['a connection without the word', { connection: {} }, true],
    ['data is saved', { connection: { saveData: true } }, false],
  ])('%s', (_name, browser, wants) => expect(mayPrefetch(browser)).toBe(wants))
})

describe('countedFetch', () => {
  it('counts what has no answer yet, failures too', async () => {
    const ends: { answer: (response: Response) => void; fail: (error: unknown) => void }[] = []
    const state = { running: 0 }
    const fetch = countedFetch(() => new Promise((answer, fail) => ends.push({ answer, fail })), state)
    const first = fetch('http://h/1')
    const second = fetch('http://h/2')
    expect(state.running).toBe(2)
    ends[0]?.answer(new Response('one'))
    expect(await (await first).text()).toBe('one')
    expect(state.running).toBe(1)
    ends[1]?.fail(new TypeError('reset'))
    await expect(second).rejects.toThrow('reset')
    expect(state.running).toBe(0)
  })
})

describe('createGate', () => {
  it('lets so many through at once, the others in order, and counts a slot freed twice once', async () => {
    const enter = createGate(2)
    const order: number[] = []
    const leaves: (() => void)[] = []
    for (const id of [1, 2, 3, 4, 5]) {
      void enter().then((leave) => {
        order.push(id)
        leaves.push(leave)
      })
    }
    await tick()
    expect(order).toEqual([1, 2])
    leaves[0]?.()
    leaves[0]?.()
    await tick()
    expect(order).toEqual([1, 2, 3])
    leaves[1]?.()
    leaves[2]?.()
    await tick()
    expect(order).toEqual([1, 2, 3, 4, 5])
  })
})

type Seen = {
  url: string
  signal: AbortSignal | null | undefined
  answer: (response: Response) => void
  fail: (error: unknown) => void
}

function environment(target: string | undefined, whenBack = () => Promise.resolve()) {
  const clock = testClock()
  const memory = new Map<string, string>()
  const seen: Seen[] = []
  const fake: typeof fetch = (input, init) =>
    new Promise((resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      seen.push({ url: String(input), signal: init?.signal, answer: resolve, fail: reject })
    })
  const place: NavigationEnvironment = {
    fetch: fake,
    here: () => 'http://h/now',
    memory: {
      getItem: (key) => memory.get(key) ?? null,
      setItem: (key, value) => void memory.set(key, value),
      removeItem: (key) => void memory.delete(key),
    },
    target: () => target,
    after: clock.after,
    whenBack,
  }
  return { clock, memory, seen, fetch: guardedFetch(place) }
}

const rsc = { headers: { rsc: '1' } }
const prefetch = { headers: { rsc: '1', 'next-router-prefetch': '1' } }

describe('guardedFetch', () => {
  it('never has more than four prefetches in flight; a slot is free when the body has been read', async () => {
    const { fetch, seen } = environment(undefined)
    const answers = [1, 2, 3, 4, 5, 6].map((id) => fetch(`http://h/p${id}?_rsc=1`, prefetch))
    await tick()
    expect(seen).toHaveLength(4)
    seen[0]?.answer(new Response('body', { headers: { 'content-type': 'text/x-component' } }))
    const first = await answers[0]
    await tick()
    expect(seen).toHaveLength(4)
    expect(await first?.text()).toBe('body')
    expect(first?.headers.get('content-type')).toBe('text/x-component')
    await tick()
    expect(seen).toHaveLength(5)
    seen[1]?.fail(new TypeError('reset'))
    await expect(answers[1]).rejects.toThrow('reset')
    await tick()
    expect(seen).toHaveLength(6)
  })

  it('fails a navigation without headers after 3.8 s, and leaves the same address alone the next time', async () => {
    const { fetch, seen, clock, memory } = environment('/slow')
    const first = fetch('http://h/slow?_rsc=1', rsc)
    await tick()
    clock.advance(3799)
    expect(memory.size).toBe(0)
    clock.advance(1)
    await expect(first).rejects.toThrow('route-load time-out')
    const second = fetch('http://h/slow?_rsc=1', rsc)
    await tick()
    clock.advance(60_000)
    expect(seen[1]?.signal).toBeUndefined()
    seen[1]?.answer(new Response('late'))
    expect(await (await second).text()).toBe('late')
    expect(memory.size).toBe(0)
  })

  it('lets an answer in time through', async () => {
    const { fetch, seen, clock, memory } = environment('/x')
    const answer = fetch('http://h/x?_rsc=1', rsc)
    await tick()
    clock.advance(3700)
    seen[0]?.answer(new Response('ok'))
    expect(await (await answer).text()).toBe('ok')
    clock.advance(10_000)
    expect(seen[0]?.signal?.aborted).toBe(false)
    expect(memory.size).toBe(0)
  })

  it('hands the caller’s own abort on', async () => {
    const { fetch, memory } = environment('/x')
    const stop = new AbortController()
    const answer = fetch('http://h/x', { ...rsc, signal: stop.signal })
    stop.abort(new Error('left'))
    await expect(answer).rejects.toThrow('left')
    expect(memory.size).toBe(0)
  })

  it('waits with a navigation while nothing answers, and counts its 3.8 s from then', async () => {
    let back = () => {}
    const { fetch, seen, clock, memory } = environment('/x', () => new Promise((resolve) => (back = resolve)))
    const answer = fetch('http://h/x?_rsc=1', rsc)
    await tick()
    clock.advance(60_000)
    expect([seen.length, memory.size]).toEqual([0, 0])
    back()
    await tick()
    clock.advance(3700)
    seen[0]?.answer(new Response('ok'))
    expect(await (await answer).text()).toBe('ok')
  })

  it('waits with a refresh while nothing answers', async () => {
    let back = () => {}
    const { fetch, seen } = environment(undefined, () => new Promise((resolve) => (back = resolve)))
    const answer = fetch('http://h/now?_rsc=1', rsc)
    await tick()
    expect(seen).toEqual([])
    back()
    await tick()
    seen[0]?.answer(new Response('fresh'))
    expect(await (await answer).text()).toBe('fresh')
  })

  const free: [string, string, RequestInit | undefined][] = [
    ['calls of the API', 'http://h/api/0/status/', undefined],
    ['a refresh of another page', 'http://h/other', rsc],
    ['a server action', 'http://h/x', { ...rsc, method: 'POST' }],
  ]
  it.each(free)('leaves %s alone', async (_name, url, init) => {
    const { fetch, seen, clock } = environment('/x')
    const answer = fetch(url, init)
    await tick()
    clock.advance(60_000)
    expect(seen[0]?.signal).toBeUndefined()
    seen[0]?.answer(new Response('ok'))
    expect(await (await answer).text()).toBe('ok')
  })
})
