import { createHash, randomUUID } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { faultOf, type Observe } from '../base/observe.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import { type ArtifactType, type Bundle, type BundleLink, scrapedEntry } from '../store/meta/artifacts/artifacts.ts'
import type { Chunk } from '../store/meta/artifacts/chunks.ts'
import type { MetaStore } from '../store/meta/meta.ts'
import { debugIdOf } from '../wire/bundle.ts'
import {
  type AssembleState,
  bundleBytesMax,
  bundleFileBytesMax,
  chunkBytesMax,
  waitingBytesMax,
} from '../wire/upload.ts'
import { ZipFault } from '../wire/zip.ts'
import { createDebugIdScan, indexBundle } from './bundle.ts'

type ArtifactDeps = {
  clock: Clock
  observe: Observe
  meta: MetaStore
  blobs: BlobStore
  /** Bytes that fit on the volume of the data folder. */
  freeBytes(): Promise<number>
  /** Instead of `scrapedBytesMax`. */
  scrapedBytesMax?: number
}

/** A bundle to assemble from chunks. An empty text means none. */
export type AssembleAsk = {
  organizationId: number
  /** SHA-1 of the whole, in hex. */
  checksum: string
  chunks: readonly string[]
  projectIds: readonly number[]
  release: string
  dist: string
}

/** One file for a release. */
export type ReleaseFile = {
  organizationId: number
  projectIds: readonly number[]
  release: string
  stream: AsyncIterable<Uint8Array>
  /** The other fields of the form. They may follow the bytes, so they are asked for once the bytes are read. */
  about(): Promise<{ url: string; dist: string; headers: Record<string, string> }>
}

/** Bytes of fetched files per project. Anybody with its key can name addresses that answer with 32 MiB each. */
export const scrapedBytesMax = 1024 ** 3

/** Files that were fetched from their public addresses. */
export type ScrapedFiles = {
  organizationId: number
  projectId: number
  release: string
  dist: string
  files: readonly { url: string; bytes: Buffer; headers: Record<string, string>; isMap: boolean }[]
}

export type Arrived = { bundleId: number; organizationId: number; projectIds: number[] }

export type Artifacts = {
  /**
   * Stores a chunk from a stream. Throws VALIDATION for another SHA-1, ACCEPT_TOO_LARGE for more than `chunkBytesMax` and
   * when too many chunks wait already, ACCEPT_DISK_FULL.
   */
  saveChunk(organizationId: number, checksum: string, stream: AsyncIterable<Uint8Array>): Promise<void>
  /** Returns the state of a bundle, and starts to assemble it once all its chunks are stored. Idempotent. */
  assemble(ask: AssembleAsk): Promise<AssembleState>
  /** Stores one file of a release in place of one with the same name and dist. Throws ACCEPT_TOO_LARGE, ACCEPT_DISK_FULL. */
  addFile(file: ReleaseFile): Promise<Bundle>
  /**
   * Stores files that were fetched for a release and dist of a project, in place of earlier ones with the same names. The
   * same bytes change nothing. Throws ACCEPT_TOO_LARGE, ACCEPT_DISK_FULL.
   */
  addScraped(scraped: ScrapedFiles): Promise<void>
  /** Removes all single files of a release from these projects. */
  removeFiles(projectIds: readonly number[], release: string): Promise<void>
  /** Removes all bundles that clients call so from a project. Returns how many. */
  removeBundle(projectId: number, uuid: string): Promise<number>
  /** Removes one file of a release from these projects. */
  removeFile(bundleId: number, projectIds: readonly number[], release: string): Promise<void>
  /** Whether the blob of this key is being written: its row follows, so it is no stray. */
  isWriting(key: string): boolean
  /** Forgets why bundles were refused once every client has read it. */
  dropFailures(): void
  /** Calls `listener` for each bundle or file that is new to a project. */
  onArrived(listener: (arrived: Arrived) => void): void
}

