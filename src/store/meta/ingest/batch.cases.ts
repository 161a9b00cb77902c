import { expect, test } from 'vitest'
import { commit, effect, hash, nowMs, stored } from '../fixture.cases.ts'
import type { EventEffect } from '../meta.ts'
import type { MetaStore } from '../meta-store.ts'
import { scrapeName } from '../projects/scrape.ts'

export function commitCases(fresh: () => Promise<MetaStore>): void {
  test('one batch: issue, counters, release, environment, digest, key, project, cursor', async () => {
    const meta = await fresh()
    const result = await commit(meta, {
      events: [
        effect({ release: 'web@1', timestampMs: nowMs - 10 }),
        effect({
          release: 'web@2',
          title: 'later',
          digest: '2774530904',
          unhandled: true,
          metadata: { type: 'RangeError' },
        }),
        effect({ release: 'web@0', timestampMs: nowMs - 99, title: 'older', environment: 'staging' }),
      ],
      outcomes: [stored, stored, { ...stored, outcome: 'invalid', reason: 'bad_json' }],
    })
    expect(result.issues).toEqual([
      { id: 1, projectId: 1, organizationId: 1, events: 3, isNew: true, regressed: false },
    ])
    expect(await meta.issues.issueById(1)).toMatchObject({
      shortId: 'WEB-1',
      count: 3,
      title: 'later',
      metadata: { type: 'RangeError' },
      firstSeenMs: nowMs - 99,
      lastSeenMs: nowMs,
      firstRelease: 'web@0',
      lastRelease: 'web@2',
      unhandled: true,
      status: 'unresolved',
      substatus: 'new',
    })
    expect((await meta.issues.activityOf(1)).map((item) => item.type)).toEqual(['first_seen'])
    expect(await meta.issues.digestsOf(1)).toEqual(['2774530904'])
    expect(await meta.issues.issuesOfDigest([1], '2774530904')).toMatchObject([{ issueId: 1, lastMs: nowMs }])
    expect(await meta.issues.issuesOfDigest([2], '2774530904')).toEqual([])
    expect(await meta.issues.environmentsOf([1])).toEqual(['production', 'staging'])
    expect((await meta.issues.releasesOf([1], 10)).map((release) => release.version)).toEqual([
      'web@2',
      'web@1',
      'web@0',
    ])
    expect((await meta.projects.projectById(1))?.firstEventMs).toBe(nowMs + 5)
    expect((await meta.projects.keysOf(1))[0]?.lastUsedMs).toBe(nowMs + 5)
    expect(await meta.batches.cursor('events')).toBe(100)
    expect(await meta.batches.openBatches()).toEqual([])
    expect(
      (await meta.ledger.outcomesSince({ fromMs: nowMs })).map((row) => [
        row.outcome,
        row.reason,
        row.quantity,
        row.bytes,
      ]),
    ).toEqual([
      ['invalid', 'bad_json', 1, 100],
      ['stored', 'ok', 2, 200],
    ])
  })

  test('a release that only sessions name is there with its environment, and makes no issue', async () => {
    const meta = await fresh()
    const use = { projectId: 1, release: 'web@7', environment: 'canary', firstMs: nowMs - 60_000, lastMs: nowMs - 10 }
    const result = await commit(meta, {
      events: [effect({ release: 'web@6', timestampMs: nowMs - 99_000 })],
      releases: [use, { ...use, release: '', firstMs: nowMs, lastMs: nowMs }, { ...use, projectId: 999 }],
    })
    expect(result.issues).toHaveLength(1)
    expect(await meta.releases.releaseOf([1], 'web@7')).toMatchObject({
      firstEventMs: nowMs - 60_000,
      lastEventMs: nowMs - 10,
    })
    expect(await meta.releases.releaseOf([999], 'web@7')).toBeUndefined()
    expect(await meta.issues.environmentsOf([1])).toEqual(['canary', 'production'])
    expect((await meta.releases.releaseEnvironments([1], ['web@7'], 10)).get('web@7')).toEqual(['canary'])
    expect((await meta.issues.releasesOf([1], 10)).map((release) => release.version)).toEqual(['web@7', 'web@6'])
  })

  test('a hash that another issue owns stays there, however often one batch names it', async () => {
    const meta = await fresh()
    await commit(meta, { events: [effect({ hashes: [hash(1)] }), effect({ hashes: [hash(2)] })] })
    const both = effect({ hashes: [hash(1), hash(2)] })
    const result = await commit(meta, {
      events: [both, effect({ hashes: [hash(2)] }), both, effect({ hashes: [hash(2)] })],
    })
    expect(result.issues.map((issue) => [issue.id, issue.events])).toEqual([
      [1, 2],
      [2, 2],
    ])
    expect([(await meta.issues.issueById(1))?.count, (await meta.issues.issueById(2))?.count]).toEqual([3, 3])
    expect([...(await meta.issues.hashesOf([1, 2]))]).toEqual([
      [1, [hash(1)]],
      [2, [hash(2)]],
    ])
  })

  test('counters go on over batches, and other issues get the next short id', async () => {
    const meta = await fresh()
    await commit(meta, { events: [effect(), effect()] })
    const result = await commit(meta, { events: [effect(), effect({ hashes: [hash(2)] })] })
    expect(result.issues.map((issue) => [issue.id, issue.events, issue.isNew])).toEqual([
      [1, 1, false],
      [2, 1, true],
    ])
    expect([(await meta.issues.issueById(1))?.count, (await meta.issues.issueById(2))?.shortId]).toEqual([3, 'WEB-2'])
  })

  test.each<{ says: string; events: string[][]; issues: [string, number][] }>([
    {
      says: 'the first known hash wins',
      events: [['1'], ['2'], ['2', '1']],
      issues: [
        ['1', 1],
        ['2', 2],
      ],
    },
    {
      says: 'other hashes are attached',
      events: [['1', '2', '3'], ['3'], ['9', '2']],
      issues: [
        ['1', 1],
        ['2', 1],
        ['3', 1],
        ['9', 1],
      ],
    },
    {
      says: 'a hash of another issue is not taken away',
      events: [['1'], ['2'], ['3', '2', '1']],
      issues: [
        ['3', 2],
        ['1', 1],
        ['2', 2],
      ],
    },
  ])('hashes: $says', async ({ events, issues }) => {
    for (const batches of [[events], events.map((event) => [event])]) {
      const meta = await fresh()
      for (const batch of batches)
        await commit(meta, {
          events: batch.map((hashes) => effect({ hashes: hashes.map((item) => hash(Number(item))) })),
        })
      const found = await meta.issues.issueIdsOf([
        ...issues.map(([item]) => ({ projectId: 1, groupHash: hash(Number(item)) })),
        { projectId: 1, groupHash: hash(77) },
        { projectId: 2, groupHash: hash(1) },
      ])
      expect(found).toEqual(new Map(issues.map(([item, id]) => [`1:${hash(Number(item))}`, id])))
      const owned = [...(await meta.issues.hashesOf([1, 2]))].flatMap(([id, hashes]) =>
        hashes.map((item) => `${item}=${id}`),
      )
      expect(owned.sort()).toEqual(issues.map(([item, id]) => `${hash(Number(item))}=${id}`).sort())
    }
  })

  test('the same hash in two projects is two issues', async () => {
    const meta = await fresh()
    await meta.projects.createProject({ organizationId: 1, slug: 'api', name: 'Api', platform: null })
    await commit(meta, { events: [effect(), effect({ projectId: 2 })] })
    expect([
      (await meta.issues.issueByShortId(1, 'web-1'))?.projectId,
      (await meta.issues.issueByShortId(1, 'API-1'))?.projectId,
      await meta.issues.issueByShortId(2, 'API-1'),
    ]).toEqual([1, 2, undefined])
  })

  test('a project that takes over an old slug goes on counting', async () => {
    const meta = await fresh()
    await commit(meta, { events: [effect()] })
    await meta.projects.updateProject(1, { slug: 'shop' })
    await meta.projects.createProject({ organizationId: 1, slug: 'web', name: 'New', platform: null })
    await commit(meta, { events: [effect({ projectId: 2 }), effect({ hashes: [hash(5)] })] })
    expect(await Array.fromAsync([2, 3], async (id) => (await meta.issues.issueById(id))?.shortId)).toEqual([
      'WEB-2',
      'SHOP-1',
    ])
  })
}

