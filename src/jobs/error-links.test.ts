import { expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import type { Issue } from '../store/meta/meta.ts'
import { errorEndsMax, limitErrorEnds, linkErrors } from './error-links.ts'
import { jobTable } from './jobs.ts'

function deps(left: number) {
  const state = { left, told: [] as number[][], bound: 0, faults: [] as string[], warned: [] as object[] }
  const meta = {
    errorLinks: {
      linkErrors: async (max: number) => {
        const looked = Math.min(max, state.left)
        state.left -= looked
        return {
          looked,
          decided: looked,
          linked: looked / 2,
          aside: 0,
          issueIds: looked > 0 ? [7, 8] : [],
          more: state.left > 0,
          ...(state.faults.length > 0 ? { aside: 1, fault: state.faults.shift() ?? '' } : {}),
        }
      },
      limitErrorEnds: async (max: number) => {
        state.bound = max
        return 3
      },
    },
    issues: {
      issuesByIds: async (ids: number[]) => ids.map((id) => ({ id }) as Issue),
    },
  }
  return { state, value: { clock: systemClock, observe: warns(state.warned), meta, changed: told(state.told) } }
}
const warns = (list: object[]) => ({ warn: (about: object) => void list.push(about) })
const told = (list: number[][]) => (issues: readonly Issue[]) => void list.push(issues.map((issue) => issue.id))

test('goes on until nothing is left, and tells each issue once', async () => {
  const { state, value } = deps(250)
  expect(await linkErrors(value)).toEqual({ checked: 250, linked: 125, failed: 0 })
  expect([state.left, state.told]).toEqual([0, [[7, 8]]])
})

test('tells nobody when nothing came, and leaves a flood for the next run', async () => {
  const { state, value } = deps(0)
  expect([await linkErrors(value), state.told]).toEqual([{ checked: 0, linked: 0, failed: 0 }, []])
  const flood = deps(100_000)
  expect((await linkErrors(flood.value)).checked).toBe(5000)
})

test('says how many could not be looked at, and why the first could not', async () => {
  const { state, value } = deps(250)
  state.faults.push('a', 'b')
  const run = { checked: 250, linked: 125, failed: 2, reason: 'a' }
  expect([await linkErrors(value), state.warned]).toEqual([run, [run]])
  expect(await linkErrors(value)).toMatchObject({ failed: 0 })
  expect(state.warned).toHaveLength(1)
})

test('both run by the clock, and rows are bounded', async () => {
  const { state, value } = deps(0)
  expect([await limitErrorEnds(value), state.bound]).toEqual([{ gone: 3 }, errorEndsMax])
  expect(jobTable.flatMap(({ name, everyMs }) => (name.startsWith('failure') ? [[name, everyMs]] : []))).toEqual([
    ['failures', 1000],
    ['failure-rows', 60_000],
  ])
})
