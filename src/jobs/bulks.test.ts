import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { systemClock, testClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { commit, effect, hash, nowMs, openTestMeta, withProject } from '../store/meta/fixture.cases.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { openSqliteMeta } from '../store/meta/sqlite.ts'
import { type BulkDeps, createBulks } from './bulks.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-bulks-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const change = { status: 'resolved' } as const
const itemsOf = (count: number) => Array.from({ length: count }, (_, at) => ({ issueId: at + 1, change }))
const many = (meta: MetaStore, count: number) =>
  commit(meta, { events: Array.from({ length: count }, (_, at) => effect({ hashes: [hash(at + 1)] })) })
const inMemory = async () => withProject(await openSqliteMeta(':memory:', { clock: systemClock, readers: 0 }))

/** Counts turns of the event loop until it is stopped. */
function otherWork() {
  const state = { turns: 0, on: true }
  const turn = () => {
    state.turns++
    if (state.on) setImmediate(turn)
  }
  setImmediate(turn)
  const stop = () => {
    state.on = false
  }
  return { turns: () => state.turns, stop }
}

/** Bulks that record how many turns other work had before each step. */
function watched(meta: MetaStore) {
  const others = otherWork()
  const seen: { step: string; turns: number }[] = []
  const noted =
    <Args extends unknown[], Result>(step: string, work: (...args: Args) => Result) =>
    (...args: Args): Result => {
      seen.push({ step, turns: others.turns() })
      return work(...args)
    }
  const bulks = createBulks({
    clock: systemClock,
    observe: silent,
    changed: () => undefined,
    meta: {
      ...meta,
      issues: {
        ...meta.issues,
        requestBulk: noted('ask', meta.issues.requestBulk),
        growBulk: noted('grow', meta.issues.growBulk),
        stepBulk: noted('step', meta.issues.stepBulk),
        dropBulks: noted('drop', meta.issues.dropBulks),
      },
    },
  })
  return { bulks, seen, stop: others.stop }
}
/** Turns of other work between one step and the next. */
const between = (seen: readonly { turns: number }[]) =>
  seen.slice(1).map((item, at) => item.turns - (seen[at]?.turns ?? 0))

describe('other work comes in between', () => {
  test('2,500 issues: each part that is noted down, and each step', async () => {
    const meta = await inMemory()
    await many(meta, 2500)
    const { bulks, seen, stop } = watched(meta)
    const { id } = await bulks.request({ organizationId: 1, userId: 'ann', items: itemsOf(2500) })
    await bulks.run()
    stop()
    expect(await meta.issues.bulkById(id)).toMatchObject({ total: 2500, done: 2500, changed: 2500 })
    expect(seen.slice(0, 3).map((item) => item.step)).toEqual(['ask', 'grow', 'grow'])
    const steps = seen.filter((item) => item.step === 'step')
    expect(steps.length).toBeGreaterThanOrEqual(2500 / 500)
    for (const turns of [...between(seen.slice(0, 3)), ...between(steps)]) expect(turns).toBeGreaterThan(0)
  })

  test('a merge of 300', async () => {
    const meta = await inMemory()
    await many(meta, 301)
    const { bulks, seen, stop } = watched(meta)
    const fromIds = Array.from({ length: 300 }, (_, at) => at + 2)
    const { id } = await bulks.merge({ organizationId: 1, userId: 'ann', intoId: 1, fromIds })
    await bulks.run()
    stop()
    expect(await meta.issues.bulkById(id)).toMatchObject({ total: 300, changed: 300, endedMs: expect.any(Number) })
    expect(await meta.issues.issueById(300)).toMatchObject({ id: 1, count: 301 })
    const steps = seen.filter((item) => item.step === 'step')
    expect(steps.length).toBeGreaterThan(2)
    for (const turns of between(steps)) expect(turns).toBeGreaterThan(0)
  })

  test('a bulk that is forgotten goes in parts', async () => {
    const meta = await inMemory()
    await many(meta, 2500)
    const old = systemClock.now() - 2 * 86_400_000
    const { id } = await meta.issues.requestBulk(
      { organizationId: 1, userId: 'ann', items: itemsOf(2500), more: true },
      old,
    )
    const { bulks, seen, stop } = watched(meta)
    await bulks.run()
    stop()
    expect([await meta.issues.bulkById(id), seen.length]).toEqual([undefined, 5])
    for (const turns of between(seen)) expect(turns).toBeGreaterThan(0)
  })
})

test('a bulk that still grows is not forgotten when the clock leaps ahead', async () => {
  const meta = await inMemory()
  await many(meta, 2500)
  const clock = testClock(nowMs)
  const pauses: (() => void)[] = []
  const sleep = () => new Promise<void>((resolve) => void pauses.push(resolve))
  const bulks = createBulks({ clock: { ...clock, sleep }, observe: silent, changed: () => undefined, meta })
  const asked = bulks.request({ organizationId: 1, userId: 'ann', items: itemsOf(2500) })
  clock.advance(2 * 86_400_000)
  const ran = bulks.run()
  const next = async () => {
    for (const resolve of pauses.splice(0)) resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (let turns = 0; turns < 50; turns++) await next()
  const { id } = await asked
  await ran
  for (let turns = 0; turns < 50; turns++) await next()
  expect(await meta.issues.bulkById(id)).toMatchObject({ total: 2500, changed: 2500, endedMs: expect.any(Number) })
})

/** Step sizes with a store that needs `msEach` of clock time per issue. */
async function sizesOf(msEach: number, total: number): Promise<number[]> {
  const clock = testClock(nowMs)
  const sizes: number[] = []
  const bulk = { id: 1, organizationId: 1, userId: null, total, done: 0, changed: 0, undone: false, createdMs: 0 }
  const left = () => total - sizes.reduce((sum, size) => sum + size, 0)
  const issues = {
    openBulks: () => (left() > 0 ? [{ ...bulk, endedMs: null }] : []),
    stepBulk: (_id: number, max: number) => {
      sizes.push(Math.min(max, left()))
      clock.advance(msEach * (sizes.at(-1) ?? 0))
      return { issueIds: [], bulk: { ...bulk, endedMs: null } }
    },
    dropBulks: () => false,
  }
  const meta = { issues } as unknown as BulkDeps['meta']
  await createBulks({
    observe: silent,
    meta,
    changed: () => undefined,
    clock: { ...clock, sleep: async () => undefined },
  }).run()
  return sizes
}

describe('how many issues a step takes', () => {
  test.each([
    ['a fast machine: more each time, to a bound', 0, [50, 100, 200, 400, 500, 500]],
    ['a slow one: as many as fit', 1, [50, 20, 20, 20]],
    ['a very slow one: never less than some', 100, [50, 5, 5, 5]],
    ['one that takes as long as it should: as many again', 0.3, [50, 50, 50, 50]],
  ])('%s', async (_name, msEach, sizes) => {
    expect((await sizesOf(msEach, 5000)).slice(0, sizes.length)).toEqual(sizes)
  })
})

describe('after a kill between two steps', () => {
  const reopened = (name: string) => openTestMeta(join(folder, name), { clock: systemClock })
  const bulksOf = (meta: MetaStore) =>
    createBulks({ clock: systemClock, observe: silent, meta, changed: () => undefined })

  test('a change goes on with the first issue that it had not reached, and its undo takes all back', async () => {
    const before = await withProject(await reopened('change.sqlite'))
    await many(before, 30)
    const { id } = await before.issues.requestBulk({ organizationId: 1, userId: 'ann', items: itemsOf(30) }, nowMs)
    await before.issues.stepBulk(id, 20, nowMs)
    await before.close()
    const meta = await reopened('change.sqlite')
    const states = async () =>
      (await meta.issues.listIssues({ projectIds: [1], sort: 'first', max: 99 })).map((issue) => issue.status)
    await bulksOf(meta).run()
    expect([new Set(await states()), (await meta.issues.bulkById(id))?.changed]).toEqual([new Set(['resolved']), 30])
    for (const item of [1, 30])
      expect((await meta.issues.activityOf(item)).filter(({ type }) => type === 'set_resolved').length).toBe(1)
    const bulks = bulksOf(meta)
    await bulks.undo(id)
    await bulks.run()
    expect(new Set(await states())).toEqual(new Set(['unresolved']))
    await meta.close()
  })

  test('a merge goes on, and is one whole', async () => {
    const before = await withProject(await reopened('merge.sqlite'))
    await many(before, 30)
    const fromIds = Array.from({ length: 29 }, (_, at) => at + 2)
    const { id } = await before.issues.requestMerge({ organizationId: 1, userId: 'ann', intoId: 1, fromIds }, nowMs)
    await before.issues.stepBulk(id, 10, nowMs)
    await before.close()
    const meta = await reopened('merge.sqlite')
    expect(await meta.issues.countIssues({ projectIds: [1] })).toBe(20)
    await bulksOf(meta).run()
    expect(await meta.issues.listIssues({ projectIds: [1], sort: 'first', max: 99 })).toMatchObject([
      { id: 1, count: 30 },
    ])
    expect((await meta.issues.activityOf(1)).filter(({ type }) => type === 'merge')).toMatchObject([
      { data: { count: 29 } },
    ])
    expect(await meta.snapshots.faults()).toEqual([])
    await meta.close()
  })
})