const MiB = 1024 ** 2
const hourMs = 3_600_000
/** An interrupted upload can continue for a day. */
const chunkKeptMs = 24 * hourMs
/** Another bundle may share a chunk with one that is done. */
const usedChunkKeptMs = hourMs
/** A client polls each second, so it has read the reason by then. A later try is assembled again. */
const failureKeptMs = 60_000
/** Most small bundles are done within this time, so the client need not ask twice. */
const answerMs = 400
/** zlib inflates in threads of its own. Two of them leave the other cores to events. */
const runsMax = 2

/** A chunk has a row and no blob. The client has to send it again. */
class ChunkGone extends Error {}

type Run = { ask: AssembleAsk; links: BundleLink[]; started: boolean; done: Promise<void> }
type Uploads = {
  deps: ArtifactDeps
  runs: Map<string, Run>
  failures: Map<string, { detail: string; atMs: number }>
  /** Keys of blobs that are being written and have no row yet, with the number of writers. */
  writing: Map<string, number>
  listeners: ((arrived: Arrived) => void)[]
  slots: { running: number; waiting: (() => void)[] }
}

/** Runs `work` while a key counts as being written. */
async function whileWriting<T>({ writing }: Uploads, key: string, work: () => Promise<T>): Promise<T> {
  writing.set(key, (writing.get(key) ?? 0) + 1)
  try {
    return await work()
  } finally {
    const left = (writing.get(key) ?? 1) - 1
    if (left > 0) writing.set(key, left)
    else writing.delete(key)
  }
}

async function demandSpace({ deps }: Uploads, bytes: number): Promise<void> {
  if ((await deps.freeBytes()) < bytes) throw new MishapError('ACCEPT_DISK_FULL')
}

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

/** The chunks' bytes one after the other. Throws ChunkGone. */
async function* joined(blobs: BlobStore, chunks: readonly Chunk[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    const found = await blobs.getStream(chunk.blobKey)
    if (!found) throw new ChunkGone(chunk.checksum)
    yield* found.stream
  }
}

/** The same bytes; `digest` gives their SHA-1 in hex at the end. */
function hashed(stream: AsyncIterable<Uint8Array>): { stream: AsyncIterable<Uint8Array>; digest(): string } {
  const hash = createHash('sha1')
  async function* through() {
    for await (const piece of stream) {
      hash.update(piece)
      yield piece
    }
  }
  return { stream: through(), digest: () => hash.digest('hex') }
}

const reportArrival = (uploads: Uploads, { id: bundleId, organizationId }: Bundle, links: readonly BundleLink[]) => {
  const projectIds = [...new Set(links.map((link) => link.projectId))]
  for (const listener of uploads.listeners) listener({ bundleId, organizationId, projectIds })
}

/** Links of projects that are still there. */
const livingLinks = ({ deps }: Uploads, links: readonly BundleLink[]) =>
  links.filter((link) => deps.meta.projectById(link.projectId))

/** Writes the blob of the bundle, indexes it, and writes its rows. Throws ZipFault, ChunkGone and errors of the stores. */
async function assembleNow(uploads: Uploads, run: Run): Promise<void> {
  const { meta, blobs, clock } = uploads.deps
  const { organizationId, checksum, chunks } = run.ask
  const known = meta.chunksOf(organizationId, chunks)
  const parts = chunks.map((item) => {
    const chunk = known.get(item)
    if (!chunk) throw new ChunkGone(item)
    return chunk
  })
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
  if (bytes > bundleBytesMax) throw new ZipFault(`The bundle is over ${bundleBytesMax / MiB} MiB.`)
  await demandSpace(uploads, bytes)
  const key = `artifacts/${organizationId}/${randomUUID()}`
  await whileWriting(uploads, key, async () => {
    const source = hashed(joined(blobs, parts))
    await blobs.putStream(key, source.stream, bundleBytesMax)
    try {
      const digest = source.digest()
      if (digest !== checksum)
        throw new ZipFault(
          `The chunks do not make the bundle: their SHA-1 is ${digest}, it was said to be ${checksum}.`,
        )
      const reader = await blobs.reader(key)
      if (!reader) throw new Error('the bundle has gone')
      const { manifest, files } = await indexBundle(reader).finally(() => reader.close())
      const links = livingLinks(uploads, run.links).map((livingLink) => ({
        ...livingLink,
        release: livingLink.release || manifest.release,
        dist: livingLink.dist || manifest.dist,
      }))
      if (links.length === 0) throw new ZipFault('The projects of this bundle are gone.')
      const uuid = debugIdOf(manifest.id) || randomUUID()
      const nowMs = clock.now()
      const same = meta.sameBundle(organizationId, uuid, checksum, files)
      const bundle =
        same ??
        meta.addBundle(
          { organizationId, uuid, checksum, kind: 'bundle', blobKey: key, bytes, createdMs: nowMs },
          files,
          links,
        )
      if (same) await blobs.delete(key)
      const places = same ? meta.linkBundle(same.id, links, nowMs) : links.length
      meta.keepChunks(organizationId, chunks, nowMs + usedChunkKeptMs)
      if (places > 0) reportArrival(uploads, bundle, links)
    } catch (error) {
      await blobs.delete(key)
      throw error
    }
  })
}

