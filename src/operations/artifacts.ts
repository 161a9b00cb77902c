import { createHash, randomUUID } from 'node:crypto'
import { MishapError } from '../base/errors.ts'
import { someAsync } from '../base/sequence.ts'
import { type ArtifactType, type Bundle, scrapedEntry } from '../store/meta/artifacts/artifacts.ts'
import { debugIdOf } from '../wire/bundle.ts'
import { type AssembleState, bundleFileBytesMax, chunkBytesMax, waitingBytesMax } from '../wire/upload.ts'
import { assemble, dropFailures } from './artifacts/assembly.ts'
import { createDebugIdScan } from './artifacts/bundle.ts'
import {
  type ArtifactDeps,
  type AssembleRequest,
  chunkRetentionMs,
  demandSpace,
  existingLinks,
  hashed,
  MiB,
  reportArrival,
  type UploadedBundle,
  type Uploads,
  whileWriting,
} from './uploads.ts'

/** One file for a release. */
type ReleaseFile = {
  organizationId: number
  projectIds: readonly number[]
  release: string
  stream: AsyncIterable<Uint8Array>
  /** The other fields of the form. They can follow the file in the request, so they are read after its bytes. */
  about(): Promise<{ url: string; dist: string; headers: Record<string, string> }>
}

/** Maximum bytes of fetched files per project. Anybody with its key can name addresses that return 32 MiB each. */
const scrapedBytesMax = 1024 ** 3

/** Scripts and source maps that Mishap fetched from their public addresses. */
export type ScrapedFiles = {
  organizationId: number
  projectId: number
  release: string
  dist: string
  files: readonly { url: string; bytes: Buffer; headers: Record<string, string>; isMap: boolean }[]
}

export type Artifacts = {
  /**
   * Stores a chunk from a stream. Throws VALIDATION for another SHA-1, ACCEPT_TOO_LARGE for more than `chunkBytesMax`
   * or when too many chunks already wait, ACCEPT_DISK_FULL.
   */
  saveChunk(organizationId: number, checksum: string, stream: AsyncIterable<Uint8Array>): Promise<void>
  /** Returns the state of a bundle, and starts to assemble it once all its chunks are stored. Idempotent. */
  assemble(request: AssembleRequest): Promise<AssembleState>
  /** Stores a release file and replaces one of the same name and dist. Throws ACCEPT_TOO_LARGE, ACCEPT_DISK_FULL. */
  addFile(file: ReleaseFile): Promise<Bundle>
  /**
   * Stores files that were fetched for a release and dist of a project. They replace earlier ones with the same names;
   * identical bytes change nothing. Throws ACCEPT_TOO_LARGE, ACCEPT_DISK_FULL.
   */
  addScraped(scraped: ScrapedFiles): Promise<void>
  /** Removes all single files of a release from these projects. */
  removeFiles(projectIds: readonly number[], release: string): Promise<void>
  /** Removes all bundles with this client-side id from a project. Returns their number. */
  removeBundle(projectId: number, uuid: string): Promise<number>
  /** Removes one file of a release from these projects. */
  removeFile(bundleId: number, projectIds: readonly number[], release: string): Promise<void>
  /** Whether a blob is being written. Its row follows, so a sweep must not remove it as an orphan. */
  isWriting(key: string): boolean
  /** Drops the reasons of refused bundles after `failureRetentionMs`, when every client has read them. */
  dropFailures(): void
  /** Calls `listener` for each bundle or file that is new to a project. */
  onUploaded(listener: (bundle: UploadedBundle) => void): void
}

