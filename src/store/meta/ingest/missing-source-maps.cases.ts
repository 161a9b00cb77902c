import { expect, test } from 'vitest'
import { commit, effect, hash, nowMs } from '../fixture.cases.ts'
import type { EventEffect } from '../meta.ts'
import type { MetaStore } from '../meta-store.ts'
import { debugName, missingMapsMax, releaseName } from './missing-source-maps.ts'

const debugId = 'b500f860-0003-523c-92ab-92705ede040b'

/** An event of the minified group. Its number, time and position derive from `n`. */
const event = (n: number, more: Partial<EventEffect> = {}): EventEffect =>
  effect({
    title: 'TypeError: t is undefined',
    culprit: 'n(app.min)',
    hashes: [hash(1)],
    eventId: n.toString(16).padStart(32, '0'),
    jpos: n,
    timestampMs: nowMs + n,
    ...more,
  })

const rewrite = {
  projectId: 1,
  week: '2026-11-16',
  gen: 0,
  positions: [1],
  from: [hash(1)],
  to: [hash(2)],
  hours: [0],
  token: 't',
}

async function bundle(meta: MetaStore, release: string, ids: string[], n = 1) {
  const files = ids.map((id, at) => ({
    entry: `${at}`,
    type: 'minified_source' as const,
    debugId: id,
    url: `~/${at}.js`,
    headers: {},
    bytes: 1,
    at: 0,
    packed: 1,
    method: 0,
    crc: 0,
  }))
  const whole = { organizationId: 1, uuid: `u${n}`, checksum: `c${n}`, kind: 'bundle' as const, blobKey: `b${n}` }
  return meta.artifacts.addBundle({ ...whole, bytes: 1, createdMs: nowMs }, files, [
    { projectId: 1, release, dist: '' },
  ])
}