/** The sentence for the client; undefined when it only has to send something again. */
function detailOf(uploads: Uploads, error: unknown): string | undefined {
  if (error instanceof ChunkGone) return undefined
  if (error instanceof ZipFault || error instanceof MishapError) return error.message
  uploads.deps.observe.warn({ error: faultOf(error) }, 'a bundle could not be assembled')
  return 'Mishap could not read or store the bundle; its log says more.'
}

function start(uploads: Uploads, key: string, ask: AssembleAsk, links: BundleLink[]): Run {
  const { meta, observe, clock } = uploads.deps
  const run: Run = { ask, links, started: false, done: Promise.resolve() }
  run.done = withSlot(uploads, async () => {
    run.started = true
    await assembleNow(uploads, run)
  })
    .catch((error: unknown) => {
      if (error instanceof ChunkGone) return meta.forgetChunks(ask.organizationId, [error.message])
      const detail = detailOf(uploads, error) ?? ''
      uploads.failures.set(key, { detail, atMs: clock.now() })
      observe.info({ organization: ask.organizationId, detail }, 'a bundle was refused')
    })
    .finally(() => uploads.runs.delete(key))
  uploads.runs.set(key, run)
  return run
}

/** Links a bundle that is already stored with these bytes. Undefined when there is none. */
async function known(
  uploads: Uploads,
  ask: AssembleAsk,
  links: readonly BundleLink[],
): Promise<AssembleState | undefined> {
  const { meta, blobs, clock } = uploads.deps
  const bundle = meta.bundleByChecksum(ask.organizationId, ask.checksum)
  if (!bundle) return undefined
  const reader = await blobs.reader(bundle.blobKey)
  if (!reader) {
    // Its bytes are lost. It is removed, so that a new upload repairs it.
    for (const { projectId } of meta.linksOf([bundle.id])) meta.removeBundle(bundle.id, projectId)
    return undefined
  }
  await reader.close()
  const before = meta.linksOf([bundle.id])
  // The first link has the release and dist of the manifest.
  const own = before[0]
  const wanted = livingLinks(uploads, links).map((livingLink) => ({
    projectId: livingLink.projectId,
    release: livingLink.release || own?.release || '',
    dist:
      livingLink.dist || (livingLink.release === '' || livingLink.release === own?.release ? (own?.dist ?? '') : ''),
  }))
  if (meta.linkBundle(bundle.id, wanted, clock.now()) > 0) reportArrival(uploads, bundle, wanted)
  meta.touchBundles([bundle.id], clock.now())
  return { state: 'ok', missingChunks: [] }
}

