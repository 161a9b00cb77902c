import { faultOf, type Observe } from '../base/observe.ts'
import { addUploaded, isRouteManifest, routeOfFile, routesOfManifest } from '../domain/uploaded-routes.ts'
import { readArtifact } from '../store/blobs/artifact.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

type Deps = {
  observe: Observe
  meta: MetaWith<
    | 'artifacts.linksSince'
    | 'artifacts.filesOf'
    | 'projects.projectById'
    | 'projects.routeSettings'
    | 'projects.setUploadedRoutes'
    | 'values.getValue'
    | 'values.setValue'
  >
  blobs: Pick<BlobStore, 'reader'>
}

const linksMax = 200
const filesMax = 1000
const manifestBytesMax = 4 * 1024 * 1024
/** Uploads up to this time (ms) are read. */
const readUntilName = 'uploaded-routes'

/** The routes that the names of a bundle's files and its manifests say. */
async function routesOfBundle({ meta, blobs, observe }: Deps, bundleId: number): Promise<Set<string>> {
  const routes = new Set<string>()
  for (let after = 0; ; ) {
    const files = await meta.artifacts.filesOf({ bundleId, text: '', afterId: after, max: filesMax })
    for (const file of files) {
      const route = routeOfFile(file.url)
      if (route !== undefined) routes.add(route)
      if (!isRouteManifest(file.url)) continue
      try {
        const bytes = await readArtifact(blobs, file, manifestBytesMax)
        for (const page of routesOfManifest(bytes?.toString('utf8') ?? '')) routes.add(page)
      } catch (error) {
        // A file that is too large or broken says nothing. The upload itself is complete.
        observe.warn({ bundleId, url: file.url, error: faultOf(error) }, 'an uploaded list of routes cannot be read')
      }
    }
    const last = files.at(-1)
    if (files.length < filesMax || !last) return routes
    after = last.id
  }
}

/**
 * Reads the routes of Next.js applications from new uploads, and returns the number of releases that got some. Safe to
 * repeat: uploads of the last millisecond are read again.
 */
export async function readUploadedRoutes(deps: Deps): Promise<{ releases: number }> {
  const { meta } = deps
  let releases = 0
  const links = await meta.artifacts.linksSince(Number((await meta.values.getValue(readUntilName)) ?? 0), linksMax)
  const byBundle = new Map<number, Set<string>>()
  for (const { bundleId, projectId, release } of links) {
    if (release === '' || !(await meta.projects.projectById(projectId))) continue
    const routes = byBundle.get(bundleId) ?? (await routesOfBundle(deps, bundleId))
    byBundle.set(bundleId, routes)
    if (routes.size === 0) continue
    const before = (await meta.projects.routeSettings(projectId)).uploaded ?? []
    const after = addUploaded(before, release, [...routes])
    if (after === before) continue
    await meta.projects.setUploadedRoutes(projectId, after)
    releases++
  }
  const last = links.at(-1)
  // A page that is full of one millisecond would come again forever.
  const isStuck = links.length === linksMax && links[0]?.createdMs === last?.createdMs
  if (last) await meta.values.setValue(readUntilName, String(last.createdMs + (isStuck ? 1 : 0)))
  return { releases }
}
