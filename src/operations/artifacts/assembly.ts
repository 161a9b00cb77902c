import { randomUUID } from 'node:crypto'
import { MishapError } from '../../base/errors.ts'
import { faultOf } from '../../base/observe.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import type { BundleLink } from '../../store/meta/artifacts/artifacts.ts'
import type { Chunk } from '../../store/meta/artifacts/chunks.ts'
import { debugIdOf } from '../../wire/bundle.ts'
import { type AssembleState, bundleBytesMax } from '../../wire/upload.ts'
import { ZipFault } from '../../wire/zip.ts'
import {
  type AssembleRequest,
  chunkRetentionMs,
  demandSpace,
  existingLinks,
  hashed,
  MiB,
  type Run,
  reportArrival,
  type Uploads,
  whileWriting,
} from '../uploads.ts'
import { indexBundle } from './bundle.ts'

/** Another bundle can share a chunk with an assembled bundle. */
const usedChunkRetentionMs = 3_600_000
/** Clients poll each second, so they have read the reason by then. A later request assembles the bundle again. */
const failureRetentionMs = 60_000
/** Most small bundles are assembled within this time, so the client does not have to ask twice. */
const answerMs = 400
/** zlib decompresses in its own threads. Two assemblies leave the other cores to events. */
const runsMax = 2

/** A chunk has no row, or a row without a blob. The client must upload it again. */
class ChunkMissing extends Error {}

async function withSlot<T>({ slots }: Uploads, work: () => Promise<T>): Promise<T> {
  if (slots.running >= runsMax) await new Promise<void>((resolve) => slots.waiting.push(resolve))
  else slots.running++
  try {
    return await work()
  } finally {
    const next = slots.waiting.shift()
    if (next) next()
    else slots.running--
  }
}

/** Yields the bytes of the chunks in order. Throws ChunkGone. */
async function* joined(blobs: BlobStore, chunks: readonly Chunk[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    const found = await blobs.getStream(chunk.blobKey)
    if (!found) throw new ChunkMissing(chunk.checksum)
    yield* found.stream
  }
}

/** Writes the blob of a bundle, indexes it, and writes its rows. Throws ZipFault, ChunkGone and store errors. */
async function assembleNow(uploads: Uploads, run: Run): Promise<void> {
  const { meta, blobs, clock } = uploads.deps
  const { organizationId, checksum, chunks } = run.request
  const known = await meta.artifacts.chunksOf(organizationId, chunks)
  const chunkRows = chunks.map((item) => {
    const chunk = known.get(item)
    if (!chunk) throw new ChunkMissing(item)
    return chunk
  })
  const bytes = chunkRows.reduce((sum, part) => sum + part.bytes, 0)
  if (bytes > bundleBytesMax) throw new ZipFault(`The bundle is over ${bundleBytesMax / MiB} MiB.`)
  await demandSpace(uploads, bytes)
  const key = `artifacts/${organizationId}/${randomUUID()}`
  await whileWriting(uploads, key, async () => {
    const source = hashed(joined(blobs, chunkRows))
    await blobs.putStream(key, source.stream, bundleBytesMax)
    try {
      const digest = source.digest()
      if (digest !== checksum)
        throw new ZipFault(`The chunks do not form the bundle: their SHA-1 is ${digest}, expected ${checksum}.`)
      const reader = await blobs.reader(key)
      if (!reader) throw new Error('the bundle has gone')
      const { manifest, files } = await indexBundle(reader).finally(() => reader.close())
      const links = (await existingLinks(uploads, run.links)).map((link) => ({
        ...link,
        release: link.release || manifest.release,
        dist: link.dist || manifest.dist,
      }))
      if (links.length === 0) throw new ZipFault('The projects of this bundle are gone.')
      const uuid = debugIdOf(manifest.id) || randomUUID()
      const nowMs = clock.now()
      const same = await meta.artifacts.sameBundle(organizationId, uuid, checksum, files)
      const bundle =
        same ??
        (await meta.artifacts.addBundle(
          { organizationId, uuid, checksum, kind: 'bundle', blobKey: key, bytes, createdMs: nowMs },
          files,
          links,
        ))
      if (same) await blobs.delete(key)
      const places = same ? await meta.artifacts.linkBundle(same.id, links, nowMs) : links.length
      await meta.artifacts.extendChunks(organizationId, chunks, nowMs + usedChunkRetentionMs)
      if (places > 0) reportArrival(uploads, bundle, links)
    } catch (error) {
      await blobs.delete(key)
      throw error
    }
  })
}