async function assemble(uploads: Uploads, ask: AssembleAsk): Promise<AssembleState> {
  const { meta, clock } = uploads.deps
  const key = `${ask.organizationId}/${ask.checksum}`
  const links = ask.projectIds.map((projectId) => ({ projectId, release: ask.release, dist: ask.dist }))
  const there = await known(uploads, ask, links)
  if (there) return there
  const failure = uploads.failures.get(key)
  if (failure && clock.now() - failure.atMs < failureKeptMs)
    return { state: 'error', missingChunks: [], detail: failure.detail }
  uploads.failures.delete(key)
  const running = uploads.runs.get(key)
  if (running) {
    running.links.push(...links)
    return { state: running.started ? 'assembling' : 'created', missingChunks: [] }
  }
  meta.keepChunks(ask.organizationId, ask.chunks, clock.now() + chunkKeptMs)
  const found = meta.chunksOf(ask.organizationId, ask.chunks)
  const missingChunks = [...new Set(ask.chunks)].filter((chunk) => !found.has(chunk))
  if (missingChunks.length > 0 || ask.chunks.length === 0) return { state: 'not_found', missingChunks }
  const run = start(uploads, key, ask, links)
  await Promise.race([run.done, clock.sleep(answerMs)])
  return uploads.runs.has(key) ? { state: 'created', missingChunks: [] } : assemble(uploads, ask)
}

async function saveChunk(
  uploads: Uploads,
  organizationId: number,
  checksum: string,
  stream: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { meta, blobs, clock } = uploads.deps
  if (!/^[0-9a-f]{40}$/.test(checksum))
    throw new MishapError('VALIDATION', { detail: 'The name of a chunk is its SHA-1 in 40 hex digits.' })
  if (meta.chunkBytes(organizationId) > waitingBytesMax)
    throw new MishapError('ACCEPT_TOO_LARGE', {
      detail: 'Too many chunks wait for the rest of their uploads; they go after a day.',
    })
  await demandSpace(uploads, chunkBytesMax)
  const key = `chunks/${organizationId}/${checksum}`
  await whileWriting(uploads, key, async () => {
    const source = hashed(stream)
    async function* checked() {
      yield* source.stream
      if (source.digest() !== checksum)
        throw new MishapError('VALIDATION', { detail: `The bytes of chunk ${checksum} have another SHA-1.` })
    }
    const { bytes } = await blobs.putStream(key, checked(), chunkBytesMax)
    meta.addChunk(organizationId, { checksum, bytes, blobKey: key }, clock.now() + chunkKeptMs)
  })
}