/** Cases of missing source maps, for every meta store. */
export function missingMapCases(fresh: () => Promise<MetaStore>): void {
  test('groups that missed a debug id or a release are found when it comes, and not before', async () => {
    const meta = await fresh()
    await commit(meta, {
      events: [
        event(7, { misses: [debugName(debugId), releaseName('shop@1', '')] }),
        event(5, { misses: [releaseName('shop@1', '')] }),
        event(8, { hashes: [hash(2)], misses: [releaseName('shop@1', 'ios')] }),
        event(9, { hashes: [hash(3)], misses: ['l'] }),
      ],
    })
    expect(await meta.artifacts.arrivals()).toEqual([])
    const [item, two, three] = [
      await bundle(meta, 'shop@1', [], 1),
      await bundle(meta, '', [debugId], 2),
      await bundle(meta, 'x', [], 3),
    ]
    expect(await meta.artifacts.arrivals()).toEqual([{ projectId: 1, bundleIds: [item.id, two.id, three.id] }])
    const [byDebug, byRelease] = [debugName(debugId), releaseName('shop@1', '')]
    // Noted once per group, from its first event on.
    expect(await meta.artifacts.missingMapsInBundles(1, [item.id])).toEqual([
      { groupHash: hash(1), names: [byRelease], fromJpos: 7 },
    ])
    expect(await meta.artifacts.missingMapsInBundles(1, [two.id])).toEqual([
      { groupHash: hash(1), names: [byDebug], fromJpos: 7 },
    ])
    expect(await meta.artifacts.missingMapsInBundles(1, [three.id])).toEqual([])
    expect(await meta.artifacts.missingMapsInBundles(2, [item.id, two.id])).toEqual([])
    expect([await meta.artifacts.lateProjects(nowMs), await meta.artifacts.lateProjects(nowMs + 1)]).toEqual([[], [1]])
    expect((await meta.artifacts.missingMapsOf(1, ['l'])).map((group) => group.groupHash)).toEqual([hash(3)])
    await meta.artifacts.dropArrivals(1, [item.id, three.id], nowMs + 1)
    expect(await meta.artifacts.arrivals()).toEqual([{ projectId: 1, bundleIds: [two.id] }])
    // The same bundle arrives again for another release.
    await meta.artifacts.linkBundle(item.id, [{ projectId: 1, release: 'shop@1', dist: 'ios' }], nowMs + 5)
    await meta.artifacts.dropArrivals(1, [item.id], nowMs + 5)
    expect(
      (await meta.artifacts.missingMapsInBundles(1, (await meta.artifacts.arrivals())[0]?.bundleIds ?? []))
        .map((group) => group.groupHash)
        .sort(),
    ).toEqual([hash(1), hash(2)])
  })

  test('what is no longer missed is forgotten, but for what came meanwhile or still is', async () => {
    const meta = await fresh()
    const names = [releaseName('a', ''), releaseName('b', '')]
    await commit(meta, { events: [event(1, { misses: names }), event(2, { hashes: [hash(2)], misses: names })] })
    expect(await meta.artifacts.missingMapsOf(1)).toHaveLength(2)
    await commit(meta, { events: [event(3, { hashes: [hash(2)], misses: names.slice(1) })] }, nowMs + 9)
    await meta.artifacts.clearMissingMaps({
      projectId: 1,
      groups: [1, 2].map((n) => ({ groupHash: hash(n), names })),
      beforeMs: nowMs + 5,
      stillMissing: new Set([`${names[0]} ${hash(1)}`]),
    })
    const left = (await meta.artifacts.missingMapsOf(1)).map((item) => [item.groupHash, item.names])
    expect(left).toEqual([
      [hash(1), names.slice(0, 1)],
      [hash(2), names.slice(1)],
    ])
    expect(await meta.artifacts.missingMapCounts(1)).toEqual({ quantity: 2, refused: 0, refusedMs: null })
    await commit(meta, { events: [event(4, { misses: names })] }, nowMs + 10)
    expect((await meta.artifacts.missingMapCounts(1)).quantity).toBe(3)
    expect(await meta.artifacts.pruneMissingMaps(nowMs + 9)).toBe(0)
    expect(await meta.artifacts.pruneMissingMaps(nowMs + 10)).toBe(1)
    expect((await meta.artifacts.missingMapCounts(1)).quantity).toBe(2)
  })

  test('a flood of made-up ids fills its own project only, is told, and makes room when it is over', async () => {
    const meta = await fresh()
    await meta.projects.createProject({ organizationId: 1, slug: 'api', name: 'Api', platform: null })
    for (let n = 0; n < missingMapsMax + 7; n += 5000)
      await commit(meta, {
        events: Array.from({ length: Math.min(5000, missingMapsMax + 7 - n) }, (_, at) =>
          event(1, { misses: [`d:${n + at}`] }),
        ),
      })
    expect(await meta.artifacts.missingMapCounts(1)).toEqual({ quantity: missingMapsMax, refused: 7, refusedMs: nowMs })
    await commit(meta, { events: [event(2, { projectId: 2, misses: ['d:x'] })] })
    expect(await meta.artifacts.missingMapCounts(2)).toEqual({ quantity: 1, refused: 0, refusedMs: null })
    // Once the check interval is over, notes that were unused for a day are evicted.
    await commit(meta, { events: [event(2, { misses: ['d:after'] })] }, nowMs + 2 * 86_400_000)
    expect(await meta.artifacts.missingMapCounts(1)).toEqual({
      quantity: missingMapsMax - 999,
      refused: 1007,
      refusedMs: nowMs + 2 * 86_400_000,
    })
    expect(await meta.artifacts.missingMapsOf(1, ['d:after'])).toHaveLength(1)
    // An existing note stays recent.
    await commit(meta, { events: [event(3, { misses: ['d:1'] })] }, nowMs + 30 * 86_400_000)
    expect(await meta.artifacts.pruneMissingMaps(nowMs + 1)).toBeGreaterThan(missingMapsMax - 1001)
    expect(await meta.artifacts.missingMapCounts(1)).toEqual({ quantity: 2, refused: 0, refusedMs: null })
  })

  test('a project takes its notes with it', async () => {
    const meta = await fresh()
    await commit(meta, { events: [event(1, { misses: ['d:x'] })] })
    await bundle(meta, '', [debugId])
    await meta.retention.planReprocessStep((await meta.retention.beginReprocessing(1, 'upload', 1)).id, rewrite)
    const { id } = await meta.retention.requestRemoval({ kind: 'project', projectId: 1, issueId: null, userId: null })
    await meta.retention.removeRows(id, 1)
    expect([
      await meta.artifacts.missingMapsOf(1),
      await meta.artifacts.arrivals(),
      await meta.retention.reprocessingRuns(9),
      await meta.retention.reprocessingSteps(),
    ]).toEqual([[], [], [], []])
    expect(await meta.snapshots.faults()).toEqual([])
  })
}