export function orderCases(fresh: () => Promise<MetaStore>): void {
  test('batches commit in order, each once', async () => {
    const meta = await fresh()
    const [batch, two] = [await meta.batches.openBatch(0, 10), await meta.batches.openBatch(10, 20)]
    const nothing = { events: [], attachments: [], outcomes: [], dead: [] }
    expect(await meta.batches.openBatches()).toEqual([batch, two])
    await expect(meta.batches.commitBatch(two, nothing, nowMs)).rejects.toThrow('out of order')
    expect(await meta.batches.cursor('events')).toBe(0)
    await meta.batches.commitBatch(batch, nothing, nowMs)
    await expect(meta.batches.commitBatch(batch, nothing, nowMs)).rejects.toThrow('out of order')
    await meta.batches.commitBatch(two, nothing, nowMs)
    await expect(meta.batches.commitBatch(two, nothing, nowMs)).rejects.toThrow('no batch is open')
    expect(await meta.batches.cursor('events')).toBe(20)
  })

  test('each lane has its order, its cursor and its batches', async () => {
    const meta = await fresh()
    const nothing = { events: [], attachments: [], outcomes: [], dead: [] }
    const bulk = await meta.batches.openBatch(0, 30, 'bulk')
    const events = await meta.batches.openBatch(0, 20)
    const more = await meta.batches.openBatch(30, 40, 'bulk')
    expect(await meta.batches.openBatches()).toEqual([bulk, events, more])
    const cursors = async () => [
      await meta.batches.cursor('events'),
      await meta.batches.cursor('bulk'),
      await meta.batches.cursor(),
    ]
    await meta.batches.commitBatch(events, nothing, nowMs)
    expect(await cursors()).toEqual([20, 0, 0])
    await expect(meta.batches.commitBatch(more, nothing, nowMs)).rejects.toThrow('out of order')
    // The other lane has nothing up to 35. A lower position does not move a cursor back.
    await meta.batches.commitBatch(bulk, nothing, nowMs, { events: 35, bulk: 12 })
    expect(await cursors()).toEqual([35, 30, 30])
    await meta.batches.commitBatch(more, nothing, nowMs, { events: 33, bulk: 50 })
    expect(await cursors()).toEqual([35, 50, 35])
    expect(await meta.batches.openBatches()).toEqual([])
  })

  test('a batch that fails leaves nothing behind', async () => {
    const meta = await fresh()
    const batch = await meta.batches.openBatch(0, 10)
    await expect(
      meta.batches.commitBatch(
        batch,
        { events: [effect(), effect({ hashes: [] })], attachments: [], outcomes: [stored], dead: [] },
        nowMs,
      ),
    ).rejects.toThrow('has no hash')
    expect([
      await meta.issues.issueById(1),
      await meta.batches.cursor('events'),
      await meta.ledger.outcomesSince({ fromMs: 0 }),
      await meta.batches.openBatches(),
    ]).toEqual([undefined, 0, [], [batch]])
  })

  test('a batch that is tried again notes what it noted before it failed', async () => {
    const meta = await fresh()
    await meta.projects.updateProject(1, { scrape: true })
    const batch = await meta.batches.openBatch(0, 10)
    const url = 'https://cdn.test/a.js'
    const good = effect({ misses: ['d:1'], scrapes: [scrapeName('shop@1', '', url)] })
    const tried = (events: EventEffect[]) =>
      meta.batches.commitBatch(batch, { events, attachments: [], outcomes: [], dead: [] }, nowMs)
    await expect(tried([good, effect({ hashes: [] })])).rejects.toThrow('has no hash')
    await tried([good])
    expect([await meta.artifacts.missingMapsOf(1), await meta.artifacts.dueScrapes(nowMs, 9)]).toMatchObject([
      [{ names: ['d:1'] }],
      [{ url }],
    ])
  })

  test('events of a project that is gone change nothing and stop nothing', async () => {
    const meta = await fresh()
    expect(
      (await commit(meta, { events: [effect({ projectId: 99 }), effect()] })).issues.map((issue) => issue.projectId),
    ).toEqual([1])
  })
}

