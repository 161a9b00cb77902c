import type { FrameData, UnmappedReason } from '../../domain/event.ts'
import { readArtifact } from '../../store/blobs/artifact.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import { type ArtifactFile, type ArtifactStore, scrapedEntry } from '../../store/meta/artifacts/artifacts.ts'
import type { MapQuery } from './frames.ts'
import { joinUrl, referenceOf, urlCandidates } from './paths.ts'

/** The two ways from a frame to uploaded files, and where those lie. */
export type Artifacts = Pick<ArtifactStore, 'artifactsByDebugId' | 'artifactsByUrl'>

/** Uploaded files that answer a query; `inline`: the map stands in the script. Without a map `reason` says why. */
export type Plan = {
  script: ArtifactFile | undefined
  map: ArtifactFile | undefined
  inline: boolean
  /** Where the map lies, as far as frames know; sources are relative to it. */
  sourcemap: string
  /** The address of the map as its script names it, where that was not uploaded. */
  named?: string
  resolvedWith: NonNullable<FrameData['resolved_with']>
  reason: UnmappedReason | undefined
}

/** Inflated bytes of a script or a map that is read. */
export const fileBytesMax = 128 * 1024 * 1024

const isMap = (file: ArtifactFile) => file.type === 'source_map'

/** The file whose URL comes first among the candidates, of the newest bundle that has any. */
function best(files: readonly ArtifactFile[], urls: readonly string[]): ArtifactFile | undefined {
  const bundle = files[0]?.bundleId
  const rank = (file: ArtifactFile) => urls.indexOf(file.url)
  return files.filter((file) => file.bundleId === bundle).sort((a, b) => rank(a) - rank(b))[0]
}

/**
 * Finds the script and the map for a query: by debug id, else by URL in the same release and dist. undefined: nothing was
 * uploaded for it. Reads a script where only its last comment names the map.
 */
export async function planOf(
  projectId: number,
  query: MapQuery,
  artifacts: Artifacts,
  blobs: Pick<BlobStore, 'reader'>,
): Promise<Plan | undefined> {
  const { debugId, url } = query
  if (debugId) {
    const files = artifacts.artifactsByDebugId(projectId, debugId)
    const script = files.find((file) => !isMap(file))
    const map = files.find((file) => isMap(file) && file.bundleId === script?.bundleId) ?? files.find(isMap)
    const base = { script, inline: false, sourcemap: url, resolvedWith: 'debug-id', reason: undefined } as const
    if (map) return { ...base, map }
    if (script) return named({ ...base, map: undefined }, projectId, query, artifacts, blobs)
  }
  const urls = urlCandidates(url)
  const found = artifacts.artifactsByUrl(projectId, query.release ?? '', query.dist, urls)
  // one with another debug id is of another build, whatever its address: its lines would be wrong ones
  const files = found.filter((entry) => debugId === undefined || entry.debugId === '' || entry.debugId === debugId)
  const script = best(
    files.filter((file) => !isMap(file)),
    urls,
  )
  if (!script) return undefined
  // Files uploaded one by one have no archive around them.
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
  const files = artifacts.artifactsByUrl(projectId, query.release ?? '', query.dist, urls)
  const own = files.filter((file) => file.bundleId === script.bundleId)
  const map = best(own.length ? own : files, urls)
  if (map) return { ...plan, map, sourcemap }
  // a bundler may have named another file than the one that carries the script's debug id
  const twin = script.debugId && artifacts.artifactsByDebugId(projectId, script.debugId).find(isMap)
  return twin ? { ...plan, map: twin, sourcemap } : { ...plan, named: sourcemap, reason: 'map_missing' }
}
