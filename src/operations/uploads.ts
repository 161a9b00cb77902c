import { createHash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Observe } from '../base/observe.ts'
import { filterAsync } from '../base/sequence.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { Bundle, BundleLink } from '../store/meta/artifacts/artifacts.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

export type ArtifactDeps = {
  clock: Clock
  observe: Observe
  meta: MetaWith<
    | 'artifacts.addBundle'
    | 'artifacts.addChunk'
    | 'artifacts.artifactsOfRelease'
    | 'artifacts.bundleByChecksum'
    | 'artifacts.bundleById'
    | 'artifacts.bundleOf'
    | 'artifacts.chunkBytes'
    | 'artifacts.chunksOf'
    | 'artifacts.deleteChunks'
    | 'artifacts.extendChunks'
    | 'artifacts.linkBundle'
    | 'artifacts.linksOf'
    | 'projects.projectById'
    | 'artifacts.releaseFiles'
    | 'artifacts.removeBundle'
    | 'artifacts.sameBundle'
    | 'artifacts.scrapedBytes'
    | 'artifacts.touchBundles'
  >
  blobs: BlobStore
  /** Free bytes on the volume of the data folder. */
  freeBytes(): Promise<number>
  /** Overrides the constant `scrapedBytesMax`. */
  scrapedBytesMax?: number
}

/** A bundle to assemble from chunks. An empty text means none. */
export type AssembleRequest = {
  organizationId: number
  /** SHA-1 of the whole bundle, in hex. */
  checksum: string
  chunks: readonly string[]
  projectIds: readonly number[]
  release: string
  dist: string
}

export type UploadedBundle = { bundleId: number; organizationId: number; projectIds: number[] }

/** A queued or running assembly of a bundle. */
export type Run = { request: AssembleRequest; links: BundleLink[]; started: boolean; done: Promise<void> }

/** The uploads of one process: running work and recent failures. */
export type Uploads = {
  deps: ArtifactDeps
  runs: Map<string, Run>
  failures: Map<string, { detail: string; atMs: number }>
  /** Keys of blobs that are being written and have no row yet, with their number of writers. */
  writing: Map<string, number>
  listeners: ((bundle: UploadedBundle) => void)[]
  slots: { running: number; waiting: (() => void)[] }
}

export const MiB = 1024 ** 2
const hourMs = 3_600_000
/** An interrupted upload can continue for a day. */
export const chunkRetentionMs = 24 * hourMs

/** Runs `work` and marks the key as being written meanwhile. */
export async function whileWriting<T>({ writing }: Uploads, key: string, work: () => Promise<T>): Promise<T> {
  writing.set(key, (writing.get(key) ?? 0) + 1)
  try {
    return await work()
  } finally {
    const left = (writing.get(key) ?? 1) - 1
    if (left > 0) writing.set(key, left)
    else writing.delete(key)
  }
}

/** Throws ACCEPT_DISK_FULL when this many bytes do not fit. */
export async function demandSpace({ deps }: Uploads, bytes: number): Promise<void> {
  if ((await deps.freeBytes()) < bytes) throw new MishapError('ACCEPT_DISK_FULL')
}

/** Passes bytes through. `digest` returns their SHA-1 in hex at the end. */
export function hashed(stream: AsyncIterable<Uint8Array>): { stream: AsyncIterable<Uint8Array>; digest(): string } {
  const hash = createHash('sha1')
  async function* through() {
    for await (const chunk of stream) {
      hash.update(chunk)
      yield chunk
    }
  }
  return { stream: through(), digest: () => hash.digest('hex') }
}

/** Notifies listeners that projects have a new bundle. */
export const reportArrival = (
  uploads: Uploads,
  { id: bundleId, organizationId }: Bundle,
  links: readonly BundleLink[],
) => {
  const projectIds = [...new Set(links.map((link) => link.projectId))]
  for (const listener of uploads.listeners) listener({ bundleId, organizationId, projectIds })
}

/** Returns the links whose projects still exist. */
export const existingLinks = ({ deps }: Uploads, links: readonly BundleLink[]) =>
  filterAsync(links, async (link) => (await deps.meta.projects.projectById(link.projectId)) !== undefined)
