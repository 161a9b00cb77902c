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

const add = (meta: MetaStore, links: BundleLink[], files = [file('~/a.js', { debugId })], bytes = 100) => {
  const uuid = randomUUID()
  return meta.addBundle(
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
export function artifactCases(fresh: () => MetaStore): void {
  const withTwo = () => {
    const meta = fresh()
    meta.createProject({ organizationId: 1, slug: 'api', name: 'Api', platform: null })
    return meta
  }

  test('a project takes its bundles with it, and leaves those that another one has', () => {
    const meta = withTwo()
    const [matching, shared, other] = [add(meta, [place(1)]), add(meta, [place(1), place(2)]), add(meta, [place(2)])]
    const { id } = meta.requestRemoval({ kind: 'project', projectId: 1, issueId: null, userId: null })
    meta.removeRows(id, 0)
    expect(meta.doomedBlobs(id, 9)).toEqual([matching.blobKey])
    expect(meta.artifactsByDebugId(2, debugId).map((artifact) => artifact.bundleId)).toEqual([other.id, shared.id])
    expect(meta.bundleKeys()).toEqual([shared.blobKey, other.blobKey])
    expect(meta.bundleByChecksum(1, matching.checksum)).toBeUndefined()
  })

  test('backups and disk know them; one that is shared counts once', () => {
    const meta = withTwo()
    const first = add(meta, [place(1)])
    const mark = meta.blobWatermark()
    const second = add(meta, [place(2), place(1)], undefined, 7)
    add(meta, [place(2)], undefined, 1)
    expect(meta.blobKeys().slice(0, 2)).toEqual([first.blobKey, second.blobKey])
    expect(meta.blobKeys(mark)).toHaveLength(2)
    expect(meta.bytesByProject().map((byte) => [byte.projectId, byte.bundles])).toEqual([
      [1, { count: 2, bytes: 107 }],
      [2, { count: 1, bytes: 1 }],
    ])
  })

  test('one goes from a project, a release of it, and then for good', () => {
    const meta = withTwo()
    const { id, blobKey } = add(meta, [place(1, 'r'), place(1, 's'), place(2)])
    expect(meta.removeBundle(id, 1, 'r')).toBeUndefined()
    expect(meta.linksOf([id]).map((link) => [link.projectId, link.release])).toEqual([
      [1, 's'],
      [2, ''],
    ])
    expect([meta.removeBundle(id, 1), meta.removeBundle(id, 1), meta.removeBundle(id, 2)]).toEqual([
      undefined,
      undefined,
      blobKey,
    ])
    expect(meta.removeBundle(id, 2)).toBeUndefined()
  })

  test('the newest bundle of a URL comes first; release and dist have to be the same', () => {
    const meta = withTwo()
    const ids = [place(1, 'r'), place(1, 'r'), place(1, 'r', '7'), place(1), place(2, 'r')].map(
      (item) => add(meta, [item], [file('~/a.js'), file('~/b.js')]).id,
    )
    const look = (release: string, dist: string, urls = ['~/a.js']) =>
      meta.artifactsByUrl(1, release, dist, urls).map((artifact) => ids.indexOf(artifact.bundleId))
    expect([look('r', ''), look('r', '7'), look('', ''), look('r', '8'), look('r', '', [])]).toEqual([
      [1, 0],
      [2],
      [3],
      [],
      [],
    ])
    expect(look('r', '', ['~/b.js', '~/c.js'])).toEqual([1, 0])
    expect(meta.artifactsByDebugId(1, '')).toEqual([])
  })

  test('looking for what was meant: by name in all releases, by debug id among projects, and how much there is', () => {
    const meta = withTwo()
    const first = add(
      meta,
      [place(1, 'r'), place(1, 's', '7')],
      [file('~/x/app.js'), file('~/app.js.map', { type: 'source_map' })],
    )
    const second = add(meta, [place(2, 'r')], [file('~/app-A1.js', { debugId }), file('~/app%.js')])
    const named = (projectIds: number[], ...names: string[]) =>
      meta.filesNamed(projectIds, names, 9).map((item) => [item.file.url, item.projectId, item.release, item.dist])
    expect(named([1], 'app.js')).toEqual([
      ['~/x/app.js', 1, 'r', ''],
      ['~/x/app.js', 1, 's', '7'],
    ])
    expect(named([1, 2], 'app-*.js', 'app%.js').map(([url]) => url)).toEqual(['~/app-A1.js', '~/app%.js'])
    expect([named([], 'app.js'), named([1]), named([1], 'p.js'), named([1], 'app.js.map')]).toEqual([[], [], [], []])
    expect(meta.filesNamed([1], ['app.js'], 1)).toHaveLength(1)
    expect(meta.filesNamed([1], ['app.js'], 9, 's').map((item) => [item.release, item.dist])).toEqual([['s', '7']])
    expect(meta.filesNamed([1], ['app.js'], 9, '')).toEqual([])
    const places = (ids: number[], id = debugId) =>
      meta.placesOfDebugId(ids, id, 9).map((item) => [item.projectId, item.uuid])
    expect([places([1, 2]), places([1]), places([]), places([2], '')]).toEqual([[[2, second.uuid]], [], [], []])
    expect(meta.uploadsOf(1)).toEqual({ bundles: 1, newestMs: nowMs })
    expect(meta.uploadsOf(1, { release: 's', dist: '7' }).bundles).toBe(1)
    expect(meta.uploadsOf(1, { release: 's', dist: '' })).toEqual({ bundles: 0, newestMs: 0 })
    expect(meta.bundlesOfRelease(1, 's', undefined, 9)).toEqual([first.id])
    expect([meta.bundlesOfRelease(1, 's', '', 9), meta.bundlesOfRelease(2, 's', undefined, 9)]).toEqual([[], []])
    meta.linkBundle(first.id, [place(1, 't')], nowMs + 7)
    expect(meta.placesOfBundle(first.id, 1).map((item) => [item.release, item.sinceMs])).toEqual([
      ['r', nowMs],
      ['s', nowMs],
      ['t', nowMs + 7],
    ])
    expect(meta.bundlesById([first.id, 99, second.id]).map((bundle) => bundle.uuid)).toEqual([second.uuid, first.uuid])
    expect(meta.bundlesById([])).toEqual([])
  })

  test('pages of bundles and of their files', () => {
    const meta = fresh()
    const ids = [1, 2, 3].map(() => add(meta, [place(1)], [file('~/a.js'), file('~/b.js'), file('~/c.js')]).id)
    const page = (beforeId?: number) =>
      meta.listBundles({ projectId: 1, text: '', beforeId, max: 2 }).map((bundle) => ids.indexOf(bundle.id))
    expect([page(), page(ids[1])]).toEqual([[2, 1], [0]])
    const [first] = meta.filesOf({ bundleId: ids[0] ?? 0, text: '', afterId: 0, max: 1 })
    const rest = meta.filesOf({ bundleId: ids[0] ?? 0, text: '', afterId: first?.id ?? 0, max: 9 })
    expect([first?.url, ...rest.map((item) => item.url)]).toEqual(['~/a.js', '~/b.js', '~/c.js'])
  })

  describe('releases', () => {
    const make = (meta: MetaStore, version: string, projectIds: number[], change = {}, atMs = nowMs) =>
      meta.makeRelease({ organizationId: 1, projectIds, version, change }, atMs)

    test('of several projects are one; what is said of it stays until it is said anew', () => {
      const meta = withTwo()
      expect(make(meta, 'r', [1], { url: 'u' })).toMatchObject({ isNew: true, release: { projectIds: [1], url: 'u' } })
      const again = make(meta, 'r', [1, 2], { releasedMs: 5 }, nowMs + 9)
      expect(again).toMatchObject({
        isNew: false,
        release: { projectIds: [1, 2], url: 'u', releasedMs: 5, createdMs: nowMs },
      })
      make(meta, 'r', [1, 2])
      expect(meta.releaseOf([2], 'r')).toMatchObject({ releasedMs: 5, projectIds: [2] })
      const change = { organizationId: 1, projectIds: [1, 2], version: 'r', change: { releasedMs: null } }
      expect(meta.changeRelease(change, nowMs).releasedMs).toBeNull()
      expect(codeOf(() => meta.changeRelease({ ...change, version: 'x' }, nowMs))).toBe('NOT_FOUND')
      expect([meta.removeRelease(1, [1, 2], 'r'), meta.removeRelease(1, [1, 2], 'r')]).toEqual([true, false])
      expect(meta.releaseOf([1, 2], 'r')).toBeUndefined()
    })

    test('are listed once each, newest first', () => {
      const meta = withTwo()
      for (const [i, version] of ['a', 'b', 'c'].entries()) make(meta, version, [1, 2], {}, nowMs + i)
      const list = (offset: number, text = '') =>
        meta.releaseTimes({ projectIds: [1, 2], text, offset, max: 2 }).map((releaseTime) => releaseTime.version)
      expect([list(0), list(2), list(0, 'B'), list(0, '%')]).toEqual([['c', 'b'], ['a'], ['b'], []])
      expect(meta.releaseTimes({ projectIds: [], text: '', offset: 0, max: 9 })).toEqual([])
    })
  })
}
