import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createStoreState } from './store-state.ts'

const organization = (id: number) => ({ id, slug: `o${id}`, name: `O${id}`, createdMs: 0 })

test.each([
  ['an engine alone is not asked', [{ engine: true }], false, []],
  ['its tables make it whole', [{ engine: true }, { tables: true }], true, [true]],
  ['tables may come first', [{ tables: true }, { engine: true }], true, [true]],
  ['what is known already is not told again', [{ engine: true }, { tables: true }, { engine: true }], true, [true]],
  ['an engine that goes is told', [{ engine: true }, { tables: true }, { engine: false }], false, [true, false]],
])('%s', async (_, changes, up, told) => {
  const published: unknown[] = []
  const warnings: unknown[] = []
  const state = createStoreState(
    { publish: (id, change) => void published.push([id, change]) },
    { organizations: { organizations: async () => [organization(1), organization(2)] } },
    { warn: (...words) => void warnings.push(words) },
  )
  for (const change of changes) {
    state.update(change)
    await setImmediate()
  }
  expect(state.up()).toBe(up)
  const each = (entry: boolean) => [1, 2].map((id) => [id, { kind: 'engine', up: entry }])
  expect(published).toEqual(told.flatMap(each))
  expect(warnings).toEqual([])
})

test('organizations that cannot be read are reported, and the state has changed anyway', async () => {
  const warnings: unknown[] = []
  const state = createStoreState(
    { publish: () => undefined },
    { organizations: { organizations: () => Promise.reject(new Error('locked')) } },
    { warn: (value) => void warnings.push(value) },
  )
  state.update({ engine: true, tables: true })
  await setImmediate()
  expect([state.up(), warnings]).toEqual([true, [{ error: expect.stringContaining('locked') }]])
})
