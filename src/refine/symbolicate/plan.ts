import type { FrameData, UnmappedReason } from '../../domain/event.ts'
import { readArtifact } from '../../store/blobs/artifact.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import { type ArtifactFile, scrapedEntry } from '../../store/meta/artifacts/artifacts.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'
import type { MapQuery } from './frames.ts'
import { joinUrl, referenceOf, urlCandidates } from './paths.ts'

/** The store's two look-ups from a frame to uploaded files. */
export type Artifacts = MetaWith<'artifacts.artifactsByDebugId' | 'artifacts.artifactsByUrl'>

/** The uploaded files for a query. `inline`: the map is in the script. Without a map, `reason` says why. */
export type Plan = {
  script: ArtifactFile | undefined
  map: ArtifactFile | undefined
  inline: boolean
  /** The address of the map, as far as frames show it. Sources are relative to it. */
  sourcemap: string
  /** The address of the map in its script, if that map was not uploaded. */
  named?: string
  resolvedWith: NonNullable<FrameData['resolved_with']>
  reason: UnmappedReason | undefined
}

/** Maximum decompressed bytes of a script or a map. */
export const fileBytesMax = 128 * 1024 * 1024

const isMap = (file: ArtifactFile) => file.type === 'source_map'

/** In the newest bundle with a match, the file whose URL is first among the candidates. */
function best(files: readonly ArtifactFile[], urls: readonly string[]): ArtifactFile | undefined {
  const bundle = files[0]?.bundleId
  const rank = (file: ArtifactFile) => urls.indexOf(file.url)
  return files.filter((file) => file.bundleId === bundle).sort((a, b) => rank(a) - rank(b))[0]
}

/**
 * Finds the script and the map for a query: by debug id, else by URL in the same release and dist. Undefined if nothing
 * was uploaded for it. Reads the script if only its last comment names the map.
 */
export async function planOf(
  projectId: number,
  query: MapQuery,
  artifacts: Artifacts,
  blobs: Pick<BlobStore, 'reader'>,
): Promise<Plan | undefined> {
  const { debugId, url } = query
  if (debugId) {
    const files = await artifacts.artifacts.artifactsByDebugId(projectId, debugId)
    const script = files.find((file) => !isMap(file))
    const map = files.find((file) => isMap(file) && file.bundleId === script?.bundleId) ?? files.find(isMap)
    const base = { script, inline: false, sourcemap: url, resolvedWith: 'debug-id', reason: undefined } as const
    if (map) return { ...base, map }
    if (script) return named({ ...base, map: undefined }, projectId, query, artifacts, blobs)
  }
  const urls = urlCandidates(url)
  const found = await artifacts.artifacts.artifactsByUrl(projectId, query.release ?? '', query.dist, urls)
  // A file with another debug id is from another build, even at the same address. Its lines would be wrong.
  const files = found.filter((entry) => debugId === undefined || entry.debugId === '' || entry.debugId === debugId)
  const script = best(
    files.filter((file) => !isMap(file)),
    urls,
  )
  if (!script) return undefined
  // Files that were uploaded one by one have no archive.
  const resolvedWith =
    script.entry === scrapedEntry ? 'scraping' : script.entry === script.url ? 'release-old' : 'release'
  const plan: Plan = { script, map: undefined, inline: false, sourcemap: url, resolvedWith, reason: undefined }
  return named(plan, projectId, query, artifacts, blobs)
}

/** The plan with the map that its script names. */
async function named(
  plan: Plan,
  projectId: number,
  query: MapQuery,
  artifacts: Artifacts,
  blobs: Pick<BlobStore, 'reader'>,
): Promise<Plan> {
  const { script } = plan
  if (!script) return plan
  let reference = script.headers['sourcemap'] ?? script.headers['x-sourcemap']
  if (!reference) {
    const bytes = script.bytes > fileBytesMax ? undefined : await readArtifact(blobs, script, fileBytesMax)
    if (!bytes) return { ...plan, reason: script.bytes > fileBytesMax ? 'map_large' : 'file_gone' }
    reference = referenceOf(bytes.toString())
  }
  if (!reference) return { ...plan, reason: 'map_unnamed' }
  if (reference.startsWith('data:')) return { ...plan, inline: true }
  const sourcemap = joinUrl(query.url, reference)
  const urls = urlCandidates(sourcemap)
  const files = await artifacts.artifacts.artifactsByUrl(projectId, query.release ?? '', query.dist, urls)
  const own = files.filter((file) => file.bundleId === script.bundleId)
  const map = best(own.length ? own : files, urls)
  if (map) return { ...plan, map, sourcemap }
  // The bundler can name another file than the map with the script's debug id.
  const twin = script.debugId && (await artifacts.artifacts.artifactsByDebugId(projectId, script.debugId)).find(isMap)
  return twin ? { ...plan, map: twin, sourcemap } : { ...plan, named: sourcemap, reason: 'map_missing' }
}
