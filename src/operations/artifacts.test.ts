import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { systemClock, testClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { readArtifact } from '../store/blobs/artifact.ts'
import { openFileBlobs } from '../store/blobs/files.ts'
import { nowMs, openTestMeta, withProject } from '../store/meta/fixture.cases.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { chunkBytesMax } from '../wire/upload.ts'
import { archiveOf, bundleOf, chunksOf, debugId, type Packed, sha1Of } from './archive.cases.ts'
import { createArtifacts } from './artifacts.ts'
import type { AssembleRequest } from './uploads.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-artifacts-'))
const opened: MetaStore[] = []
let rooms = 0

afterAll(async () => {
  for (const meta of opened) await meta.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The real stores, with project 1 `web` and project 2 `api` of organization 1. */
async function fresh(free = Number.MAX_SAFE_INTEGER, more: { scrapedBytesMax?: number } = {}) {
  const at = join(folder, String(++rooms))
  const clock = { ...testClock(nowMs), sleep: systemClock.sleep }
  const meta = await withProject(await openTestMeta(`${at}.sqlite`, { clock }))
  opened.push(meta)
  await meta.projects.createProject({ organizationId: 1, slug: 'api', name: 'Api', platform: null })
  const blobs = openFileBlobs(at)
  const artifacts = createArtifacts({ clock, observe: silent, meta, blobs, freeBytes: async () => free, ...more })
  const arrived: unknown[] = []
  artifacts.onUploaded((artifact) => arrived.push(artifact))
  return { clock, meta, blobs, artifacts, arrived }
}
type Room = Awaited<ReturnType<typeof fresh>>

async function* pieces(...deps: (Buffer | string)[]) {
  for (const part of deps) yield Buffer.from(part)
}

const askOf = (bytes: Buffer, more: Partial<AssembleRequest> = {}): AssembleRequest => ({
  organizationId: 1,
  checksum: sha1Of(bytes),
  chunks: chunksOf(bytes).map(sha1Of),
  projectIds: [1],
  release: '',
  dist: '',
  ...more,
})

const send = async ({ artifacts }: Room, chunks: Buffer[]) => {
  for (const chunk of chunks) await artifacts.saveChunk(1, sha1Of(chunk), pieces(chunk))
}

/** Asks until the state is final, like clients do. */
async function settle({ artifacts }: Room, ask: AssembleRequest) {
  for (;;) {
    const state = await artifacts.assemble(ask)
    if (state.state !== 'created' && state.state !== 'assembling') return state
    await systemClock.sleep(5)
  }
}

async function upload(room: Room, bytes: Buffer, more: Partial<AssembleRequest> = {}) {
  await send(room, chunksOf(bytes))
  return settle(room, askOf(bytes, more))
}

const ok = { state: 'ok', missingChunks: [] }

describe('a bundle', () => {
  test('is asked for chunk by chunk, assembled once, and found by debug id and by URL', async () => {
    const room = await fresh()
    const bytes = bundleOf({ release: 'shop@1' })
    const chunks = chunksOf(bytes)
    expect(await room.artifacts.assemble(askOf(bytes))).toEqual({
      state: 'not_found',
      missingChunks: chunks.map(sha1Of),
    })
    await send(room, chunks.slice(1))
    expect(await room.artifacts.assemble(askOf(bytes))).toEqual({
      state: 'not_found',
      missingChunks: chunks.slice(0, 1).map(sha1Of),
    })
    await send(room, chunks.slice(0, 1))
    expect(await settle(room, askOf(bytes))).toEqual(ok)
    expect(room.arrived).toEqual([{ bundleId: 1, organizationId: 1, projectIds: [1] }])
    const [script, map] = await room.meta.artifacts.artifactsByDebugId(1, debugId)
    expect(script).toMatchObject({ type: 'minified_source', url: '~/app.js', bytes: 15, debugId })
    expect(script?.headers).toEqual({ 'debug-id': debugId, sourcemap: 'app.js.map' })
    expect(map).toMatchObject({ type: 'source_map', url: '~/app.js.map' })
    expect(await room.meta.artifacts.artifactsByDebugId(2, debugId)).toEqual([])
    expect(await room.meta.artifacts.artifactsByUrl(1, 'shop@1', '', ['~/app.js', '~/b.js'])).toEqual([script])
    expect(await room.meta.artifacts.artifactsByUrl(1, 'shop@1', '7', ['~/app.js'])).toEqual([])
    const read = async (item: typeof script) => item && (await readArtifact(room.blobs, item, 100))?.toString()
    expect([await read(script), await read(map)]).toEqual(['console.log(1)\n', '{"version":3}'])
    if (script) await expect(readArtifact(room.blobs, script, 14)).rejects.toMatchObject({ code: 'ACCEPT_TOO_LARGE' })
    if (script) expect(await readArtifact(room.blobs, { ...script, blobKey: 'artifacts/gone' }, 99)).toBeUndefined()
  })

  test('that is there is ok at once without its chunks; other projects, releases and dists are added', async () => {
    const room = await fresh()
    const bytes = bundleOf()
    await upload(room, bytes, { release: 'shop@1' })
    for (const more of [{}, { release: 'shop@2' }, { release: 'shop@2', dist: '7' }, { projectIds: [2, 99] }])
      expect(await room.artifacts.assemble(askOf(bytes, more))).toEqual(ok)
    expect(
      (await room.meta.artifacts.linksOf([1])).map(({ projectId, release, dist }) => [projectId, release, dist]),
    ).toEqual([
      [1, 'shop@1', ''],
      [1, 'shop@2', ''],
      [1, 'shop@2', '7'],
      [2, 'shop@1', ''],
    ])
    expect(room.arrived).toHaveLength(4)
    expect(await room.blobs.list('artifacts')).toHaveLength(1)
  })

  test('of the same files in other bytes is the same bundle, and one of other files is not', async () => {
    const room = await fresh()
    for (const release of ['shop@1', 'shop@2']) expect(await upload(room, bundleOf({ release }))).toEqual(ok)
    expect([
      (await room.meta.artifacts.listBundles({ projectId: 1, text: '', beforeId: undefined, max: 9 })).length,
    ]).toEqual([1])
    expect(await room.artifacts.assemble(askOf(bundleOf({ release: 'shop@2' })))).toEqual(ok)
    expect(await upload(room, bundleOf({ script: 'console.log(2)\n' }))).toEqual(ok)
    const found = await room.meta.artifacts.listBundles({ projectId: 1, text: '', beforeId: undefined, max: 9 })
    expect(new Set(found.map((item) => item.uuid)).size).toBe(1)
    expect([found.length, (await room.blobs.list('artifacts')).length]).toEqual([2, 2])
    expect(await room.artifacts.removeBundle(1, found[0]?.uuid ?? '')).toBe(2)
    expect(await room.blobs.list('artifacts')).toEqual([])
  })

  test('is assembled once, however many ask at the same time', async () => {
    const room = await fresh()
    const bytes = bundleOf()
    await send(room, chunksOf(bytes))
    await Promise.all([1, 2, 3].map((projectId) => room.artifacts.assemble(askOf(bytes, { projectIds: [projectId] }))))
    expect(await settle(room, askOf(bytes))).toEqual(ok)
    expect(await room.blobs.list('artifacts')).toHaveLength(1)
    expect((await room.meta.artifacts.linksOf([1])).map((link) => link.projectId)).toEqual([1, 2])
  })

  test('whose chunks were sent twice, and by several at once, is one', async () => {
    const room = await fresh()
    const bytes = bundleOf()
    await send(room, chunksOf(bytes))
    await Promise.all([1, 2, 3].map(() => send(room, chunksOf(bytes))))
    expect(await settle(room, askOf(bytes))).toEqual(ok)
    expect(await room.meta.artifacts.chunkKeys()).toHaveLength(chunksOf(bytes).length)
    expect(await room.blobs.list('chunks')).toHaveLength(chunksOf(bytes).length)
  })

  test('of one organization is none of another: neither its chunks nor the bundle itself', async () => {
    const room = await fresh()
    const other = await room.meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'x' })
    const theirs = await room.meta.projects.createProject({
      organizationId: other.id,
      slug: 'web',
      name: 'Web',
      platform: null,
    })
    const bytes = bundleOf()
    const missing = { state: 'not_found', missingChunks: chunksOf(bytes).map(sha1Of) }
    const ask = askOf(bytes, { organizationId: other.id, projectIds: [theirs.id] })
    await send(room, chunksOf(bytes))
    expect(await room.artifacts.assemble(ask)).toEqual(missing)
    expect(await settle(room, askOf(bytes))).toEqual(ok)
    expect(await room.artifacts.assemble(ask)).toEqual(missing)
    expect(await room.meta.artifacts.artifactsByDebugId(theirs.id, debugId)).toEqual([])
  })

  test('that came half is gone on with by another process: what was sent is not asked for', async () => {
    const room = await fresh()
    const bytes = bundleOf()
    const [first, ...rest] = chunksOf(bytes)
    await send(room, first ? [first] : [])
    // Use the same stores with new artifacts that know no running assembly.
    const { clock, meta, blobs } = room
    const later = {
      ...room,
      artifacts: createArtifacts({ clock, observe: silent, meta, blobs, freeBytes: async () => 1e12 }),
    }
    expect((await later.artifacts.assemble(askOf(bytes))).missingChunks).toEqual(rest.map(sha1Of))
    await send(later, rest)
    expect(await settle(later, askOf(bytes))).toEqual(ok)
  })

  test('whose bytes are lost is asked for again', async () => {
    const room = await fresh()
    const bytes = bundleOf()
    await upload(room, bytes)
    for (const key of await room.blobs.list('artifacts')) await room.blobs.delete(key)
    for (const key of await room.blobs.list('chunks')) await room.blobs.delete(key)
    for (let tries = 0; (await settle(room, askOf(bytes))).state === 'not_found'; tries++) {
      expect(tries).toBeLessThan(5)
      await send(room, chunksOf(bytes))
    }
    expect(await room.meta.artifacts.artifactsByDebugId(1, debugId)).toHaveLength(2)
  })
})