async function saveChunk(
  uploads: Uploads,
  organizationId: number,
  checksum: string,
  stream: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { meta, blobs, clock } = uploads.deps
  if (!/^[0-9a-f]{40}$/.test(checksum))
    throw new MishapError('VALIDATION', { detail: 'The name of a chunk must be its SHA-1 in 40 hex digits.' })
  if ((await meta.artifacts.chunkBytes(organizationId)) > waitingBytesMax)
    throw new MishapError('ACCEPT_TOO_LARGE', {
      detail: 'Too many chunks belong to unfinished uploads. Mishap deletes them after a day.',
    })
  await demandSpace(uploads, chunkBytesMax)
  const key = `chunks/${organizationId}/${checksum}`
  await whileWriting(uploads, key, async () => {
    const source = hashed(stream)
    async function* checked() {
      yield* source.stream
      if (source.digest() !== checksum)
        throw new MishapError('VALIDATION', { detail: `The content of chunk ${checksum} has another SHA-1.` })
    }
    const { bytes } = await blobs.putStream(key, checked(), chunkBytesMax)
    await meta.artifacts.addChunk(organizationId, { checksum, bytes, blobKey: key }, clock.now() + chunkRetentionMs)
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
      for await (const chunk of source.stream) {
        scan.push(Buffer.from(chunk))
        yield chunk
      }
    }
    const { bytes } = await blobs.putStream(key, scanned(), bundleFileBytesMax)
    const { url, dist, headers } = await file.about().catch(async (error: unknown) => {
      await blobs.delete(key)
      throw error
    })
    const type: ArtifactType = /\.map$/i.test(url.replace(/[?#].*$/, '')) ? 'source_map' : 'minified_source'
    const debugId = debugIdOf(headers['debug-id'] ?? '') || scan.debugId(type)
    const links = projectIds.map((projectId) => ({ projectId, release, dist }))
    const bundle = await meta.artifacts.addBundle(
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
    // Read after the new file is stored: of parallel uploads of one file, the last one stays.
    const named = await meta.artifacts.artifactsOfRelease(projectIds, release, dist, url)
    const replaced = await meta.artifacts.linksOf(named.filter((id) => id < bundle.id))
    for (const { bundleId, projectId } of replaced.filter((link) => projectIds.includes(link.projectId))) {
      const gone = await meta.artifacts.removeBundle(bundleId, projectId, release)
      if (gone !== undefined) await blobs.delete(gone)
    }
    reportArrival(uploads, bundle, links)
    return bundle
  })
}

/** Stores a fetched script and its source map in place of earlier ones. */
async function addScraped(
  uploads: Uploads,
  { organizationId, projectId, release, dist, files }: ScrapedFiles,
): Promise<void> {
  const { meta, blobs, clock, scrapedBytesMax: scrapedMax = scrapedBytesMax } = uploads.deps
  const links = await existingLinks(uploads, [{ projectId, release, dist }])
  let changed: Bundle | undefined
  for (const { url, bytes, headers, isMap } of files) {
    const checksum = createHash('sha1').update(bytes).digest('hex')
    const before = await meta.artifacts.artifactsOfRelease([projectId], release, dist, url, 'scraped')
    const isStored = (id: number) => meta.artifacts.bundleById(id).then((bundle) => bundle?.checksum === checksum)
    if (links.length === 0 || (await someAsync(before, isStored))) continue
    if ((await meta.artifacts.scrapedBytes(projectId)) + bytes.length > scrapedMax)
      throw new MishapError('ACCEPT_TOO_LARGE', {
        detail: `The files fetched for this project already take ${scrapedMax / MiB} MiB. Upload the maps, or narrow the allowed origins.`,
      })
    await demandSpace(uploads, bytes.length)
    const key = `artifacts/${organizationId}/${randomUUID()}`
    await whileWriting(uploads, key, async () => {
      await blobs.put(key, bytes)
      const type: ArtifactType = isMap ? 'source_map' : 'minified_source'
      changed = await meta.artifacts.addBundle(
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
      const gone = await meta.artifacts.removeBundle(id, projectId, release)
      if (gone !== undefined) await blobs.delete(gone)
    }
  }
  if (changed) reportArrival(uploads, changed, links)
}

/** Removes one file of a release from projects. The last removal deletes its bytes. */
async function removeFile(
  { meta, blobs }: Pick<ArtifactDeps, 'meta' | 'blobs'>,
  bundleId: number,
  projectIds: readonly number[],
  release: string,
): Promise<void> {
  for (const projectId of projectIds) {
    const gone = await meta.artifacts.removeBundle(bundleId, projectId, release)
    if (gone !== undefined) await blobs.delete(gone)
  }
}

/** Creates the uploads: chunks, the bundles assembled from them, and files of releases. Starts no background work. */
export function createArtifacts(deps: ArtifactDeps): Artifacts {
  const { meta, blobs } = deps
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
        const rows = await meta.artifacts.releaseFiles({ projectIds, release, beforeId: undefined, max: 100 })
        if (rows.length === 0) return
        for (const { bundle } of rows) await removeFile(deps, bundle.id, projectIds, release)
      }
    },
    removeBundle: async (projectId, uuid) => {
      for (let count = 0; ; count++) {
        const bundle = await meta.artifacts.bundleOf(projectId, uuid)
        if (!bundle) return count
        const gone = await meta.artifacts.removeBundle(bundle.id, projectId)
        if (gone !== undefined) await blobs.delete(gone)
      }
    },
    isWriting: (key) => uploads.writing.has(key),
    dropFailures: () => dropFailures(uploads),
    onUploaded: (listener) => void uploads.listeners.push(listener),
  }
}
