import { readFileSync } from 'node:fs'
import type { NormalFrame } from '../../domain/event.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import type { ArtifactFile } from '../../store/meta/artifacts/artifacts.ts'
import { readManifest } from '../../wire/bundle.ts'
import { dataStart, findZipDirectory, readZipDirectory } from '../../wire/zip.ts'
import { type MapQuery, mapFrames } from './frames.ts'
import { load } from './load.ts'
import type { MapAnswer } from './map-cache.ts'
import { createWorkerMaps, type RangeMaps } from './maps.ts'
import { type Artifacts, planOf } from './plan.ts'

// For tests and benches of this folder: uploaded files without a store, and maps without threads.

export type Uploaded = {
  url: string
  bytes: Buffer | string
  type?: ArtifactFile['type']
  debugId?: string
  headers?: Record<string, string>
  bundleId?: number
  release?: string
  dist?: string
  /** Uploaded alone, not in a bundle. */
  single?: true
}

/** Uploaded files in memory. They answer like the store: newest bundle first. */
export function uploadsOf(list: readonly Uploaded[]): { artifacts: Artifacts; blobs: Pick<BlobStore, 'reader'> } {
  const files = list.map((entry, at) => {
    const bytes = Buffer.from(entry.bytes)
    const file: ArtifactFile = {
      id: at + 1,
      bundleId: entry.bundleId ?? 1,
      entry: entry.single ? entry.url : `files/_/_/${at}`,
      type: entry.type ?? (entry.url.endsWith('.map') ? 'source_map' : 'minified_source'),
      debugId: entry.debugId ?? '',
      url: entry.url,
      headers: entry.headers ?? {},
      bytes: bytes.length,
      blobKey: `blob/${at}`,
      at: 0,
      packed: bytes.length,
      method: 0,
    }
    return { file, bytes, release: entry.release ?? '1.0', dist: entry.dist ?? '' }
  })
  const newest = files.toSorted((a, b) => b.file.bundleId - a.file.bundleId || a.file.id - b.file.id)
  return {
    artifacts: {
      artifacts: {
        artifactsByDebugId: async (_project, id) =>
          newest.map((entry) => entry.file).filter((file) => file.debugId === id),
        artifactsByUrl: async (_project, release, dist, urls) =>
          newest
            .filter((entry) => entry.release === release && entry.dist === dist && urls.includes(entry.file.url))
            .map((entry) => entry.file),
      },
    },
    blobs: {
      reader: async (key) => {
        const bytes = files.find(({ file }) => file.blobKey === key)?.bytes
        return (
          bytes && {
            bytes: bytes.length,
            read: async (at, count) => bytes.subarray(at, at + count),
            close: async () => undefined,
          }
        )
      },
    },
  }
}

/** Reads the files of an artifact bundle on disk. */
export async function filesOfBundle(path: string, bundleId = 1, release = '1.0'): Promise<Uploaded[]> {
  const bytes = readFileSync(path)
  const directory = await findZipDirectory(bytes, bytes.length, async (from, count) =>
    bytes.subarray(from, from + count),
  )
  const { inflateRawSync } = await import('node:zlib')
  const entries = readZipDirectory(bytes.subarray(directory.at, directory.at + directory.bytes), directory)
  const contents = new Map(
    entries.map((entry) => {
      const start = dataStart(bytes.subarray(entry.at, entry.at + 30), entry)
      const packed = bytes.subarray(start, start + entry.packed)
      return [entry.name, entry.method === 0 ? packed : inflateRawSync(packed)]
    }),
  )
  const manifest = readManifest(contents.get('manifest.json') ?? Buffer.alloc(0))
  return (manifest?.files ?? []).map(({ entry, url, type, headers, debugId }) => ({
    url,
    type,
    headers,
    debugId,
    bytes: contents.get(entry) ?? Buffer.alloc(0),
    bundleId,
    release,
  }))
}

export type RigOptions = { release?: string; dist?: string; debugIds?: Readonly<Record<string, string>> }

/** The maps of uploaded files, as in a worker. This thread reads them. */
export function mapsOf(uploads: readonly Uploaded[], { release = '1.0', dist = '' }: RigOptions = {}): RangeMaps {
  const { artifacts, blobs } = uploadsOf(uploads)
  const answerQuery = async (query: MapQuery): Promise<MapAnswer> => {
    const plan = await planOf(7, query, artifacts, blobs)
    if (!plan) return { reason: 'file_missing' }
    const findSources = async (urls: string[]) =>
      await Array.fromAsync(
        urls,
        async (url) =>
          (await artifacts.artifacts.artifactsByUrl(7, release, dist, [url, `~${new URL(url).pathname}`]))[0] ?? null,
      )
    const { flat, reason } = await load({ job: 1, ...plan }, blobs, findSources)
    const why = plan.reason ?? reason
    const id = `${plan.script?.blobKey} ${plan.map?.blobKey}`
    const { sourcemap, resolvedWith } = plan
    return { sourcemap, resolvedWith, ...(flat ? { id, flat } : {}), ...(why ? { reason: why } : {}) }
  }
  return createWorkerMaps(
    (_project, queries) => Promise.all(queries.map(answerQuery)),
    () => 0,
  ).of(7, 'state', { leftMs: 1000 })
}

/** Maps frames with the uploaded files in this thread. Returns the frames and, if any was mapped, the raw frames. */
export async function mapWith(
  uploads: readonly Uploaded[],
  frames: readonly Partial<NormalFrame>[],
  options: RigOptions = {},
) {
  const { release = '1.0', dist = '', debugIds = {} } = options
  const maps = mapsOf(uploads, options)
  const context = { platform: 'javascript', release, dist, debugIdOf: (url: string) => debugIds[url] }
  const given = frames.map((frame) => ({ ...frame }) as NormalFrame)
  let mapped = mapFrames(given, maps, context)
  while (maps.missing()) {
    await maps.load()
    mapped = mapFrames(given, maps, context)
  }
  return { frames: mapped?.frames ?? given, raw: mapped?.raw }
}