const manifest = (files: object) => ({ name: 'manifest.json', body: JSON.stringify({ files }) })
const named: Packed = manifest({ 'a.js': { type: 'minified_source', url: '~/a.js' } })
const script: Packed = { name: 'a.js', body: 'x'.repeat(5000) }

describe('refused', () => {
  test('an archive that leads out of itself, with a sentence, and nothing stays of it; later it is looked at again', async () => {
    const room = await fresh()
    const bytes = archiveOf([{ name: '../x', body: 'x' }, named])
    const state = await upload(room, bytes)
    expect(state).toMatchObject({ state: 'error', missingChunks: [] })
    expect(state.detail).toMatch(/path outside of it/)
    expect(await room.blobs.list('artifacts')).toEqual([])
    room.clock.advance(61_000)
    expect((await settle(room, askOf(bytes))).state).toBe('error')
  })

  test('chunks that make something else than was said', async () => {
    const room = await fresh()
    const bytes = bundleOf()
    await send(room, chunksOf(bytes))
    const state = await settle(room, askOf(bytes, { checksum: '1'.repeat(40) }))
    expect([state.state, state.detail]).toEqual(['error', expect.stringContaining(sha1Of(bytes))])
    expect(await settle(room, askOf(bytes))).toEqual(ok)
  })

  test('a bundle without chunks, and one whose projects are gone', async () => {
    const room = await fresh()
    expect((await settle(room, askOf(bundleOf(), { chunks: [] }))).state).toBe('not_found')
    expect((await upload(room, bundleOf(), { projectIds: [77] })).detail).toMatch(/projects of this bundle are gone/)
  })

  test.each([
    ['other bytes', sha1Of('a'), 'b', 'VALIDATION'],
    ['a name that is no SHA-1', '../../x', 'b', 'VALIDATION'],
    ['more than 8 MiB', sha1Of('a'), Buffer.alloc(chunkBytesMax + 1), 'ACCEPT_TOO_LARGE'],
  ])('a chunk with %s', async (_name, checksum, body, code) => {
    const room = await fresh()
    await expect(room.artifacts.saveChunk(1, checksum, pieces(body))).rejects.toMatchObject({ code })
    expect(await room.blobs.list('')).toEqual([])
  })

  test('everything on a disk that is full', async () => {
    const room = await fresh(1000)
    const code = 'ACCEPT_DISK_FULL'
    await expect(room.artifacts.saveChunk(1, sha1Of('a'), pieces('a'))).rejects.toMatchObject({ code })
    expect(await room.meta.artifacts.chunkKeys()).toEqual([])
  })
})

