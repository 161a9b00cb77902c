import { describe, expect, it } from 'vitest'
import { testClock } from '../../base/clock.ts'
import type { LiveChange } from '../../contract/live.ts'
import { type LiveEnvironment, type LiveLine, type LiveMessage, liveMessage, startLiveLine } from './live-rules.ts'

describe('liveMessage', () => {
  const cases: [string, string, string, unknown][] = [
    ['a change', '12', '{"kind":"issue","id":"3"}', { kind: 'change', id: 12, change: { kind: 'issue', id: '3' } }],
    [
      'without an id',
      '',
      '{"kind":"engine","up":false}',
      { kind: 'change', id: 0, change: { kind: 'engine', up: false } },
    ],
    [
      'the database is away',
      '',
      '{"kind":"database","up":false}',
      { kind: 'change', id: 0, change: { kind: 'database', up: false } },
    ],
    [
      'the database is back, after a change whose id the browser repeats',
      '57',
      '{"kind":"database","up":true}',
      { kind: 'change', id: 0, change: { kind: 'database', up: true } },
    ],
    ['too much happened', '9', '{"kind":"missed"}', { kind: 'change', id: 9, change: { kind: 'missed' } }],
    ['an unknown kind', '1', '{"kind":"spell"}', undefined],
    ['no JSON', '1', 'x', undefined],
    ['null', '1', 'null', undefined],
    ['a number', '1', '7', undefined],
  ]
  it.each(cases)('%s', (_name, id, data, message) => expect(liveMessage(id, data)).toEqual(message))
})

type Stream = { since: number; on: Parameters<LiveEnvironment['open']>[1]; closed: boolean }

/** Tabs of one browser: one lock, one channel, and the streams that they open. */
function browser() {
  const clock = testClock(0)
  const streams: Stream[] = []
  const queue: (() => void)[] = []
  let holder: object | undefined
  const tabs = new Map<object, LiveLine>()

  function open(since: number) {
    const me = {}
    const early: LiveMessage[] = []
    const heard: [number, LiveChange['kind']][] = []
    const state = { up: true }
    const take = (hold: (waited: boolean) => Promise<void>, waited: boolean) => {
      holder = me
      void hold(waited).then(() => {
        holder = undefined
        queue.shift()?.()
      })
    }
    const environment: LiveEnvironment = {
      scheduleRetry: clock.after,
      whenIdle: (run) => clock.after(1000, run),
      post: (message: LiveMessage) => {
        // A real channel delivers later, never to a tab that is still starting.
        if (!tabs.has(me)) return void early.push(message)
        for (const [other, line] of [...tabs]) if (other !== me) line.receive(message)
      },
      open: (lastId, on) => {
        const stream: Stream = { since: lastId, on, closed: false }
        streams.push(stream)
        return () => {
          stream.closed = true
        }
      },
      lock: (hold) => {
        if (holder) queue.push(() => take(hold, true))
        else take(hold, false)
      },
    }
    const line = startLiveLine(environment, since, {
      change: (change, id) => heard.push([id, change.kind]),
      up: (up) => Object.assign(state, { up }),
    })
    tabs.set(me, line)
    for (const message of early) environment.post(message)
    const close = async () => {
      tabs.delete(me)
      line.stop()
      await Promise.resolve()
    }
    return { line, heard, state, close }
  }
  const say = (id: number, change: LiveChange = { kind: 'issue', id: String(id) }) =>
    streams.find((stream) => !stream.closed)?.on.message(String(id), JSON.stringify(change))
  return { clock, streams, open, say, since: () => streams.map((stream) => stream.since) }
}

describe('the live line', () => {
  it('opens behind the id of the document when the page has become quiet', () => {
    const { clock, since, open, say } = browser()
    const tab = open(40)
    clock.advance(999)
    expect(since()).toEqual([])
    clock.advance(1)
    expect(since()).toEqual([40])
    say(41)
    say(42)
    say(42)
    expect(tab.heard).toEqual([
      [41, 'issue'],
      [42, 'issue'],
    ])
    expect(tab.line.lastId()).toBe(42)
  })

  it('opens at once where somebody waits for the first change, and once', () => {
    const { clock, since, open } = browser()
    const tab = open(40)
    tab.line.openNow()
    tab.line.openNow()
    clock.advance(60_000)
    expect(since()).toEqual([40])
  })

  it('opens at once when another tab waits, though this one holds the lock', () => {
    const { since, open } = browser()
    open(40)
    open(40).line.openNow()
    expect(since()).toEqual([40])
  })

  it('goes on in another tab at once, behind the last id that was told', async () => {
    const { clock, streams, since, open, say } = browser()
    const first = open(40)
    const second = open(40)
    clock.advance(1000)
    say(41)
    await first.close()
    expect([since(), streams[0]?.closed]).toEqual([[40, 41], true])
    say(42)
    expect([first.heard.length, second.heard.length]).toEqual([1, 2])
  })

  it('does not repeat what a later tab has in its document', () => {
    const { clock, open, say } = browser()
    open(40)
    const later = open(45)
    clock.advance(1000)
    for (let id = 41; id <= 46; id++) say(id)
    expect(later.heard).toEqual([[46, 'issue']])
  })

  it('tells a tab that came late that it missed what was told while it loaded', () => {
    const { clock, open, say } = browser()
    const first = open(40)
    clock.advance(1000)
    say(41)
    const inTime = open(41)
    const late = open(40)
    expect([inTime.heard, late.heard]).toEqual([[], [[41, 'missed']]])
    say(42)
    expect([first.heard.length, inTime.heard.length, late.heard.length]).toEqual([2, 1, 2])
  })

  it('begins anew with the ids of another start of the server', () => {
    const { clock, open, say } = browser()
    const tab = open(4000)
    clock.advance(1000)
    say(900, { kind: 'missed' })
    say(901)
    expect(tab.heard).toEqual([
      [900, 'missed'],
      [901, 'issue'],
    ])
  })

  it('opens a broken stream again after 2 s behind the last id, and says so to all tabs', () => {
    const { clock, streams, since, open, say } = browser()
    const first = open(40)
    const second = open(40)
    clock.advance(1000)
    say(41)
    streams[0]?.on.down()
    expect([first.state.up, second.state.up, streams[0]?.closed]).toEqual([false, false, true])
    clock.advance(1999)
    expect(streams).toHaveLength(1)
    clock.advance(1)
    expect(since()).toEqual([40, 41])
    streams[1]?.on.up()
    expect([first.state.up, second.state.up]).toEqual([true, true])
  })

  it('opens nothing after its end', async () => {
    const { clock, streams, open } = browser()
    const tab = open(40)
    await tab.close()
    tab.line.openNow()
    clock.advance(60_000)
    expect(streams).toHaveLength(0)
  })
})