export function regressionCases(fresh: () => Promise<MetaStore>): void {
  test.each([
    {
      says: 'an event after the resolution',
      status: 'resolved' as const,
      eventMs: nowMs + 2,
      after: ['unresolved', 'regressed'],
      regressed: true,
    },
    {
      says: 'an event from before it, sent late',
      status: 'resolved' as const,
      eventMs: nowMs,
      after: ['resolved', null],
      regressed: false,
    },
    {
      says: 'an ignored issue stays ignored',
      status: 'ignored' as const,
      eventMs: nowMs + 2,
      after: ['ignored', 'archived_forever'],
      regressed: false,
    },
  ])('regression: $says', async ({ status, eventMs, after, regressed }) => {
    const meta = await fresh()
    await commit(meta, { events: [effect()] })
    await meta.issues.updateIssue(1, { status }, 'ann', nowMs + 1)
    const [result] = (
      await commit(meta, {
        events: [effect({ timestampMs: eventMs }), effect({ timestampMs: eventMs })],
      })
    ).issues
    const issue = await meta.issues.issueById(1)
    expect([issue?.status, issue?.substatus, result?.regressed, issue?.count]).toEqual([...after, regressed, 3])
    expect((await meta.issues.activityOf(1)).filter((item) => item.type === 'set_regression')).toHaveLength(
      regressed ? 1 : 0,
    )
  })
}