/** The error text for the client; undefined when the client only has to upload a chunk again. */
function detailOf(uploads: Uploads, error: unknown): string | undefined {
  if (error instanceof ChunkMissing) return undefined
  if (error instanceof ZipFault || error instanceof MishapError) return error.message
  uploads.deps.observe.warn({ error: faultOf(error) }, 'a bundle could not be assembled')
  return 'Mishap could not read or store the bundle. Its log has the details.'
}

function start(uploads: Uploads, key: string, request: AssembleRequest, links: BundleLink[]): Run {
  const { meta, observe, clock } = uploads.deps
  const run: Run = { request, links, started: false, done: Promise.resolve() }
  run.done = withSlot(uploads, async () => {
    run.started = true
    await assembleNow(uploads, run)
  })
    .catch(async (error: unknown) => {
      if (error instanceof ChunkMissing) return meta.artifacts.deleteChunks(request.organizationId, [error.message])
      const detail = detailOf(uploads, error) ?? ''
      uploads.failures.set(key, { detail, atMs: clock.now() })
      observe.info({ organization: request.organizationId, detail }, 'a bundle was refused')
    })
    .finally(() => uploads.runs.delete(key))
  uploads.runs.set(key, run)
  return run
}

/** Adds links to the run of a bundle. Returns undefined if it does not run. */
function join(uploads: Uploads, key: string, links: readonly BundleLink[]): Run | undefined {
  const run = uploads.runs.get(key)
  run?.links.push(...links)
  return run
}

/** Links a bundle that is already stored with this checksum. Returns undefined if there is none or its blob is lost. */
async function linkExisting(
  uploads: Uploads,
  request: AssembleRequest,
  links: readonly BundleLink[],
): Promise<AssembleState | undefined> {
  const { meta, blobs, clock } = uploads.deps
  const bundle = await meta.artifacts.bundleByChecksum(request.organizationId, request.checksum)
  if (!bundle) return undefined
  const reader = await blobs.reader(bundle.blobKey)
  if (!reader) {
    // Its bytes are lost. Remove it, so that a new upload repairs it.
    for (const { projectId } of await meta.artifacts.linksOf([bundle.id]))
      await meta.artifacts.removeBundle(bundle.id, projectId)
    return undefined
  }
  await reader.close()
  const before = await meta.artifacts.linksOf([bundle.id])
  // The first link has the release and dist of the manifest.
  const manifestLink = before[0]
  const newLinks = (await existingLinks(uploads, links)).map((link) => ({
    projectId: link.projectId,
    release: link.release || manifestLink?.release || '',
    dist:
      link.dist || (link.release === '' || link.release === manifestLink?.release ? (manifestLink?.dist ?? '') : ''),
  }))
  if ((await meta.artifacts.linkBundle(bundle.id, newLinks, clock.now())) > 0) reportArrival(uploads, bundle, newLinks)
  await meta.artifacts.touchBundles([bundle.id], clock.now())
  return { state: 'ok', missingChunks: [] }
}

/** Returns the state of a bundle, and starts to assemble it once all its chunks are stored. Idempotent. */
export async function assemble(uploads: Uploads, request: AssembleRequest): Promise<AssembleState> {
  const { meta, clock } = uploads.deps
  const key = `${request.organizationId}/${request.checksum}`
  const links = request.projectIds.map((projectId) => ({ projectId, release: request.release, dist: request.dist }))
  const existing = await linkExisting(uploads, request, links)
  if (existing) return existing
  const failure = uploads.failures.get(key)
  if (failure && clock.now() - failure.atMs < failureRetentionMs)
    return { state: 'error', missingChunks: [], detail: failure.detail }
  uploads.failures.delete(key)
  const running = join(uploads, key, links)
  if (running) return { state: running.started ? 'assembling' : 'created', missingChunks: [] }
  await meta.artifacts.extendChunks(request.organizationId, request.chunks, clock.now() + chunkRetentionMs)
  const found = await meta.artifacts.chunksOf(request.organizationId, request.chunks)
  const missingChunks = [...new Set(request.chunks)].filter((chunk) => !found.has(chunk))
  if (missingChunks.length > 0 || request.chunks.length === 0) return { state: 'not_found', missingChunks }
  // Another request can have started it meanwhile.
  const run = join(uploads, key, links) ?? start(uploads, key, request, links)
  await Promise.race([run.done, clock.sleep(answerMs)])
  return uploads.runs.has(key) ? { state: 'created', missingChunks: [] } : assemble(uploads, request)
}

/** Drops the reasons of refused bundles after `failureRetentionMs`, when every client has read them. */
export function dropFailures({ deps, failures }: Pick<Uploads, 'deps' | 'failures'>): void {
  for (const [key, { atMs }] of failures) if (deps.clock.now() - atMs > failureRetentionMs) failures.delete(key)
}
