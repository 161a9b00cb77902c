import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemClock, testClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { bundleOf, chunksOf, debugId, sha1Of } from '../operations/archive.cases.ts'
import { createArtifacts } from '../operations/artifacts.ts'
import type { AssembleRequest } from '../operations/uploads.ts'
import { openFileBlobs } from '../store/blobs/files.ts'
import { nowMs, openTestMeta, withProject } from '../store/meta/fixture.cases.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { sweepUploads } from './uploads.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-uploads-'))
const opened: MetaStore[] = []
let rooms = 0

afterAll(async () => {
  for (const meta of opened) await meta.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Real stores with project 1 `web` and project 2 `api` of organization 1. */
async function fresh() {
  const at = join(folder, String(++rooms))
  const clock = { ...testClock(nowMs), sleep: systemClock.sleep }
  const meta = await withProject(await openTestMeta(`${at}.sqlite`, { clock }))
  opened.push(meta)
  await meta.projects.createProject({ organizationId: 1, slug: 'api', name: 'Api', platform: null })
  const blobs = openFileBlobs(at)
  const artifacts = createArtifacts({ clock, observe: silent, meta, blobs, freeBytes: async () => 1e12 })
  const arrived: unknown[] = []
  artifacts.onUploaded((artifact) => arrived.push(artifact))
  return { clock, meta, blobs, artifacts, arrived }
}
type Room = Awaited<ReturnType<typeof fresh>>

async function* pieces(...parts: (Buffer | string)[]) {
  for (const part of parts) yield Buffer.from(part)
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

/** Polls until the state is final, as clients do. */
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

const hourMs = 3_600_000

test('chunks: an hour after their bundle, a day after the last question, at once with their organization', async () => {
  const room = await fresh()
  const bytes = bundleOf()
  await upload(room, bytes)
  await room.artifacts.saveChunk(1, sha1Of('half'), pieces('half'))
  expect(await sweepUploads(room)).toEqual({ chunks: 0, orphans: 0 })
  room.clock.advance(2 * hourMs)
  expect(await sweepUploads(room)).toEqual({ chunks: chunksOf(bytes).length, orphans: 0 })
  room.clock.advance(21 * hourMs)
  await room.artifacts.assemble(askOf(bytes, { checksum: '2'.repeat(40), chunks: [sha1Of('half'), '3'.repeat(40)] }))
  room.clock.advance(20 * hourMs)
  expect(await room.meta.artifacts.chunkKeys()).toHaveLength(1)
  expect(await sweepUploads(room)).toMatchObject({ chunks: 0 })
  await room.artifacts.saveChunk(9, sha1Of('x'), pieces('x'))
  expect(await sweepUploads(room)).toMatchObject({ chunks: 1 })
  room.clock.advance(5 * hourMs)
  expect(await sweepUploads(room)).toMatchObject({ chunks: 1 })
  expect((await room.blobs.list('')).map((item) => item.split('/')[0])).toEqual(['artifacts'])
})

test('what a crash left without a row', async () => {
  const room = await fresh()
  await upload(room, bundleOf())
  for (const key of ['artifacts/1/left', 'chunks/1/left', 'attachments/1']) await room.blobs.put(key, Buffer.from('x'))
  expect(await sweepUploads(room)).toEqual({ chunks: 0, orphans: 2 })
  expect(await room.blobs.list('attachments')).toHaveLength(1)
  expect(await room.meta.artifacts.artifactsByDebugId(1, debugId)).toHaveLength(2)
})

test('what is being written has no row yet, and stays', async () => {
  const room = await fresh()
  await room.blobs.put('artifacts/1/new', Buffer.from('x'))
  const artifacts = { isWriting: (key: string) => key === 'artifacts/1/new', dropFailures: () => undefined }
  expect(await sweepUploads({ ...room, artifacts })).toEqual({ chunks: 0, orphans: 0 })
  expect(await sweepUploads(room)).toEqual({ chunks: 0, orphans: 1 })
})
