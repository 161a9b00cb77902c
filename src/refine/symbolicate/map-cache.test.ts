import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import type { Observe } from '../../base/observe.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import { openFileBlobs } from '../../store/blobs/files.ts'
import type { ArtifactFile } from '../../store/meta/artifacts/artifacts.ts'
import { createMapCache, type MapCache, type MapLimits } from './map-cache.ts'
import { createWorkerMaps } from './maps.ts'
import { presenceLookup, urlName } from './presence.ts'
import { type Uploaded, uploadsOf } from './rig.cases.ts'

const root = mkdtempSync(join(tmpdir(), 'mishap-desk-'))
const blobs = openFileBlobs(root)
const quiet = { debug() {}, info() {}, warn() {}, error() {} } as unknown as Observe
const desks: MapCache[] = []
const folders = { next: 1 }
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A map cache over files in a real blob store, where its threads read them. */
async function deskOf(
  uploads: readonly Uploaded[],
  limits: Partial<MapLimits> = {},
  file?: string,
  away?: (away: boolean) => void,
  store: BlobStore = blobs,
) {
  const { artifacts } = uploadsOf(uploads)
  const number = folders.next++
  for (const [at, { bytes }] of uploads.entries()) await blobs.put(`bundles/${number}-${at + 1}`, Buffer.from(bytes))
  const touched: number[] = []
  const asked: number[] = []
  const rekey = (found: ArtifactFile[]) =>
    found.map((entry) => ({ ...entry, blobKey: `bundles/${number}-${entry.id}` }))
  const desk = createMapCache({
    clock: systemClock,
    observe: quiet,
    blobs: store,
    blobSource: { folder: root },
    limits,
    meta: {
      artifacts: {
        artifactsByDebugId: async (...ask) => rekey(await artifacts.artifacts.artifactsByDebugId(...ask)),
        artifactsByUrl: async (...ask) => rekey(await artifacts.artifacts.artifactsByUrl(...ask)),
        artifactState: async () => '1',
        artifactNames: async (projectId, max) => {
          asked.push(projectId)
          return projectId === 9 || max < 1 ? undefined : [{ debugId: 'd1', release: '1.0', dist: '', url: '~/a.js' }]
        },
        touchBundles: async (ids) => void touched.push(...ids),
      },
    },
    ...(file ? { file: new URL(file, import.meta.url) } : {}),
    ...(away ? { away } : {}),
  })
  desks.push(desk)
  return { desk, touched, asked }
}

const query = (url: string, release = '1.0') => ({
  debugId: undefined,
  url: `https://shop.test${url}`,
  release,
  dist: '',
})
const script = (name: string) => `function a(){throw b}\n//# sourceMappingURL=${name}`
const goodMap = JSON.stringify({
  version: 3,
  sources: ['in.ts'],
  names: ['first'],
  mappings: 'AAAA,SAASA',
  sourcesContent: ['export function first() {}'],
})
const good: Uploaded[] = [
  { url: '~/a.js', bytes: script('a.js.map') },
  { url: '~/a.js.map', bytes: goodMap },
]

describe('the desk answers', () => {
  test.each<[string, Uploaded[], object]>([
    ['a map', good, { sourcemap: 'https://shop.test/a.js.map', resolvedWith: 'release' }],
    ['nothing uploaded', [], { reason: 'file_missing' }],
    ['another release', good.map((entry) => ({ ...entry, release: '2.0' })), { reason: 'file_missing' }],
    ['another dist', good.map((entry) => ({ ...entry, dist: 'x' })), { reason: 'file_missing' }],
    ['no comment', [{ url: '~/a.js', bytes: 'a()' }], { reason: 'map_unnamed' }],
    ['a map that was not uploaded', [good[0] as Uploaded], { reason: 'map_missing' }],
    [
      'a map that is none',
      [good[0] as Uploaded, { url: '~/a.js.map', bytes: '<!doctype html>' }],
      { reason: 'map_broken' },
    ],
    ['a broken inline map', [{ url: '~/a.js', bytes: script('data:application/json,%7B') }], { reason: 'map_broken' }],
    [
      'an inline map in percents',
      [{ url: '~/a.js', bytes: script(`data:application/json,${encodeURIComponent(goodMap)}`) }],
      { sourcemap: 'https://shop.test/a.js?v=3' },
    ],
    [
      'a header instead of a comment',
      [
        { url: '~/a.js', bytes: 'a()', headers: { sourcemap: 'maps/x.map' } },
        { url: '~/maps/x.map', bytes: goodMap },
      ],
      { sourcemap: 'https://shop.test/maps/x.map' },
    ],
  ])('%s', async (_name, uploads, want) => {
    const { desk } = await deskOf(uploads)
    const [answer] = await desk.answer(7, [query('/a.js?v=3')], 5000)
    expect(answer).toMatchObject(want)
    if (!('reason' in want)) expect(answer?.reason).toBeUndefined()
    expect(answer?.flat !== undefined).toBe(uploads.length > 0 && !JSON.stringify(want).includes('file_missing'))
  })

  test('a map is read once, however often it is asked for, and its bundle is noted as used', async () => {
    const { desk, touched } = await deskOf(good)
    const answers = await desk.answer(7, [query('/a.js'), query('/a.js?1'), query('/a.js?2')], 5000)
    expect(new Set(answers.map((answer) => answer.flat)).size).toBe(1)
    const [again] = await desk.answer(7, [query('/a.js')], 1000)
    expect(again?.flat).toBe(answers[0]?.flat)
    expect(desk.cache().maps).toBe(1)
    expect(new Set(touched)).toEqual(new Set([1]))
  })

  test('what is kept is bounded by bytes: the map used longest ago goes', async () => {
    const many = Array.from({ length: 6 }, (_, at): Uploaded[] => [
      { url: `~/${at}.js`, bytes: script(`${at}.js.map`) },
      { url: `~/${at}.js.map`, bytes: goodMap.replace('{}', `{${' '.repeat(50_000)}}`) },
    ]).flat()
    const { desk } = await deskOf(many, { cacheBytesMax: 160_000 })
    for (let at = 0; at < 6; at++) await desk.answer(7, [query(`/${at}.js`)], 5000)
    expect(desk.cache().maps).toBe(3)
    expect(desk.cache().bytes).toBeLessThanOrEqual(160_000)
  })

  test('a map larger than all that may be kept says so and is not read for each event', async () => {
    const { desk } = await deskOf(good, { cacheBytesMax: 600 })
    const [answer] = await desk.answer(7, [query('/a.js')], 5000)
    expect(answer).toMatchObject({ reason: 'map_large' })
    expect(answer?.flat).toBeUndefined()
  })
})

