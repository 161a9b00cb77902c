import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import type { EventStore } from '../store/events/event-store.ts'
import { commit, effect, hash, nowMs, withProject } from '../store/meta/fixture.cases.ts'
import { openSqliteMeta } from '../store/meta/sqlite.ts'
import type { QueryDeps } from './issues/issue.ts'
import { issueVolume } from './volume.ts'

const hourMs = 3_600_000
const levels = ['fatal', 'warning', 'info', 'error']
const fromMs = Math.floor(nowMs / hourMs) * hourMs - 24 * hourMs

/** Four issues, one of each level. Each group has an event in the first hour; a filter finds one more. */
async function opened() {
  const meta = await withProject(await openSqliteMeta(':memory:', { clock: testClock(nowMs), readers: 0 }))
  await commit(meta, {
    events: levels.map((level, at) => effect({ hashes: [hash(at + 1)], level, eventId: hash(at + 1).repeat(2) })),
  })
  const asked: { filter: unknown; hashes: string[][] }[] = []
  const volumeOf: EventStore['volumeOf'] = async (_scope, _bucketMs, sets, filter) => {
    asked.push({ filter, hashes: sets.map((set) => set.map((group) => group.groupHash)) })
    return sets.map((set) => (set.length ? [{ startMs: fromMs, events: set.length + (filter ? 1 : 0) }] : []))
  }
  const deps = {
    meta,
    clock: testClock(nowMs),
    events: { volumeOf },
    config: { url: 'http://x' },
    auth: { personByEmail: () => undefined },
  } as unknown as QueryDeps
  const [project] = await meta.projects.projectsOf(1)
  if (!project) throw new Error('no project')
  const organization = { id: 1, slug: 'acme', name: 'Acme', createdMs: 0 }
  const view = {
    organization,
    projects: [project],
    environments: [],
    range: { fromMs, toMs: fromMs + 24 * hourMs, period: 'range' },
  }
  return { deps, view, asked }
}

test('the volume has all buckets of the range, and the levels of the issues', async () => {
  const { deps, view, asked } = await opened()
  const volume = await issueVolume(deps, { ...view, query: 'is:unresolved' })
  expect(volume.interval).toBe(3600)
  expect(volume.buckets).toHaveLength(24)
  expect(volume.buckets[0]).toEqual({ start: fromMs / 1000, error: 2, warning: 1, other: 1 })
  expect(volume.buckets[1]).toMatchObject({ error: 0, warning: 0, other: 0 })
  expect(volume.truncated).toBe(false)
  expect(asked[0]?.hashes.map((set) => set.toSorted())).toEqual([[hash(1), hash(4)].toSorted(), [hash(2)], [hash(3)]])
})

test('branches of a query are not added up', async () => {
  const { deps, view, asked } = await opened()
  const volume = await issueVolume(deps, { ...view, query: 'release:1 OR is:unresolved' })
  expect(asked).toHaveLength(2)
  expect(volume.buckets[0]).toMatchObject({ error: 3, warning: 2, other: 2 })
})

test.each([['is:resolved'], ['project:other']])('%s finds nothing', async (query) => {
  const { deps, view } = await opened()
  const volume = await issueVolume(deps, { ...view, query })
  expect(volume.buckets.every(({ error, warning, other }) => error + warning + other === 0)).toBe(true)
})

test('a wrong query is refused', async () => {
  const { deps, view } = await opened()
  await expect(issueVolume(deps, { ...view, query: 'is:lost' })).rejects.toMatchObject({ code: 'QUERY_TYPE' })
})
