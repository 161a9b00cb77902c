import { MishapError } from '../../base/errors.ts'
import type { UnmappedReason } from '../../domain/event.ts'
import { readArtifact } from '../../store/blobs/artifact.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import type { ArtifactFile } from '../../store/meta/artifacts/artifacts.ts'
import { MapBroken, MapLarge } from './decode.ts'
import { type FlatMap, flatten, parseMap } from './flat.ts'
import { dataUrlBytes, joinUrl, referenceOf } from './paths.ts'
import { fileBytesMax } from './plan.ts'
import { asDeployed } from './prepared.ts'

/** A job of the loader thread: make the flat map of a script and its map. `inline`: the map is in the script. */
export type LoadJob = {
  job: number
  script: ArtifactFile | undefined
  map: ArtifactFile | undefined
  inline: boolean
  /** The address that the map's sources are relative to. */
  sourcemap: string
}

/**
 * With both `flat` and `reason`, the script is there but its map cannot be used. `away`: the blob store is away, so the
 * reason says nothing about the map.
 */
export type Loaded = { flat?: FlatMap; reason?: UnmappedReason; away?: boolean }

export type ToLoader = ({ kind: 'load' } & LoadJob) | { kind: 'files'; job: number; files: (ArtifactFile | null)[] }
export type FromLoader =
  | { kind: 'begun'; job: number }
  | { kind: 'sources'; job: number; urls: string[] }
  | { kind: 'loaded'; job: number; loaded: Loaded }

/** Limits for sources that the map does not contain and that are read from uploaded files. */
const fetchedMax = 2000
const fetchedBytesMax = 64 * 1024 * 1024

/**
 * Reads and flattens a map. `findSources` returns the uploaded file for each URL. Invalid files give a reason. Throws
 * only for errors of the store.
 */
export async function load(
  { script, map, inline, sourcemap }: LoadJob,
  blobs: Pick<BlobStore, 'reader'>,
  findSources: (urls: string[]) => Promise<(ArtifactFile | null)[]>,
): Promise<Loaded> {
  const scriptBytes = script && (await read(blobs, script))
  // A map with a debug id is useful without its script. If the script is too large, only function names are lost.
  const text = Buffer.isBuffer(scriptBytes) ? scriptBytes.toString() : undefined
  if (script && text === undefined && !map)
    return { reason: typeof scriptBytes === 'string' ? scriptBytes : 'file_gone' }
  const only = (reason: UnmappedReason): Loaded =>
    text === undefined ? { reason } : { flat: flatten({ script: text, map: undefined }), reason }
  if (!map && !inline) return only('map_unnamed')
  try {
    const mapBytes = map ? await read(blobs, map) : dataUrlBytes(referenceOf(text ?? '') ?? '')
    if (typeof mapBytes === 'string') return only(mapBytes)
    if (!mapBytes) return only(map ? 'file_gone' : 'map_broken')
    const parsed = parseMap(mapBytes)
    const contents = await fetchSources(parsed, sourcemap, blobs, findSources)
    const deployed = script && text !== undefined ? asDeployed(script, text, parsed) : { script: text, map: parsed }
    return { flat: flatten({ ...deployed, contents }) }
  } catch (error) {
    if (error instanceof MapBroken) return only('map_broken')
    if (error instanceof MapLarge) return only('map_large')
    throw error
  }
}

async function read(blobs: Pick<BlobStore, 'reader'>, file: ArtifactFile): Promise<Buffer | 'map_large' | 'file_gone'> {
  try {
    return (await readArtifact(blobs, file, fileBytesMax)) ?? 'file_gone'
  } catch (error) {
    if (error instanceof MishapError && error.code === 'ACCEPT_TOO_LARGE') return 'map_large'
    throw error
  }
}

/** Uploaded files for contents that the map leaves out, by source index. Index maps have their own contents. */
async function fetchSources(
  map: unknown,
  sourcemap: string,
  blobs: Pick<BlobStore, 'reader'>,
  findSources: (urls: string[]) => Promise<(ArtifactFile | null)[]>,
): Promise<Map<number, string>> {
  const contents = new Map<number, string>()
  const missing: [index: number, url: string][] = []
  for (const [index, url] of sourcesWithout(map).slice(0, fetchedMax)) missing.push([index, joinUrl(sourcemap, url)])
  if (missing.length === 0) return contents
  const files = await findSources(missing.map(([, url]) => url))
  let bytes = 0
  for (const [at, [index]] of missing.entries()) {
    const file = files[at]
    if (!file || bytes + file.bytes > fetchedBytesMax) continue
    const found = await read(blobs, file)
    if (!Buffer.isBuffer(found)) continue
    bytes += found.length
    contents.set(index, found.toString())
  }
  return contents
}

/** Sources without content, by their index over all sections. */
function sourcesWithout(map: unknown, from = 0): [number, string][] {
  const out: [number, string][] = []
  let first = from
  for (const section of sectionsIn(map)) {
    const { sources, sourcesContent, sourceRoot } = section
    const list: unknown[] = Array.isArray(sources) ? sources : []
    const root = typeof sourceRoot === 'string' && sourceRoot !== '' ? `${sourceRoot.replace(/\/$/, '')}/` : ''
    for (const [at, source] of list.entries()) {
      const content: unknown = Array.isArray(sourcesContent) ? sourcesContent[at] : undefined
      if (typeof source === 'string' && typeof content !== 'string') {
        const rooted = root && !/^(?:[a-z][a-z\d+.-]*:|\/)/i.test(source)
        out.push([first + at, rooted ? root + source : source])
      }
    }
    first += list.length
  }
  return out
}

type MapLike = { sources?: unknown; sourcesContent?: unknown; sourceRoot?: unknown; sections?: unknown; map?: unknown }

/** The maps in a map: the sections of an index map, in order. */
function sectionsIn(map: unknown): MapLike[] {
  if (typeof map !== 'object' || map === null) return []
  const { sections } = map as MapLike
  if (!Array.isArray(sections)) return [map as MapLike]
  return sections.flatMap((section) => sectionsIn((section as MapLike | null)?.map))
}
