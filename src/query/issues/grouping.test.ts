import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import type { SeenEvent } from '../../store/events/events.ts'
import type { EventPlace } from '../../store/events/newest.ts'
import type { Issue, Project } from '../../store/meta/meta.ts'
import { type GroupingDeps, issueHashesOf, previewOf, similarTo } from './grouping.ts'

const hashOf = (n: number) => n.toString(16).padStart(16, '0')
const issueOf = (id: number) =>
  ({ id, projectId: 1, shortId: `WEB-${id}`, title: '', culprit: '', lastSeenMs: 0 }) as Issue
const rowOf = ({ groupHash, jpos, timestampUs }: EventPlace) => {
  const payload = JSON.stringify({ findings: { title: `of ${groupHash}` } })
  return { projectId: 1, eventId: String(jpos), groupHash, jpos, timestampUs, payload } as SeenEvent
}
const placeOf = (n: number): EventPlace => ({ groupHash: hashOf(n), jpos: n, timestampUs: n })

/** Fake parts of an App. `read` records how many events each query requested. */
function rig(parts: {
  meta?: { projects?: object; issues?: object; merges?: object }
  events?: object
  explainMs?: number
}) {
  const read: number[] = []
  const passed = { ms: 0 }
  const deps = {
    clock: { ...systemClock, now: () => passed.ms },
    meta: {
      merges: { ...parts.meta?.merges },
      projects: { projectSettings: () => undefined, ...parts.meta?.projects },
      issues: { issueIdsOf: () => new Map(), issuesByIds: () => [], ...parts.meta?.issues },
    },
    events: {
      eventsAt: async (_: number, places: EventPlace[]) => {
        read.push(places.length)
        return places.map(rowOf)
      },
      ...parts.events,
    },
    grouping: {
      explain: () => {
        passed.ms += parts.explainMs ?? 0
        return { version: 1, hashes: [hashOf(1)], variants: [] }
      },
      featuresOf: (event: { findings: { title: string } }) => ({
        frames: [],
        types: [],
        words: [event.findings.title],
      }),
      likeness: () => ({ stack: 1, message: 1, score: 1 }),
    },
  } as unknown as GroupingDeps
  return { deps, read }
}

test('of 1,200 hashes those with most events are told, the first 100 with their newest event', async () => {
  const known = Array.from({ length: 1200 }, (_, n) => ({ hash: hashOf(n), mergedFrom: null }))
  const { deps, read } = rig({
    meta: { merges: { issueHashes: () => known } },
    events: {
      // The alphabetically last hash has the most events.
      countsOf: async (_: unknown, refs: { groupHash: string }[]) =>
        refs.map(({ groupHash }, n) => ({ groupHash, events: n, lastMs: 1 })),
      newestPlaces: async (_: number, hashes: string[]) => hashes.map((hash) => placeOf(Number.parseInt(hash, 16))),
    },
  })
  const told = await issueHashesOf(deps, issueOf(1))
  expect(told.map((item) => item.id)).toEqual(Array.from({ length: 500 }, (_, n) => hashOf(1199 - n)))
  expect(told.flatMap((item) => item.latestEvent?.title ?? [])).toHaveLength(100)
  expect(told[99]?.latestEvent?.title).toBe(`of ${hashOf(1100)}`)
  expect(read).toEqual([20, 20, 20, 20, 20])
})

test('similar issues: of each the newest event is read, whichever of its hashes that has', async () => {
  const { deps, read } = rig({
    meta: {
      merges: { similarCandidates: () => [2, 3, 4].map(issueOf) },
      // Ten hashes per issue; events have the last two. Issue 4 has none.
      issues: {
        hashesOf: (ids: number[]) =>
          new Map(ids.map((id) => [id, Array.from({ length: 10 }, (_, n) => hashOf(id * 10 + n))])),
      },
    },
    events: { newestPlaces: async () => [38, 39, 29, 28, 18, 19].map(placeOf) },
  })
  const found = await similarTo(deps, issueOf(1))
  expect(found.map((item) => item.issue.id)).toEqual(['2', '3'])
  expect(read).toEqual([3])
  const { deps: bare } = rig({
    meta: { merges: { similarCandidates: () => [issueOf(2)] }, issues: { hashesOf: () => new Map([[1, []]]) } },
    events: { newestPlaces: async () => [] },
  })
  expect(await similarTo(bare, issueOf(1))).toEqual([])
})

test('a preview looks at as many events as 5 s allow', async () => {
  const events = { lastPlaces: async (_: number, max: number) => Array.from({ length: max }, (_, n) => placeOf(n)) }
  const lookedAt = async (explainMs: number) =>
    (await previewOf(rig({ events, explainMs }).deps, { id: 1 } as Project, {})).looked
  expect([await lookedAt(0), await lookedAt(49), await lookedAt(500)]).toEqual([100, 100, 11])
})
