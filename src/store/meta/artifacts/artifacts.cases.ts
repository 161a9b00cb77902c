import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { codeOf, nowMs } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'
import type { BundleLink, NewArtifactFile } from './artifacts.ts'

const debugId = 'b500f860-0003-523c-92ab-92705ede040b'

const file = (url: string, more: Partial<NewArtifactFile> = {}): NewArtifactFile => ({
  entry: url,
  type: 'minified_source',
  debugId: '',
  url,
  headers: {},
  bytes: 9,
  at: 1,
  packed: 5,
  method: 8,
  crc: 1,
  ...more,
})
const place = (projectId: number, release = '', dist = ''): BundleLink => ({ projectId, release, dist })

const add = async (meta: MetaStore, links: BundleLink[], files = [file('~/a.js', { debugId })], bytes = 100) => {
  const uuid = randomUUID()
  return meta.artifacts.addBundle(
    {
      organizationId: 1,
      uuid,
      checksum: uuid,
      kind: 'bundle',
      bytes,
      createdMs: nowMs,
      blobKey: `artifacts/1/${uuid}`,
    },
    files,
    links,
  )
}

/** Cases of bundles and their places, chunks, and releases that builds created, for every meta store. */
export function artifactCases(fresh: () => Promise<MetaStore>): void {
  const withTwo = async () => {
    const meta = await fresh()
    await meta.projects.createProject({ organizationId: 1, slug: 'api', name: 'Api', platform: null })
    return meta
  }

  test('a project takes its bundles with it, and leaves those that another one has', async () => {
    const meta = await withTwo()
    const [matching, shared, other] = [
      await add(meta, [place(1)]),
      await add(meta, [place(1), place(2)]),
      await add(meta, [place(2)]),
    ]
    const { id } = await meta.retention.requestRemoval({ kind: 'project', projectId: 1, issueId: null, userId: null })
    await meta.retention.removeRows(id, 0)
    expect(await meta.retention.doomedBlobs(id, 9)).toEqual([matching.blobKey])
    expect((await meta.artifacts.artifactsByDebugId(2, debugId)).map((artifact) => artifact.bundleId)).toEqual([
      other.id,
      shared.id,
    ])
    expect(await meta.artifacts.bundleKeys()).toEqual([shared.blobKey, other.blobKey])
    expect(await meta.artifacts.bundleByChecksum(1, matching.checksum)).toBeUndefined()
  })

  test('backups and disk know them; one that is shared counts once', async () => {
    const meta = await withTwo()
    const first = await add(meta, [place(1)])
    const mark = await meta.snapshots.blobWatermark()
    const second = await add(meta, [place(2), place(1)], undefined, 7)
    await add(meta, [place(2)], undefined, 1)
    expect(await meta.snapshots.blobKeys()).toEqual(expect.arrayContaining([first.blobKey, second.blobKey]))
    expect(await meta.snapshots.blobKeys(mark)).toHaveLength(2)
    expect((await meta.ledger.bytesByProject()).map((byte) => [byte.projectId, byte.bundles])).toEqual([
      [1, { count: 2, bytes: 107 }],
      [2, { count: 1, bytes: 1 }],
    ])
  })

  test('one goes from a project, a release of it, and then for good', async () => {
    const meta = await withTwo()
    const { id, blobKey } = await add(meta, [place(1, 'r'), place(1, 's'), place(2)])
    expect(await meta.artifacts.removeBundle(id, 1, 'r')).toBeUndefined()
    expect((await meta.artifacts.linksOf([id])).map((link) => [link.projectId, link.release])).toEqual([
      [1, 's'],
      [2, ''],
    ])
    expect([
      await meta.artifacts.removeBundle(id, 1),
      await meta.artifacts.removeBundle(id, 1),
      await meta.artifacts.removeBundle(id, 2),
    ]).toEqual([undefined, undefined, blobKey])
    expect(await meta.artifacts.removeBundle(id, 2)).toBeUndefined()
  })

  test('the newest bundle of a URL comes first; release and dist have to be the same', async () => {
    const meta = await withTwo()
    const ids = await Array.fromAsync(
      [place(1, 'r'), place(1, 'r'), place(1, 'r', '7'), place(1), place(2, 'r')],
      async (item) => (await add(meta, [item], [file('~/a.js'), file('~/b.js')])).id,
    )
    const look = async (release: string, dist: string, urls = ['~/a.js']) =>
      (await meta.artifacts.artifactsByUrl(1, release, dist, urls)).map((artifact) => ids.indexOf(artifact.bundleId))
    expect([
      await look('r', ''),
      await look('r', '7'),
      await look('', ''),
      await look('r', '8'),
      await look('r', '', []),
    ]).toEqual([[1, 0], [2], [3], [], []])
    expect(await look('r', '', ['~/b.js', '~/c.js'])).toEqual([1, 0])
    expect(await meta.artifacts.artifactsByDebugId(1, '')).toEqual([])
  })

  test('looking for what was meant: by name in all releases, by debug id among projects, and how much there is', async () => {
    const meta = await withTwo()
    const first = await add(
      meta,
      [place(1, 'r'), place(1, 's', '7')],
      [file('~/x/app.js'), file('~/app.js.map', { type: 'source_map' })],
    )
    const second = await add(meta, [place(2, 'r')], [file('~/app-A1.js', { debugId }), file('~/app%.js')])
    const named = async (projectIds: number[], ...names: string[]) =>
      (await meta.artifacts.filesNamed(projectIds, names, 9)).map((item) => [
        item.file.url,
        item.projectId,
        item.release,
        item.dist,
      ])
    expect(await named([1], 'app.js')).toEqual([
      ['~/x/app.js', 1, 'r', ''],
      ['~/x/app.js', 1, 's', '7'],
    ])
    expect((await named([1, 2], 'app-*.js', 'app%.js')).map(([url]) => url)).toEqual(['~/app-A1.js', '~/app%.js'])
    expect([
      await named([], 'app.js'),
      await named([1]),
      await named([1], 'p.js'),
      await named([1], 'app.js.map'),
    ]).toEqual([[], [], [], []])
    expect(await meta.artifacts.filesNamed([1], ['app.js'], 1)).toHaveLength(1)
    expect((await meta.artifacts.filesNamed([1], ['app.js'], 9, 's')).map((item) => [item.release, item.dist])).toEqual(
      [['s', '7']],
    )
    expect(await meta.artifacts.filesNamed([1], ['app.js'], 9, '')).toEqual([])
    const places = async (ids: number[], id = debugId) =>
      (await meta.artifacts.placesOfDebugId(ids, id, 9)).map((item) => [item.projectId, item.uuid])
    expect([await places([1, 2]), await places([1]), await places([]), await places([2], '')]).toEqual([
      [[2, second.uuid]],
      [],
      [],
      [],
    ])
    expect(await meta.artifacts.uploadsOf(1)).toEqual({ bundles: 1, newestMs: nowMs })
    expect((await meta.artifacts.uploadsOf(1, { release: 's', dist: '7' })).bundles).toBe(1)
    expect(await meta.artifacts.uploadsOf(1, { release: 's', dist: '' })).toEqual({ bundles: 0, newestMs: 0 })
    expect(await meta.artifacts.bundlesOfRelease(1, 's', undefined, 9)).toEqual([first.id])
    expect([
      await meta.artifacts.bundlesOfRelease(1, 's', '', 9),
      await meta.artifacts.bundlesOfRelease(2, 's', undefined, 9),
    ]).toEqual([[], []])
    await meta.artifacts.linkBundle(first.id, [place(1, 't')], nowMs + 7)
    expect((await meta.artifacts.placesOfBundle(first.id, 1)).map((item) => [item.release, item.sinceMs])).toEqual([
      ['r', nowMs],
      ['s', nowMs],
      ['t', nowMs + 7],
    ])
    expect((await meta.artifacts.bundlesById([first.id, 99, second.id])).map((bundle) => bundle.uuid)).toEqual([
      second.uuid,
      first.uuid,
    ])
    expect(await meta.artifacts.bundlesById([])).toEqual([])
  })

  test('pages of bundles and of their files', async () => {
    const meta = await fresh()
    const ids = await Array.fromAsync(
      [1, 2, 3],
      async () => (await add(meta, [place(1)], [file('~/a.js'), file('~/b.js'), file('~/c.js')])).id,
    )
    const page = async (beforeId?: number) =>
      (await meta.artifacts.listBundles({ projectId: 1, text: '', beforeId, max: 2 })).map((bundle) =>
        ids.indexOf(bundle.id),
      )
    expect([await page(), await page(ids[1])]).toEqual([[2, 1], [0]])
    const [first] = await meta.artifacts.filesOf({ bundleId: ids[0] ?? 0, text: '', afterId: 0, max: 1 })
    const rest = await meta.artifacts.filesOf({ bundleId: ids[0] ?? 0, text: '', afterId: first?.id ?? 0, max: 9 })
    expect([first?.url, ...rest.map((item) => item.url)]).toEqual(['~/a.js', '~/b.js', '~/c.js'])
  })

  describe('releases', () => {
    const make = (meta: MetaStore, version: string, projectIds: number[], change = {}, atMs = nowMs) =>
      meta.releases.makeRelease({ organizationId: 1, projectIds, version, change }, atMs)

    test('of several projects are one; what is said of it stays until it is said anew', async () => {
      const meta = await withTwo()
      expect(await make(meta, 'r', [1], { url: 'u' })).toMatchObject({
        isNew: true,
        release: { projectIds: [1], url: 'u' },
      })
      const again = await make(meta, 'r', [1, 2], { releasedMs: 5 }, nowMs + 9)
      expect(again).toMatchObject({
        isNew: false,
        release: { projectIds: [1, 2], url: 'u', releasedMs: 5, createdMs: nowMs },
      })
      await make(meta, 'r', [1, 2])
      expect(await meta.releases.releaseOf([2], 'r')).toMatchObject({ releasedMs: 5, projectIds: [2] })
      const change = { organizationId: 1, projectIds: [1, 2], version: 'r', change: { releasedMs: null } }
      expect((await meta.releases.changeRelease(change, nowMs)).releasedMs).toBeNull()
      expect(await codeOf(() => meta.releases.changeRelease({ ...change, version: 'x' }, nowMs))).toBe('NOT_FOUND')
      expect([
        await meta.releases.removeRelease(1, [1, 2], 'r'),
        await meta.releases.removeRelease(1, [1, 2], 'r'),
      ]).toEqual([true, false])
      expect(await meta.releases.releaseOf([1, 2], 'r')).toBeUndefined()
    })

    test('are listed once each, newest first', async () => {
      const meta = await withTwo()
      for (const [i, version] of ['a', 'b', 'c'].entries()) await make(meta, version, [1, 2], {}, nowMs + i)
      const list = async (offset: number, text = '') =>
        (await meta.releases.releaseTimes({ projectIds: [1, 2], text, offset, max: 2 })).map(
          (releaseTime) => releaseTime.version,
        )
      expect([await list(0), await list(2), await list(0, 'B'), await list(0, '%')]).toEqual([
        ['c', 'b'],
        ['a'],
        ['b'],
        [],
      ])
      expect(await meta.releases.releaseTimes({ projectIds: [], text: '', offset: 0, max: 9 })).toEqual([])
    })
  })
}