describe('files of a release', () => {
  const file = (body: string, url = '~/a.js', more: object = {}) => ({
    organizationId: 1,
    projectIds: [1],
    release: 'r',
    stream: pieces(body),
    about: async () => ({ url, dist: '', headers: { sourcemap: 'a.js.map' }, ...more }),
  })

  test('are found behind bundles, and one of the same name and dist is replaced', async () => {
    const room = await fresh()
    const url = { 'a.js': { type: 'minified_source', url: '~/a.js' } }
    await upload(room, archiveOf([script, manifest(url)]), { release: 'r' })
    for (const body of ['one', 'two']) await room.artifacts.addFile(file(body))
    await room.artifacts.addFile(file('three', '~/a.js', { dist: '7' }))
    await room.artifacts.addFile(file(`{"debugId":"${debugId}"}`, '~/a.js.map?v=1'))
    const found = await room.meta.artifacts.artifactsByUrl(1, 'r', '', ['~/a.js', '~/a.js.map?v=1'])
    expect(found.map((item) => [item.type, item.bytes])).toEqual([
      ['minified_source', 5000],
      ['source_map', 50],
      ['minified_source', 3],
    ])
    expect((await room.meta.artifacts.artifactsByDebugId(1, debugId))[0]?.url).toBe('~/a.js.map?v=1')
    expect(await room.blobs.list('artifacts')).toHaveLength(4)
    const rows = await room.meta.artifacts.releaseFiles({ projectIds: [1], release: 'r', beforeId: undefined, max: 9 })
    expect(rows.map((row) => [row.file.url, row.dist])).toEqual([
      ['~/a.js.map?v=1', ''],
      ['~/a.js', '7'],
      ['~/a.js', ''],
    ])
    // Single files are not listed as bundles.
    expect(await room.meta.artifacts.listBundles({ projectId: 1, text: '', beforeId: undefined, max: 9 })).toHaveLength(
      1,
    )
  })

  test('leave nothing behind when their form is wrong', async () => {
    const room = await fresh()
    const about = () => Promise.reject(new Error('no name'))
    await expect(room.artifacts.addFile({ ...file('one'), about })).rejects.toThrow('no name')
    expect(await room.blobs.list('')).toEqual([])
  })
})

