import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { bundleOf, chunksOf, debugId, sha1Of } from '../operations/archive.cases.ts'
import type { Role } from '../store/meta/meta.ts'
import { appForFile } from './app.cases.ts'

// Uploads like sentry-cli, releases, and lists of uploads, with real stores.

const { made, call, personAs } = appForFile()
const O = '/organizations/acme'
const P = '/projects/acme/web'
const bundles = `${P}/files/artifact-bundles/`

type Part = { name: string; filename?: string; body: Buffer | string }

/** Posts a multipart form. A different `end` truncates it. */
async function post(path: string, parts: Part[], { end = '--B--\r\n', token = made().token } = {}) {
  const pieces = parts.flatMap(({ name, filename, body }) => [
    `--B\r\ncontent-disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n\r\n`,
    body,
    '\r\n',
  ])
  const body = Buffer.concat([...pieces, end].map((piece) => Buffer.from(piece)))
  const { createRoutes } = await import('./api.ts')
  const answer = await createRoutes(made().app).fetch(
    new Request(`http://mishap.test/api/0${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=B' },
      body,
    }),
  )
  const text = await answer.text()
  return { status: answer.status, text, json: (text ? JSON.parse(text) : undefined) as Record<string, unknown> }
}

const chunkPart = (body: Buffer, zipped = true): Part => ({
  name: zipped ? 'file_gzip' : 'file',
  filename: sha1Of(body),
  body: zipped ? gzipSync(body) : body,
})

const assemble = (bytes: Buffer, more: object = {}) =>
  call('POST', `${O}/artifactbundle/assemble/`, {
    body: { checksum: sha1Of(bytes), chunks: chunksOf(bytes).map(sha1Of), projects: ['web'], ...more },
  })

describe('chunks and bundles', () => {
  test('the way of a client: options, what is missing, chunks, ok; then the list, its files, search and deletion', async () => {
    const options = (await call('GET', `${O}/chunk-upload/`)).json as { url: string; accept: string[] }
    expect(options).toMatchObject({
      url: 'http://mishap.test/api/0/organizations/acme/chunk-upload/',
      chunkSize: 8 * 1024 ** 2,
    })
    expect(options.accept).toEqual(expect.arrayContaining(['artifact_bundles', 'artifact_bundles_v2']))
    const bytes = bundleOf()
    const chunks = chunksOf(bytes)
    const asked = await assemble(bytes, { version: 'shop@1', dist: '7' })
    expect(asked.json).toEqual({ state: 'not_found', missingChunks: chunks.map(sha1Of), detail: null })
    const sent = await post(
      `${O}/chunk-upload/`,
      chunks.map((chunk, i) => chunkPart(chunk, i % 2 === 0)),
    )
    expect([sent.status, sent.text]).toEqual([200, ''])
    const done = { state: 'ok', missingChunks: [], detail: null }
    await expect.poll(async () => (await assemble(bytes, { version: 'shop@1', dist: '7' })).json).toEqual(done)
    expect((await assemble(bytes, { projects: ['web'] })).json).toEqual(done)
    const [bundle] = (await call('GET', bundles)).json as { bundleId: string }[]
    expect(bundle).toMatchObject({
      associations: [{ release: 'shop@1', dist: '7' }],
      fileCount: 2,
      sha1: sha1Of(bytes),
      size: bytes.length,
    })
    const files = (await call('GET', `${bundles}${bundle?.bundleId}/files/`)).json as object[]
    expect(files).toMatchObject([
      { filePath: '~/app.js', fileType: 'minified_source', debugId, sourcemap: 'app.js.map' },
      { filePath: '~/app.js.map', fileType: 'source_map', debugId },
    ])
    const hits = async (query: string) =>
      ((await call('GET', `${bundles}?query=${encodeURIComponent(query)}`)).json as object[]).length
    const words = [
      'shop@1',
      '7',
      debugId,
      debugId.toUpperCase(),
      'app.js',
      bundle?.bundleId ?? '',
      'shop@2',
      '%',
      'a_p',
    ]
    expect(await Promise.all(words.map(hits))).toEqual([1, 1, 1, 1, 1, 1, 0, 0, 0])
    expect((await call('GET', `${bundles}${bundle?.bundleId}/files/?query=map&limit=1`)).json).toHaveLength(1)
    const gone = async () => (await call('DELETE', `${bundles}?bundleId=${bundle?.bundleId}`)).status
    expect([await gone(), await gone()]).toEqual([204, 404])
    expect((await call('GET', bundles)).json).toEqual([])
    expect((await call('GET', `${bundles}${bundle?.bundleId}/files/`)).status).toBe(404)
    expect(await made().app.blobs.list('artifacts')).toEqual([])
  })

  test('the older question for a bundle of a release', async () => {
    const bytes = bundleOf({ script: 'older' })
    await post(
      `${O}/chunk-upload/`,
      chunksOf(bytes).map((chunk) => chunkPart(chunk)),
    )
    const body = { checksum: sha1Of(bytes), chunks: chunksOf(bytes).map(sha1Of), projects: ['web'] }
    const ask = async () => (await call('POST', `${O}/releases/old@1/assemble/`, { body })).json
    await expect.poll(ask).toMatchObject({ state: 'ok' })
    const found = await made().app.meta.artifacts.artifactsByUrl(made().project.id, 'old@1', '', ['~/app.js'])
    expect(found).toMatchObject([{ bytes: 5 }])
  })

  test.each<[string, Part[], object, number, RegExp]>([
    ['no parts', [], {}, 400, /parts named file/],
    [
      'other bytes than its name says',
      [{ ...chunkPart(Buffer.from('a')), body: gzipSync('b') }],
      {},
      400,
      /another SHA-1/,
    ],
    ['no gzip', [{ ...chunkPart(Buffer.from('a')), body: 'a' }], {}, 400, /not valid gzip/],
    [
      'a gzip that ends early',
      [{ ...chunkPart(Buffer.from('a')), body: gzipSync('a').subarray(0, 12) }],
      {},
      400,
      /ends early/,
    ],
    ['no name', [{ name: 'file', body: 'a' }], {}, 400, /40 hex/],
    ['an end that is missing', [chunkPart(Buffer.from('a'), false)], { end: '' }, 400, /ends early/],
    ['65 parts', Array.from({ length: 65 }, (_, i) => chunkPart(Buffer.from(`${i}`))), {}, 400, /more than 64 parts/],
    [
      'a bomb',
      [{ ...chunkPart(Buffer.from('a')), body: gzipSync(Buffer.alloc(9 * 1024 ** 2)) }],
      {},
      413,
      /over its limit/,
    ],
  ])('a form with %s is refused', async (_name, parts, options, status, sentence) => {
    const answer = await post(`${O}/chunk-upload/`, parts, options)
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(sentence)])
    expect((await made().app.meta.artifacts.chunksOf(made().organization.id, [sha1Of('a')])).size).toBe(0)
  })

  test('a body that is no form, and one over 33 MiB', async () => {
    expect((await call('POST', `${O}/chunk-upload/`, { body: '{}' })).status).toBe(400)
    const large = await post(`${O}/chunk-upload/`, [{ name: 'x', body: Buffer.alloc(34 * 1024 ** 2) }])
    expect(large.status).toBe(413)
  })

  test.each([
    ['no checksum', { checksum: undefined }, 'checksum'],
    ['a checksum of another kind', { checksum: 'x'.repeat(40) }, 'checksum'],
    ['chunks that are none', { chunks: ['x'] }, 'chunks'],
    ['no projects', { projects: [] }, 'projects'],
    ['an unknown project', { projects: ['never'] }, 'projects'],
  ])('assembling %s is refused', async (_name, change, field) => {
    const answer = await assemble(bundleOf(), change)
    expect([answer.status, Object.keys(answer.json)]).toEqual([400, [field]])
  })
})

describe('releases', () => {
  const version = 'shop@1.2.3+45'
  const text = `${O}/releases/${encodeURIComponent(version)}/`

  test('are made, made again, finalized, listed, and go', async () => {
    const body = { version, projects: ['web'], url: 'https://shop.test/r' }
    const make = async () => (await call('POST', `${O}/releases/`, { body })).status
    expect([await make(), await make()]).toEqual([201, 208])
    expect((await call('GET', text)).json).toMatchObject({ version, shortVersion: '1.2.3+45', dateReleased: null })
    const dateReleased = '2026-11-21T10:00:00Z'
    expect((await call('PUT', text, { body: { dateReleased } })).json).toMatchObject({
      dateReleased: '2026-11-21T10:00:00.000Z',
      url: 'https://shop.test/r',
      ref: null,
    })
    expect(await make()).toBe(208)
    expect((await call('GET', `${P}/releases/${encodeURIComponent(version)}/`)).json).toMatchObject({
      dateReleased: '2026-11-21T10:00:00.000Z',
      projects: [{ slug: 'web' }],
    })
    const list = await call('GET', `${O}/releases/?query=1.2.3`)
    expect(list.json).toMatchObject([{ version }])
    expect(list.headers.get('link')).toMatch(/rel="next"; results="false"/)
    expect((await call('GET', `${O}/releases/?query=1_2`)).json).toEqual([])
    expect([(await call('DELETE', text)).status, (await call('GET', text)).status]).toEqual([204, 404])
    expect((await call('GET', `${O}/repos/`)).json).toEqual([])
  })

  test('that events named are among them, in pages', async () => {
    for (let i = 0; i < 3; i++) await call('POST', `${P}/releases/`, { body: { version: `page@${i}` } })
    await made().store([{ event_id: 'e'.repeat(32), message: 'x', release: 'page@9', platform: 'javascript' }])
    const page = async (cursor: string) => {
      const answer = await call('GET', `${P}/releases/?query=page&limit=3${cursor}`)
      return (answer.json as { version: string }[]).map((row) => row.version)
    }
    const all = [...(await page('')), ...(await page('&cursor=0:3:0'))]
    expect(all.toSorted()).toEqual(['page@0', 'page@1', 'page@2', 'page@9'])
  })

  test.each([
    ['no version', { projects: ['web'] }, 'version'],
    ['a slash', { version: 'a/b', projects: ['web'] }, 'version'],
    ['a dot', { version: '..', projects: ['web'] }, 'version'],
    ['no projects', { version: 'x' }, 'projects'],
    ['a time that is none', { version: 'x', projects: ['web'], dateReleased: 'soon' }, 'dateReleased'],
  ])('refused: %s', async (_name, body, field) => {
    const answer = await call('POST', `${O}/releases/`, { body })
    expect([answer.status, Object.keys(answer.json)]).toEqual([400, [field]])
  })

  test('have files of their own, one by one', async () => {
    const files = `${P}/releases/files@1/files/`
    const parts: Part[] = [
      { name: 'file', filename: 'app.js', body: 'let a' },
      { name: 'name', body: '~/static/app.js' },
      { name: 'header', body: 'Sourcemap: app.js.map' },
      { name: 'dist', body: '7' },
    ]
    expect((await post(files, parts)).status).toBe(404)
    await call('POST', `${P}/releases/`, { body: { version: 'files@1' } })
    const sent = await post(files, parts)
    expect([sent.status, sent.json]).toMatchObject([
      201,
      { name: '~/static/app.js', dist: '7', headers: { sourcemap: 'app.js.map' }, size: 5, sha1: sha1Of('let a') },
    ])
    // Other clients send the fields first. This upload replaces the previous one.
    const again = await post(`${O}/releases/files@1/files/`, parts.toReversed())
    expect((await call('GET', files)).json).toMatchObject([{ id: again.json.id }])
    const own = `${files}${again.json.id}/`
    expect((await call('GET', own)).json).toMatchObject({ name: '~/static/app.js' })
    expect([(await call('DELETE', own)).status, (await call('GET', own)).status]).toEqual([204, 404])
    expect((await post(files, parts.slice(1))).json).toEqual({ file: ['Missing file'] })
    expect((await post(files, [{ name: 'file', body: 'x' }])).json).toHaveProperty('name')
    await post(files, parts)
    expect((await call('DELETE', `${P}/files/source-maps/?name=files@1`)).status).toBe(204)
    expect((await call('GET', files)).json).toEqual([])
    await post(files, parts)
    await call('DELETE', `${P}/releases/files@1/`)
    expect(
      await made().app.meta.artifacts.artifactsByUrl(made().project.id, 'files@1', '7', ['~/static/app.js']),
    ).toEqual([])
  })
})

test.each<[Role, string[], number, number]>([
  ['member', ['project:releases'], 200, 400],
  ['member', ['org:ci'], 200, 400],
  ['member', ['project:read'], 200, 403],
  ['member', ['event:admin'], 403, 403],
  ['viewer', ['project:releases'], 200, 403],
])('%s with %j: lists %i, uploads %i', async (role, scopes, lists, uploads) => {
  const { app } = made()
  const { email, token } = await personAs(role, scopes, `${role}-${scopes[0]?.replace(':', '-')}`)
  expect((await call('GET', bundles, { token })).status).toBe(lists)
  expect((await call('GET', `${O}/releases/`, { token })).status).toBe(lists)
  expect((await post(`${O}/chunk-upload/`, [], { token })).status).toBe(uploads)
  const stranger = await app.meta.organizations.createOrganization({
    slug: `other-${email.length}-${role}`,
    name: 'Other',
    ownerUserId: 'x',
  })
  expect((await call('GET', `/organizations/${stranger.slug}/chunk-upload/`, { token })).status).toBe(404)
})