async function addFile(uploads: Uploads, file: ReleaseFile): Promise<Bundle> {
  const { meta, blobs, clock } = uploads.deps
  const { organizationId, projectIds, release } = file
  const key = `artifacts/${organizationId}/${randomUUID()}`
  const scan = createDebugIdScan()
  return whileWriting(uploads, key, async () => {
    await demandSpace(uploads, MiB)
    const source = hashed(file.stream)
    async function* scanned() {
      for await (const piece of source.stream) {
        scan.push(Buffer.from(piece))
        yield piece
      }
    }
    const { bytes } = await blobs.putStream(key, scanned(), bundleFileBytesMax)
    const { url, dist, headers } = await file.about().catch(async (error: unknown) => {
      await blobs.delete(key)
      throw error
    })
    const type: ArtifactType = /\.map$/i.test(url.replace(/[?#].*$/, '')) ? 'source_map' : 'minified_source'
    const before = meta
      .artifactsOfRelease(projectIds, release, dist, url)
      .map((id) => ({ id, places: meta.linksOf([id]) }))
    const debugId = debugIdOf(headers['debug-id'] ?? '') || scan.debugId(type)
    const links = projectIds.map((projectId) => ({ projectId, release, dist }))
    const bundle = meta.addBundle(
      {
        organizationId,
        uuid: randomUUID(),
        checksum: source.digest(),
        kind: 'file' as const,
        blobKey: key,
        bytes,
        createdMs: clock.now(),
      },
      [{ entry: url, type, debugId, url, headers, bytes, at: 0, packed: bytes, method: 0, crc: 0 }],
      links,
    )
    for (const { id, places } of before)
      for (const { projectId } of places.filter((place) => projectIds.includes(place.projectId))) {
        const gone = meta.removeBundle(id, projectId, release)
        if (gone !== undefined) await blobs.delete(gone)
      }
    reportArrival(uploads, bundle, links)
    return bundle
  })
}

/** Stores a fetched script and its map in place of earlier ones. */
async function addScraped(
  uploads: Uploads,
  { organizationId, projectId, release, dist, files }: ScrapedFiles,
): Promise<void> {
  const { meta, blobs, clock, scrapedBytesMax: scrapedMax = scrapedBytesMax } = uploads.deps
  const links = livingLinks(uploads, [{ projectId, release, dist }])
  let changed: Bundle | undefined
  for (const { url, bytes, headers, isMap } of files) {
    const checksum = createHash('sha1').update(bytes).digest('hex')
    const before = meta.artifactsOfRelease([projectId], release, dist, url, 'scraped')
    if (before.some((id) => meta.bundleById(id)?.checksum === checksum) || links.length === 0) continue
    if (meta.scrapedBytes(projectId) + bytes.length > scrapedMax)
      throw new MishapError('ACCEPT_TOO_LARGE', {
        detail: `What was fetched for this project takes ${scrapedMax / MiB} MiB already; upload the maps, or narrow the allowed origins.`,
      })
    await demandSpace(uploads, bytes.length)
    const key = `artifacts/${organizationId}/${randomUUID()}`
    await whileWriting(uploads, key, async () => {
      await blobs.put(key, bytes)
      const type: ArtifactType = isMap ? 'source_map' : 'minified_source'
      changed = meta.addBundle(
        {
          organizationId,
          uuid: randomUUID(),
          checksum,
          kind: 'scraped' as const,
          blobKey: key,
          bytes: bytes.length,
          createdMs: clock.now(),
        },
        [
          {
            entry: scrapedEntry,
            type,
            debugId: '',
            url,
            headers,
            bytes: bytes.length,
            at: 0,
            packed: bytes.length,
            method: 0,
            crc: 0,
          },
        ],
        links,
      )
    })
    for (const id of before) {
      const gone = meta.removeBundle(id, projectId, release)
      if (gone !== undefined) await blobs.delete(gone)
    }
  }
  if (changed) reportArrival(uploads, changed, links)
}

/** Removes one file of a release from projects. Its bytes go with the last of them. */
async function removeFile(
  { meta, blobs }: Pick<ArtifactDeps, 'meta' | 'blobs'>,
  bundleId: number,
  projectIds: readonly number[],
  release: string,
): Promise<void> {
  for (const projectId of projectIds) {
    const gone = meta.removeBundle(bundleId, projectId, release)
    if (gone !== undefined) await blobs.delete(gone)
  }
}

/** Creates the uploads: chunks, the bundles assembled from them, and files of releases. Nothing runs by itself. */
export function createArtifacts(deps: ArtifactDeps): Artifacts {
  const { meta, blobs, clock } = deps
  const uploads: Uploads = {
    deps,
    runs: new Map(),
    failures: new Map(),
    writing: new Map(),
    listeners: [],
    slots: { running: 0, waiting: [] },
  }
  return {
    saveChunk: (organizationId, checksum, stream) => saveChunk(uploads, organizationId, checksum, stream),
    assemble: (ask) => assemble(uploads, ask),
    addFile: (file) => addFile(uploads, file),
    addScraped: (scraped) => addScraped(uploads, scraped),
    removeFile: (bundleId, projectIds, release) => removeFile(deps, bundleId, projectIds, release),
    removeFiles: async (projectIds, release) => {
      for (;;) {
        const rows = meta.releaseFiles({ projectIds, release, beforeId: undefined, max: 100 })
        if (rows.length === 0) return
        for (const { bundle } of rows) await removeFile(deps, bundle.id, projectIds, release)
      }
    },
    removeBundle: async (projectId, uuid) => {
      for (let count = 0; ; count++) {
        const bundle = meta.bundleOf(projectId, uuid)
        if (!bundle) return count
        const gone = meta.removeBundle(bundle.id, projectId)
        if (gone !== undefined) await blobs.delete(gone)
      }
    },
    isWriting: (key) => uploads.writing.has(key),
    dropFailures: () => {
      for (const [key, { atMs }] of uploads.failures)
        if (clock.now() - atMs > failureKeptMs) uploads.failures.delete(key)
    },
    onArrived: (listener) => void uploads.listeners.push(listener),
  }
}
