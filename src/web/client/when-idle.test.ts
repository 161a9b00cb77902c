import { describe, expect, it } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { whenIdle } from './when-idle.ts'

type Step = ['wait', number] | 'work' | 'busy' | 'idle' | 'leave'

function play(steps: readonly Step[]): { atMs: number[]; watching: boolean } {
  const clock = testClock(0)
  const state = { busy: false, watching: false, worked: () => {} }
  const atMs: number[] = []
  const leave = whenIdle({ idleMs: 1000, atMostMs: 5000 }, () => atMs.push(clock.now()), {
    after: clock.after,
    isBusy: () => state.busy,
    watch: (run) => {
      Object.assign(state, { worked: run, watching: true })
      return () => Object.assign(state, { worked: () => {}, watching: false })
    },
  })
  for (const step of steps) {
    if (step === 'work') state.worked()
    else if (step === 'leave') leave()
    else if (typeof step === 'string') state.busy = step === 'busy'
    else clock.advance(step[1])
  }
  return { atMs, watching: state.watching }
}

describe('whenIdle', () => {
  const work = (times: number): Step[] => Array.from({ length: times }, (): Step[] => [['wait', 900], 'work']).flat()
  it.each<[string, Step[], number[], boolean]>([
    ['a page that does nothing', [['wait', 10_000]], [1000], false],
    ['not before', [['wait', 999]], [], true],
    ['work begins the pause anew', [['wait', 900], 'work', ['wait', 999]], [], true],
    ['and ends', [['wait', 900], 'work', ['wait', 1000]], [1900], false],
    ['a page that always works', [...work(8), ['wait', 9000]], [5000], false],
    ['a request without an answer', ['busy', ['wait', 2500], 'idle', ['wait', 600]], [3000], false],
    ['a request that is never answered', ['busy', ['wait', 60_000]], [5000], false],
    ['left', [['wait', 500], 'leave', 'work', ['wait', 60_000]], [], false],
  ])('%s', (_name, steps, atMs, watching) => {
    expect(play(steps)).toEqual({ atMs, watching })
  })
})
