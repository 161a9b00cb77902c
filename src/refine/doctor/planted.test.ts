import { expect, test } from 'vitest'
import type { DoctorCode } from '../../domain/doctor-findings.ts'
import {
  type Asked,
  eventMs,
  eventOf,
  goodMap,
  idA,
  idB,
  pair,
  type Rig,
  rigForEach,
  type Upload,
} from './rig.cases.ts'

const rig = rigForEach()

/** A deliberate mistake and its only true finding. */
type Planted = {
  mistake: string
  uploads: Upload[]
  requested: Asked
  code: DoctorCode
  /** Values that the sentence must contain. */
  data?: Record<string, string>
  before?: (made: Rig) => Promise<void>
}

const of = (release: string, name: string, more: Partial<Upload> & { debugId?: string } = {}): Upload => {
  const { debugId, ...rest } = more
  return { files: pair(name, debugId), release, ...rest }
}
const host = 'https://shop.test'
const dayMs = 86_400_000
const noSources = goodMap.replace(/,"sourcesContent".*]/, '')
const frameOf = (url: string) => ({ filename: url, abs_path: url, function: 'f', lineno: 1, colno: 4, in_app: true })

const planted: Planted[] = [
  // ---- the project of the upload
  { mistake: 'nothing was uploaded', uploads: [], requested: { release: 'shop@1' }, code: 'no_uploads' },
  {
    mistake: 'uploaded to another project, with debug ids',
    uploads: [of('', 'a.js', { debugId: idA, project: 2 }), of('shop@1', 'b.js')],
    requested: { debugId: idA, release: 'shop@1' },
    code: 'other_project',
    data: { other: 'api', project: 'web' },
  },
  {
    mistake: 'uploaded to another project, for a release',
    uploads: [of('shop@1', 'a.js', { project: 2 })],
    requested: { release: 'shop@1' },
    code: 'other_project',
  },
  {
    mistake: 'the folder was left out, and another application of the same commit has a file of that address',
    uploads: [of('4f2a91c', 'main.js', { project: 2 }), of('4f2a91c', 'other.js')],
    requested: { url: `${host}/main.js`, release: '4f2a91c' },
    code: 'file_missing',
  },
  {
    mistake: 'nothing for this release, and another application has the file for another dist of it',
    uploads: [of('shop@2', 'main.js', { project: 2, dist: 'ios' }), of('shop@1', 'other.js')],
    requested: { url: `${host}/main.js`, release: 'shop@2' },
    code: 'release_unknown',
  },

  // ---- debug ids
  {
    mistake: 'built again between upload and deploy',
    uploads: [of('shop@2', 'a.js', { debugId: idB })],
    requested: { debugId: idA, release: 'shop@2' },
    code: 'debug_id_differs',
    data: { debugId: idA, foundId: idB },
  },
  {
    mistake: 'this release was deployed without its upload; the one before has the same address',
    uploads: [of('shop@1', 'a.js', { debugId: idB })],
    requested: { debugId: idA, release: 'shop@2' },
    code: 'debug_id_unknown',
  },
  {
    mistake: 'deployed without its upload; an upload without a release has the same address',
    uploads: [of('', 'a.js', { debugId: idB })],
    requested: { debugId: idA, release: 'shop@2' },
    code: 'debug_id_unknown',
  },
  {
    mistake: 'the file was left out, and another folder has one of its name',
    uploads: [of('shop@2', 'admin/index.js', { debugId: idB })],
    requested: { url: `${host}/shop/index.js`, debugId: idA, release: 'shop@2' },
    code: 'debug_id_unknown',
  },
  {
    mistake: 'the chunk was left out, and another chunk differs in its hash',
    uploads: [of('shop@2', 'assets/index-BxZ81kq2.js', { debugId: idB })],
    requested: { url: `${host}/assets/index-C0ffee99.js`, debugId: idA, release: 'shop@2' },
    code: 'debug_id_unknown',
  },
  {
    mistake: 'the dist was left out, and another dist of the release has another build',
    uploads: [of('shop@2', 'a.js', { debugId: idB, dist: 'android' })],
    requested: { debugId: idA, release: 'shop@2', dist: 'ios' },
    code: 'debug_id_unknown',
  },
  {
    mistake: 'uploaded before ids were injected',
    uploads: [of('shop@2', 'a.js')],
    requested: { debugId: idA, release: 'shop@2' },
    code: 'by_address',
  },
  {
    mistake: 'deployed without injecting',
    uploads: [of('shop@1', 'a.js', { debugId: idA })],
    requested: { release: 'shop@2' },
    code: 'debug_id_missing',
  },
  {
    mistake: 'an SDK from before debug ids',
    uploads: [of('', `${idA}-0.js`, { debugId: idA })],
    requested: { release: 'shop@2', sdk: '7.46.0' },
    code: 'sdk_old',
  },
  {
    mistake: 'the release was left out by an SDK with versions of its own, which is not old',
    uploads: [of('', `${idA}-0.js`, { debugId: idA })],
    requested: { release: 'shop@2', sdk: 'sentry.javascript.electron 5.11.0' },
    code: 'release_unknown',
  },
  {
    mistake: 'the file was left out; whether this client sends debug ids is not known',
    uploads: [of('shop@2', 'b.js', { debugId: idA })],
    requested: { release: 'shop@2', sdk: 'my.client 1.0.0' },
    code: 'file_missing',
  },

  // ---- releases and dists
  {
    mistake: 'the release is written in two ways; a newer one has the same address',
    uploads: [of('shop@1.2.3', 'a.js', { hours: 9 }), of('shop@1.2.4', 'a.js')],
    requested: { release: 'v1.2.3' },
    code: 'release_differs',
    data: { release: 'v1.2.3', foundRelease: 'shop@1.2.3' },
  },
  {
    mistake: 'the release was left out, and another one has only a file of that name elsewhere',
    uploads: [of('shop@1', 'admin/a.js')],
    requested: { release: 'shop@2' },
    code: 'release_unknown',
  },
  {
    mistake: 'the file was left out of this release; another one has it',
    uploads: [of('shop@1', 'a.js'), of('shop@2', 'b.js')],
    requested: { release: 'shop@2' },
    code: 'file_missing',
    data: { release: 'shop@2' },
  },
  {
    mistake: 'the release is older than uploads are kept; a newer one has the same address',
    uploads: [of('shop@9', 'a.js')],
    requested: { release: 'shop@1' },
    code: 'aged_out',
    before: async ({ meta }) => {
      const made = { organizationId: 1, projectIds: [1], version: 'shop@1', change: {} }
      await meta.releases.makeRelease(made, eventMs - 100 * dayMs)
    },
  },
  {
    mistake: 'the upload has a dist, the SDK has none',
    uploads: [of('shop@1', 'a.js', { dist: 'web' })],
    requested: { release: 'shop@1' },
    code: 'dist_differs',
    data: { dist: '–', foundDist: 'web' },
  },
  {
    mistake: 'the same, behind 510 newer uploads of the same name',
    uploads: [
      of('shop@1', 'a.js', { dist: 'web' }),
      of('shop@1', 'b.js'),
      ...Array.from({ length: 510 }, (_, at) => of(`shop@2.${at}`, 'a.js')),
    ],
    requested: { release: 'shop@1' },
    code: 'dist_differs',
  },
  {
    mistake: 'the SDK names no release',
    uploads: [of('shop@1', 'a.js')],
    requested: {},
    code: 'no_release',
    data: { release: 'shop@1' },
  },
  {
    mistake: 'the SDK names no release, and only another folder has a file of that name',
    uploads: [of('shop@1', 'admin/a.js')],
    requested: {},
    code: 'not_injected',
  },
  {
    mistake: 'linked to the release after the event',
    uploads: [],
    requested: { release: 'shop@1' },
    code: 'came_later',
    before: async ({ meta, upload }) => {
      const id = await upload(of('shop@0', 'a.js'))
      await meta.artifacts.linkBundle(id, [{ projectId: 1, release: 'shop@1', dist: '' }], eventMs + 5)
    },
  },

  // ---- addresses
  {
    mistake: 'uploaded under another address',
    uploads: [of('shop@1', 'static/js/app.js')],
    requested: { url: `${host}/assets/js/app.js`, release: 'shop@1' },
    code: 'url_differs',
    data: { found: '~/static/js/app.js' },
  },
  {
    mistake: 'the folder was left out, and two others have a file of that name',
    uploads: [{ files: [...pair('one/index.js'), ...pair('two/index.js')], release: 'shop@1' }],
    requested: { url: `${host}/three/index.js`, release: 'shop@1' },
    code: 'file_missing',
  },
  {
    mistake: 'another build is deployed, as the name says',
    uploads: [of('shop@1', 'assets/app-BxZ81kq2.js')],
    requested: { url: `${host}/assets/app-C0ffee99.js`, release: 'shop@1' },
    code: 'build_differs',
    data: { found: '~/assets/app-BxZ81kq2.js' },
  },
  {
    mistake: 'one chunk of several with the same stem was left out',
    uploads: [{ files: [...pair('assets/index-BxZ81kq2.js'), ...pair('assets/index-Q9rT2mVe.js')], release: 'shop@1' }],
    requested: { url: `${host}/assets/index-C0ffee99.js`, release: 'shop@1' },
    code: 'file_missing',
  },
  {
    mistake: 'the page of one route was left out, that of another was not',
    uploads: [of('shop@1', '_next/static/chunks/app/cart/page-1a2b3c4d5e6f7081.js')],
    requested: { url: `${host}/_next/static/chunks/app/pay/page-9f8e7d6c5b4a3021.js`, release: 'shop@1' },
    code: 'file_missing',
  },
  {
    mistake: 'a file was left out, and another one’s name has another word in it',
    uploads: [{ files: [...pair('js/chart-module1.js'), ...pair('js/app-userSettings.js')], release: 'shop@1' }],
    requested: { url: `${host}/js/chart-module2.js`, release: 'shop@1' },
    code: 'file_missing',
  },
  {
    mistake: 'none: a script in a page with an ending, of a project that injects',
    uploads: [of('shop@1', 'a.js', { debugId: idA })],
    requested: { url: `${host}/index.html`, release: 'shop@1' },
    code: 'in_page',
  },
  {
    mistake: 'none: a script of somebody else beside files that are mapped',
    uploads: [of('shop@1', 'a.js', { debugId: idA })],
    requested: { url: 'https://ads.test/ad.js', release: 'shop@1', frames: [frameOf(`${host}/a.js`)] },
    code: 'third_party',
  },
  {
    mistake: 'deployed without injecting, on a host for assets: it is no script of somebody else',
    uploads: [of('shop@0', 'b.js', { debugId: idB }), of('shop@1', 'a.js')],
    requested: { url: 'https://cdn.test/b.js', release: 'shop@1', frames: [frameOf(`${host}/a.js`)] },
    code: 'debug_id_missing',
  },

  // ---- contents of the files
  {
    mistake: 'the map was uploaded in another folder than its script names',
    uploads: [
      {
        files: [...pair('js/a.js').slice(0, 1), { url: '~/maps/a.js.map', body: goodMap }],
        release: 'shop@1',
      },
    ],
    requested: { url: `${host}/js/a.js`, release: 'shop@1' },
    code: 'map_missing',
  },
  {
    mistake: 'the stored script is damaged',
    uploads: [{ files: pair('a.js').map((file) => ({ ...file, damaged: true })), release: 'shop@1' }],
    requested: { release: 'shop@1' },
    code: 'file_gone',
  },
  {
    mistake: 'the map is the page of an error',
    uploads: [{ files: pair('a.js', idA, '<!doctype html>') }],
    requested: { debugId: idA },
    code: 'map_broken',
  },
  {
    mistake: 'a proxy changed the file after the build',
    uploads: [of('shop@1', 'a.js')],
    requested: { release: 'shop@1', column: 90_210 },
    code: 'position_beyond',
  },
  {
    mistake: 'the map has no texts of the sources',
    uploads: [{ files: pair('a.js', idA, noSources) }],
    requested: { debugId: idA },
    code: 'source_missing',
  },
  {
    mistake: 'the stack has lost its columns',
    uploads: [of('shop@1', 'a.js')],
    requested: { release: 'shop@1', column: undefined },
    code: 'no_column',
  },
]

test('at least 30 mistakes are planted, each once', () => {
  expect(planted.length).toBeGreaterThanOrEqual(30)
  expect(new Set(planted.map(({ mistake }) => mistake)).size).toBe(planted.length)
})

test.each(planted)('$mistake: $code', async ({ uploads, requested, code, data = {}, before }) => {
  for (const upload of uploads) await rig().upload(upload)
  await before?.(rig())
  const { files } = await rig().doctor.ofEvent(rig().here, eventOf(requested).event, eventMs)
  const finding = files.find((file) => file.url === (requested.url ?? `${host}/a.js`))?.finding
  expect([finding?.code, finding?.message]).toEqual([code, expect.not.stringMatching(/[{}]|undefined/)])
  expect(finding?.data).toMatchObject(data)
})