describe('what goes by itself', () => {
  const hourMs = 3_600_000

  test('bundles that no event used, and not those that one did', async () => {
    const room = await fresh()
    await upload(room, bundleOf(), { release: 'a' })
    await upload(room, bundleOf({ script: 'other' }), { release: 'b' })
    const dayMs = 24 * hourMs
    await room.meta.artifacts.touchBundles([2], nowMs + dayMs / 2)
    expect(await room.meta.artifacts.dropBundles(nowMs)).toEqual([])
    await room.meta.artifacts.touchBundles([2], nowMs + 40 * dayMs)
    expect(await room.meta.artifacts.dropBundles(nowMs + 30 * dayMs)).toHaveLength(1)
    expect((await room.meta.artifacts.artifactsByDebugId(1, debugId)).map((artifact) => artifact.bundleId)).toEqual([
      2, 2,
    ])
  })
})

describe('files that were fetched', () => {
  const url = 'https://cdn.shop.test/a.js'
  const files = (body: string) => [
    { url, bytes: Buffer.from(body), headers: { sourcemap: 'a.js.map' }, isMap: false },
    { url: `${url}.map`, bytes: Buffer.from('{}'), headers: {}, isMap: true },
  ]
  const place = { organizationId: 1, projectId: 1, release: 'r', dist: '' }

  test('are found by their whole address behind what was uploaded, and are told', async () => {
    const room = await fresh()
    await room.artifacts.addScraped({ ...place, files: files('x()') })
    expect(room.arrived).toMatchObject([{ projectIds: [1] }])
    const found = await room.meta.artifacts.artifactsByUrl(1, 'r', '', [url, `${url}.map`])
    expect(found.map((item) => [item.url, item.type, item.headers])).toEqual([
      [`${url}.map`, 'source_map', {}],
      [url, 'minified_source', { sourcemap: 'a.js.map' }],
    ])
    const [, script] = found
    expect(script && (await readArtifact(room.blobs, script, 99))?.toString()).toBe('x()')
    expect(await room.meta.artifacts.artifactsByUrl(1, '', '', [url])).toEqual([])
    await room.artifacts.addFile({
      organizationId: 1,
      projectIds: [1],
      release: 'r',
      stream: pieces('uploaded'),
      about: async () => ({ url, dist: '', headers: {} }),
    })
    const [first] = await room.meta.artifacts.artifactsByUrl(1, 'r', '', [url])
    expect(first && (await readArtifact(room.blobs, first, 99))?.toString()).toBe('uploaded')
    // Fetched files are not uploads, so the list of bundles omits them.
    expect(await room.meta.artifacts.listBundles({ projectId: 1, text: '', beforeId: undefined, max: 9 })).toEqual([])
    expect(
      await room.meta.artifacts.releaseFiles({ projectIds: [1], release: 'r', beforeId: undefined, max: 9 }),
    ).toHaveLength(1)
  })

  test('replace what was fetched before, and the same bytes change nothing', async () => {
    const room = await fresh()
    await room.artifacts.addScraped({ ...place, files: files('x()') })
    const state = await room.meta.artifacts.artifactState(1)
    await room.artifacts.addScraped({ ...place, files: files('x()') })
    expect([await room.meta.artifacts.artifactState(1), room.arrived.length]).toEqual([state, 1])
    await room.artifacts.addScraped({ ...place, files: files('y()') })
    expect(room.arrived).toHaveLength(2)
    const found = await room.meta.artifacts.artifactsByUrl(1, 'r', '', [url])
    expect(found).toHaveLength(1)
    expect(found[0] && (await readArtifact(room.blobs, found[0], 99))?.toString()).toBe('y()')
    expect((await room.blobs.list('artifacts')).sort()).toEqual((await room.meta.artifacts.bundleKeys()).sort())
  })

  test('are bounded for a project: the one that comes over it is told so', async () => {
    const room = await fresh(undefined, { scrapedBytesMax: 5 })
    await room.artifacts.addScraped({ ...place, files: files('x()') })
    expect(await room.meta.artifacts.scrapedBytes(1)).toBe(5)
    await expect(room.artifacts.addScraped({ ...place, release: 's', files: files('y()') })).rejects.toMatchObject({
      code: 'ACCEPT_TOO_LARGE',
      message: expect.stringContaining('Upload the maps'),
    })
    expect([await room.meta.artifacts.scrapedBytes(1), await room.meta.artifacts.scrapedBytes(2)]).toEqual([5, 0])
  })

  test('are not kept for a project that is gone, nor on a full disk', async () => {
    const room = await fresh()
    await room.artifacts.addScraped({ ...place, projectId: 99, files: files('x()') })
    expect([await room.meta.artifacts.bundleKeys(), room.arrived]).toEqual([[], []])
    const full = await fresh(1)
    await expect(full.artifacts.addScraped({ ...place, files: files('x()') })).rejects.toMatchObject({
      code: 'ACCEPT_DISK_FULL',
    })
  })
})
