import { describe, expect, it } from 'vitest'
import { testClock } from '../../../base/clock.ts'
import type { LiveChange } from '../../../contract/live.ts'
import { createLiveRows } from './live-rows.ts'

const events = (...ids: string[]): LiveChange => ({
  kind: 'events',
  projects: [{ id: '1', issues: ids.map((id) => ({ id, events: 2, isNew: false })) }],
})

/** A list with the issue "known". `visible` are the ids that its filter shows. */
function list(visible: string[] = []) {
  const clock = testClock(1_000_000)
  const known = new Set(['known'])
  const looks: number[] = []
  const reloads: number[] = []
  const counted: [number, [string, number][]][] = []
  const renewed: string[][] = []
  const state: { failing: boolean; held: Promise<void> | undefined } = { failing: false, held: undefined }
  const live = createLiveRows({
    clock,
    knownIds: () => known,
    includesProject: (id) => id === '1',
    countUp: (counts) => counted.push([clock.now() - 1_000_000, [...counts]]),
    renew: (ids) => renewed.push([...ids]),
    fetchNewest: async () => {
      looks.push(clock.now() - 1_000_000)
      await state.held
      if (state.failing) throw new Error('away')
      const news = visible.filter((id) => !known.has(id))
      for (const id of news) known.add(id)
      return news.length > 0
    },
    reload: async () => {
      reloads.push(clock.now() - 1_000_000)
      return false
    },
  })
  /** Advances time in steps of 50 ms and sends the change every 100 ms. */
  const run = async (ms: number, change?: (atMs: number) => LiveChange) => {
    for (let atMs = 0; atMs < ms; atMs += 50) {
      if (change && atMs % 100 === 0) live.handle(change(atMs))
      await new Promise((resolve) => setImmediate(resolve))
      clock.advance(50)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { live, clock, known, visible, looks, reloads, counted, renewed, state, run }
}

describe('rows kept fresh by the live stream', () => {
  it('counts known rows up every 250 ms without a request, and refreshes them every 5 s', async () => {
    const { run, looks, counted } = list()
    await run(1000, () => events('known'))
    expect(counted.map(([atMs]) => atMs)).toEqual([0, 250, 500, 750, 1000])
    expect(counted.reduce((sum, [, item]) => sum + (item[0]?.[1] ?? 0), 0)).toBe(20)
    expect(looks).toEqual([])
    looks.length = 0
    await run(20_000, () => events('known'))
    expect(looks).toHaveLength(4)
  })

  it('looks for news at once, and within 250 ms of the last look while looks bring some', async () => {
    const { run, looks, visible } = list()
    let id = 0
    await run(2000, () => {
      visible.push(String(++id))
      return events(String(id))
    })
    expect(looks.slice(0, 4)).toEqual([0, 250, 500, 750])
  })

  it('doubles the pause up to 10 s while the filter hides all that happens', async () => {
    const { run, looks } = list()
    let id = 0
    await run(60_000, () => events(`hidden-${id++}`))
    expect(looks).toHaveLength(10)
    const pauses = looks.slice(1).map((atMs, at) => atMs - (looks[at] ?? 0))
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000, 10_000])
  })

  it('finds news within a second beside one issue that is hidden and never silent', async () => {
    const { run, looks, visible, known } = list()
    await run(60_000, () => events('archived'))
    expect(looks.length).toBeLessThanOrEqual(7)
    visible.push('new')
    await run(1000, () => events('archived', 'new'))
    expect(known.has('new')).toBe(true)
  })

  it('looks every 250 ms again after one brought a row', async () => {
    const { run, looks, visible } = list()
    let id = 0
    await run(20_000, () => events(`hidden-${id++}`))
    visible.push('new')
    await run(20_000, () => events('new', `hidden-${id++}`))
    const at = looks.findIndex((ms) => ms >= 20_000)
    expect((looks[at + 1] ?? 0) - (looks[at] ?? 0)).toBe(250)
  })

  it('looks at once when the person acts', async () => {
    const { live, run, looks } = list()
    let id = 0
    await run(30_000, () => events(`hidden-${id++}`))
    const before = looks.length
    live.acted()
    await run(100)
    expect(looks).toHaveLength(before + 1)
    live.acted()
    await run(300)
    expect(looks).toHaveLength(before + 1)
  })

  it('a look that ends after the person acted does not lengthen the pause that this made short', async () => {
    const { live, clock, run, looks, state } = list()
    let id = 0
    await run(20_000, () => events(`hidden-${id++}`))
    const answer = Promise.withResolvers<void>()
    state.held = answer.promise
    const before = looks.length
    while (looks.length === before) await run(100, () => events(`hidden-${id++}`))
    live.acted()
    live.handle(events('later'))
    answer.resolve()
    state.held = undefined
    const endedMs = clock.now() - 1_000_000
    await run(1000)
    // Without the action the next request would come 10 s after this one.
    expect(looks).toHaveLength(before + 2)
    expect((looks[before + 1] ?? 0) - endedMs).toBeLessThanOrEqual(250)
  })

  it.each<[string, LiveChange, number]>([
    ['the engine is back', { kind: 'engine', up: true }, 1],
    ['the engine is away', { kind: 'engine', up: false }, 0],
    ['a known issue was changed', { kind: 'issue', id: 'known' }, 0],
    ['an issue was changed that the list does not have', { kind: 'issue', id: 'reopened' }, 1],
    [
      'another project had events',
      { kind: 'events', projects: [{ id: '2', issues: [{ id: '9', events: 1, isNew: true }] }] },
      0,
    ],
  ])('%s', async (_name, change, count) => {
    const { live, run, looks, renewed } = list()
    live.handle(change)
    live.handle(change)
    await run(20_000)
    expect(looks).toHaveLength(count)
    expect(renewed).toEqual(change.kind === 'issue' && change.id === 'known' ? [['known']] : [])
  })

  it('brings an issue that somebody reopened', async () => {
    const { live, run, visible, known } = list()
    visible.push('reopened')
    live.handle({ kind: 'issue', id: 'reopened' })
    await run(300)
    expect(known.has('reopened')).toBe(true)
  })

  it('asks for every row again when nobody can say which changed, at most once a second', async () => {
    const { live, run, looks, reloads } = list()
    live.handle({ kind: 'missed' })
    await run(100)
    expect(reloads).toEqual([0])
    await run(3000, () => ({ kind: 'missed' }))
    await run(10_000)
    expect(reloads).toEqual([0, 1000, 2000, 3000, 4000])
    expect(looks).toEqual([])
  })

  it('backs off from a store that is away, and does nothing after its end', async () => {
    const { live, run, looks, state, known } = list(['new'])
    state.failing = true
    let id = 0
    await run(10_000, () => events('new', `hidden-${id++}`))
    expect(looks).toHaveLength(5)
    state.failing = false
    await run(12_000)
    expect(known.has('new')).toBe(true)
    live.stop()
    looks.length = 0
    await run(30_000, () => events('new', 'known'))
    expect(looks).toEqual([])
  })
})
