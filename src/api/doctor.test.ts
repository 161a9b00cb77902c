import { Readable } from 'node:stream'
import { beforeAll, describe, expect, test } from 'vitest'
import { archiveOf, sha1Of } from '../operations/archive.cases.ts'
import { appForFile } from './app.cases.ts'
import { hex } from './seed.cases.ts'

// The doctor over REST with real stores. Its findings are tested in refine/.

const { made, call } = appForFile()
const P = '/projects/acme/web'
const release = 'shop@1.2.4'

const url = 'https://shop.test/assets/app.js'
const event = (number: number, more: object = {}) => ({
  event_id: hex(number),
  platform: 'javascript',
  release,
  ...more,
  exception: {
    values: [
      {
        type: 'Error',
        value: 'x',
        stacktrace: { frames: [{ abs_path: url, filename: url, function: 'a', lineno: 1, colno: 3, in_app: true }] },
      },
    ],
  },
})

/** Uploads a bundle with a script and, by default, its map. Returns the id that clients use. */
async function upload(version: string, path: string, map?: string): Promise<string> {
  const id = `00000000-0000-4000-8000-${sha1Of(version + path).slice(0, 12)}`
  const script = { type: 'minified_source', url: `~/${path}`, headers: { Sourcemap: 'app.js.map' } }
  const mapped =
    map === undefined ? {} : { 'files/_/_/a.js.map': { type: 'source_map', url: `~/${path}.map`, headers: {} } }
  const manifest = { org: 'acme', release: version, debug_id: id, files: { 'files/_/_/a.js': script, ...mapped } }
  const bytes = archiveOf([
    { name: 'files/_/_/a.js', body: 'function a(){throw b}\n' },
    ...(map === undefined ? [] : [{ name: 'files/_/_/a.js.map', body: map }]),
    { name: 'manifest.json', body: JSON.stringify(manifest) },
  ])
  const { app, organization } = made()
  await app.artifacts.saveChunk(organization.id, sha1Of(bytes), Readable.from([bytes]))
  const body = { checksum: sha1Of(bytes), chunks: [sha1Of(bytes)], projects: ['web'], version }
  const ask = () => call('POST', '/organizations/acme/artifactbundle/assemble/', { body })
  await expect.poll(async () => ((await ask()).json as { state: string }).state, { timeout: 5000 }).toBe('ok')
  return id
}

const goodMap = JSON.stringify({
  version: 3,
  sources: ['a.ts'],
  names: [],
  mappings: 'AAAA',
  sourcesContent: ['function a() { throw b }'],
})
const ofEvent = (number: number) => call('GET', `${P}/events/${hex(number)}/source-map-debug/`)
const ofRelease = (version = release, query = '') =>
  call('GET', `${P}/releases/${encodeURIComponent(version)}/source-map-debug/${query}`)

beforeAll(async () => {
  await made().store([event(1), event(2, { release: 'shop@0' })])
}, 30_000)

describe('the doctor', () => {
  test('without any upload', async () => {
    const { status, json } = await ofEvent(1)
    expect([status, json]).toMatchObject([
      200,
      {
        eventId: hex(1),
        release,
        dist: null,
        verdict: 'failed',
        filesOmitted: 0,
        frames: { mapped: 0, unmapped: 1, ignored: 0 },
        errors: [{ type: 'no_uploads', message: 'The project web has no uploaded files.', data: { project: 'web' } }],
        finding: { code: 'no_uploads', command: expect.stringContaining('--url http://mishap.test sourcemaps inject') },
        files: [{ url, frames: 1, line: 1, column: 3, state: 'failed' }],
      },
    ])
    expect((await ofRelease()).json).toMatchObject({ verdict: 'wrong', findings: [{ code: 'no_uploads', count: 1 }] })
  })

  test('an event that asks for another address, then what came later; its release says both', async () => {
    await upload(release, 'static/app.js', goodMap)
    const moved = (await ofEvent(1)).json as { finding: { code: string; command: string } }
    expect(moved.finding.code).toBe('url_differs')
    expect(moved.finding.command).toContain("--release shop@1.2.4 --url-prefix '~/assets' ./dist")
    expect((await ofEvent(2)).json).toMatchObject({ finding: { code: 'release_unknown' } })
    expect((await ofRelease()).json).toMatchObject({
      verdict: 'wrong',
      dist: null,
      events: { looked: 1, frames: 1, mapped: 0 },
      findings: [{ code: 'url_differs', count: 1 }],
      bundles: [{ verdict: 'ok', scripts: 1, read: 1, used: false }],
    })
    expect((await ofRelease(release, '?dist=eu')).json).toMatchObject({
      dist: 'eu',
      bundles: [],
      events: { looked: 0 },
    })
    expect((await ofRelease(release, '?dist=')).json).toMatchObject({ dist: '', events: { looked: 1 } })

    await upload(release, 'assets/app.js', goodMap)
    expect((await ofEvent(1)).json).toMatchObject({ verdict: 'now', finding: { code: 'came_later', weight: 'note' } })
    expect((await ofRelease()).json).toMatchObject({ verdict: 'ok', findings: [{ code: 'came_later' }] })
  })

  test('a bundle', async () => {
    const id = await upload('shop@2', 'x/app.js')
    expect((await call('GET', `${P}/files/artifact-bundles/${id}/source-map-debug/`)).json).toMatchObject({
      bundleId: id,
      verdict: 'wrong',
      scripts: 1,
      read: 0,
      associations: [{ release: 'shop@2', dist: null }],
      findings: [{ code: 'map_missing', data: { map: '~/x/app.js.map' } }],
      files: [{ url: '~/x/app.js', map: null, sources: null, finding: { code: 'map_missing' } }],
    })
  })

  test.each([
    `${P}/events/${hex(9)}/source-map-debug/`,
    `${P}/events/x/source-map-debug/`,
    `${P}/files/artifact-bundles/nothing/source-map-debug/`,
    `/projects/acme/none/releases/a/source-map-debug/`,
    `/projects/other/web/releases/a/source-map-debug/`,
  ])('nothing at %s', async (path) => {
    expect((await call('GET', path)).status).toBe(404)
  })

  test('a token of a build sees uploads and no events; one without scopes sees nothing; a hostile version is text', async () => {
    const { app } = made()
    const owner = await app.auth.personByEmail('owner@example.test')
    if (!owner) throw new Error('no owner')
    const tokenOf = async (scope: string) => (await app.auth.createToken(owner, scope, [scope], null)).secret
    const path = `${P}/releases/${release}/source-map-debug/`
    expect((await call('GET', path, { token: await tokenOf('org:ci') })).json).toMatchObject({
      verdict: 'ok',
      events: null,
    })
    expect(
      (await call('GET', `${P}/events/${hex(1)}/source-map-debug/`, { token: await tokenOf('org:ci') })).status,
    ).toBe(403)
    expect((await call('GET', path, { token: null })).status).toBe(401)
    const hostile = await ofRelease("<b>'$(id)\u202e")
    expect(hostile.json).toMatchObject({ verdict: 'wrong', findings: [{ code: 'release_unknown' }] })
    expect((hostile.json as { findings: { command: string }[] }).findings[0]?.command).toContain(
      `--release '<b>'\\''$(id)'`,
    )
  })
})