describe('somebody who only looks', () => {
  const looked = async (
    name: string,
    useCache: boolean,
    waitMs = 5000,
    limits: Partial<MapLimits> = {},
    file?: string,
  ) => {
    const { desk, touched } = await deskOf(good, limits, file)
    const [script, map] = good.map((_, at) => ({ blobKey: `bundles/${folders.next - 1}-${at + 1}`, at: 0 }))
    const bytes = good.map((entry) => Buffer.byteLength(entry.bytes))
    const full = (entry: object | undefined, at: number) =>
      ({ ...entry, id: at, bundleId: 1, bytes: bytes[at], packed: bytes[at], method: 0 }) as ArtifactFile
    const plan = {
      script: full(script, 0),
      map: full(map, 1),
      inline: false,
      sourcemap: `https://shop.test${name}.map`,
      resolvedWith: 'release' as const,
      reason: undefined,
    }
    return { desk, touched, found: await desk.inspect(7, query(name), plan, waitMs, useCache) }
  }

  test.each([
    [true, 1],
    [false, 0],
  ])('notes no use; keep %s: %i maps are kept', async (useCache, maps) => {
    const { desk, touched, found } = await looked('/a.js', useCache)
    expect(found.flat?.segments).toBeDefined()
    expect([touched, desk.cache().maps]).toEqual([[], maps])
  })

  test('waits no longer than it said', async () => {
    const { found } = await looked('/endless.js', false, 20, { loadMs: 300 }, './slow.cases.ts')
    expect(found).toEqual({ reason: 'map_pending' })
  })
})

describe('a map that does harm stops no other', () => {
  const files = (name: string): Uploaded[] => [
    { url: `~/${name}.js`, bytes: script(`${name}.map`) },
    { url: `~/${name}.map`, bytes: '{}' },
  ]
  test('one that takes too long is given up; what waited behind it is answered', async () => {
    const uploads = [...files('endless'), ...files('plain')]
    const { desk } = await deskOf(uploads, { loadMs: 300, threadsMax: 1 }, './slow.cases.ts')
    const answers = await desk.answer(7, [query('/endless.js'), query('/plain.js')], 5000)
    expect(answers.map((answer) => answer.reason)).toEqual(['map_slow', 'map_broken'])
  })

  test('one that is waited for longer than the event may wait is answered later', async () => {
    const { desk } = await deskOf(files('endless'), { loadMs: 400 }, './slow.cases.ts')
    const [first] = await desk.answer(7, [query('/endless.js')], 20)
    expect(first).toEqual({ reason: 'map_pending', later: true })
    const [second] = await desk.answer(7, [query('/endless.js')], 5000)
    expect(second?.reason).toBe('map_slow')
  })

  test('one that takes all memory ends its thread alone', async () => {
    const uploads = [...files('hungry'), ...files('plain')]
    const { desk } = await deskOf(uploads, { heapMb: 24, threadsMax: 1 }, './slow.cases.ts')
    const answers = await desk.answer(7, [query('/hungry.js'), query('/plain.js')], 10_000)
    expect(answers.map((answer) => answer.reason)).toEqual(['map_large', 'map_broken'])
  })

  test('one that ends its thread otherwise', async () => {
    const { desk } = await deskOf([...files('throws'), ...files('plain')], { threadsMax: 1 }, './slow.cases.ts')
    const answers = await desk.answer(7, [query('/throws.js'), query('/plain.js')], 5000)
    expect(answers.map((answer) => answer.reason)).toEqual(['map_broken', 'map_broken'])
  })
})

describe('what a worker knows', () => {
  test('asks once for each new question, again with another state, and again when a map was pushed out', async () => {
    const asked: string[][] = []
    const maps = createWorkerMaps(
      async (_project, queries) => {
        asked.push(queries.map((entry) => entry.url))
        return queries.map(() => ({ reason: 'file_missing' as const }))
      },
      () => 0,
    )
    const budget = { leftMs: 10 }
    const first = maps.of(7, 'a', budget)
    expect([first.find(query('/a.js')), first.missing()]).toEqual([undefined, true])
    await first.load()
    expect([first.find(query('/a.js')), first.missing()]).toEqual([{ reason: 'file_missing' }, false])
    expect(maps.of(7, 'a', budget).find(query('/a.js'))).toEqual({ reason: 'file_missing' })
    expect(maps.of(7, 'b', budget).find(query('/a.js'))).toBeUndefined()
    expect(maps.of(8, 'a', budget).find(query('/a.js'))).toBeUndefined()
    expect(asked).toEqual([['https://shop.test/a.js']])
  })

  test('a map on its way is known for the range alone', async () => {
    const maps = createWorkerMaps(
      async () => [{ reason: 'map_pending' as const, later: true as const }],
      () => 0,
    )
    const range = maps.of(7, 'a', { leftMs: 10 })
    range.find(query('/a.js'))
    await range.load()
    expect(range.find(query('/a.js'))?.reason).toBe('map_pending')
    expect(maps.of(7, 'a', { leftMs: 10 }).find(query('/a.js'))).toBeUndefined()
  })

  test('the time that a range waits is counted over all its questions', async () => {
    const waits: number[] = []
    const time = { ms: 0 }
    const maps = createWorkerMaps(
      async (_project, _queries, waitMs) => {
        waits.push(waitMs)
        time.ms += 40
        return [{ reason: 'map_pending' as const, later: true as const }]
      },
      () => time.ms,
    )
    const budget = { leftMs: 100 }
    for (const url of ['/a.js', '/b.js', '/c.js', '/d.js']) {
      const range = maps.of(7, 'a', budget)
      range.find(query(url))
      await range.load()
    }
    expect(waits).toEqual([100, 60, 20, 0])
  })
})

test('names of a project are read once for each state; a project with too many tells none', async () => {
  const { desk, asked } = await deskOf([])
  const first = await desk.presenceOf(7, 'a')
  expect(first && ['d:d1', urlName('1.0', '', '~/a.js'), 'd:d2'].map(presenceLookup(first))).toEqual([
    true,
    true,
    false,
  ])
  expect(await desk.presenceOf(7, 'a')).toBe(first)
  expect(await desk.presenceOf(7, 'b')).not.toBe(first)
  expect([await desk.presenceOf(9, 'a'), await desk.presenceOf(9, 'a')]).toEqual([undefined, undefined])
  expect(asked).toEqual([7, 7, 9])
})

describe('while the blob store is away', () => {
  const files: Uploaded[] = [
    { url: '~/away.js', bytes: script('away.map') },
    { url: '~/away.map', bytes: '{}' },
  ]
  test('answers wait longer than asked for, and a failed read is not kept', async () => {
    const reports: boolean[] = []
    const { desk } = await deskOf(files, {}, './slow.cases.ts', (away) => reports.push(away))
    expect(await desk.answer(7, [query('/away.js')], 20_000)).toMatchObject([{ reason: 'map_broken' }])
    expect(reports).toEqual([true, false])
  })

  test.each([
    ['a read that hangs', { loadMs: 200 }, 20_000],
    ['a read that takes longer than asked', {}, 60],
  ])('%s counts as away if the store does not answer either', async (_what, limits, waitMs) => {
    const reports: boolean[] = []
    const pings = [false, true, true]
    const endless: Uploaded[] = [
      { url: '~/endless.js', bytes: script('endless.map') },
      { url: '~/endless.map', bytes: '{}' },
    ]
    const ping = async () => {
      if (!pings.shift()) throw new MishapError('BLOBS_UNAVAILABLE')
    }
    const remote = { ...blobs, isRemote: true, ping }
    const { desk } = await deskOf(endless, limits, './slow.cases.ts', (away) => reports.push(away), remote)
    const [answer] = await desk.answer(7, [query('/endless.js')], waitMs)
    expect(['map_slow', 'map_pending']).toContain(answer?.reason)
    expect(reports).toEqual([true, false])
  })

  test('a diagnosis says so instead of blaming the file', async () => {
    const { desk } = await deskOf(files, {}, './slow.cases.ts')
    const plan = { script: undefined, map: undefined, inline: false, sourcemap: 'away', reason: undefined }
    const inspected = desk.inspect(7, query('/away.js'), { ...plan, resolvedWith: 'release' }, 5000, true)
    await expect(inspected).rejects.toMatchObject({ code: 'BLOBS_UNAVAILABLE' })
    expect(desk.cache().maps).toBe(0)
  })
})
