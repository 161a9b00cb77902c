import type { Clock } from '../base/clock.ts'
import { faultOf, type Observe } from '../base/observe.ts'
import {
  addUploaded,
  isRouteManifest,
  routeLengthMax,
  routeOfFile,
  routesOfManifest,
} from '../domain/traces/uploaded-routes.ts'
import { readArtifact } from '../store/blobs/artifact.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

type Deps = {
  clock: Clock
  observe: Observe
  meta: MetaWith<
    | 'artifacts.linksAfter'
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
/** A release keeps 500 routes, so more of a bundle are of no use. Its lists are read on the main thread. */
const [bundleRoutesMax, manifestsMax] = [1000, 5]
/** Uploads are read this late: two of one millisecond can be stored in any order. */
const settleMs = 2000
/** The last upload that was read: its time (ms), and its bundle. */
const readUntilName = 'uploaded-routes'

/** The routes that the names of a bundle's files and its first manifests say. */
async function routesOfBundle({ meta, blobs, observe }: Deps, bundleId: number): Promise<Set<string>> {
  const routes = new Set<string>()
  const add = (route: string) => {
    if (routes.size < bundleRoutesMax && route.length <= routeLengthMax) routes.add(route)
  }
  let manifests = 0
  for (let after = 0; ; ) {
    const files = await meta.artifacts.filesOf({ bundleId, text: '', afterId: after, max: filesMax })
    for (const file of files) {
      const route = routeOfFile(file.url)
      if (route !== undefined) add(route)
      if (routes.size >= bundleRoutesMax) return routes
      if (!isRouteManifest(file.url) || ++manifests > manifestsMax) continue
      try {
        const bytes = await readArtifact(blobs, file, manifestBytesMax)
        for (const page of routesOfManifest(bytes?.toString('utf8') ?? '')) add(page)
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

/** Reads the stored position. Older versions stored the time alone. */
function positionOf(text: string | undefined): { ms: number; bundleId: number } {
  const [ms = 0, bundleId = 0] = (text ?? '').split(' ').map(Number)
  return { ms, bundleId }
}

/**
 * Reads the routes of Next.js applications from new uploads, and returns the number of releases that got some. The
 * position is stored before each bundle: one that ends the process is not read again.
 */
export async function readUploadedRoutes(deps: Deps): Promise<{ releases: number }> {
  const { meta } = deps
  let releases = 0
  const position = positionOf(await meta.values.getValue(readUntilName))
  const links = await meta.artifacts.linksAfter({ ...position, untilMs: deps.clock.now() - settleMs }, linksMax)
  const bundles = new Map<string, typeof links>()
  for (const link of links) {
    const key = `${link.createdMs} ${link.bundleId}`
    bundles.set(key, [...(bundles.get(key) ?? []), link])
  }
  for (const [next, places] of bundles) {
    await meta.values.setValue(readUntilName, next)
    let routes: Set<string> | undefined
    for (const { bundleId, projectId, release } of places) {
      if (release === '' || !(await meta.projects.projectById(projectId))) continue
      routes ??= await routesOfBundle(deps, bundleId)
      if (routes.size === 0) continue
      const before = (await meta.projects.routeSettings(projectId)).uploaded ?? []
      const after = addUploaded(before, release, [...routes])
      if (after === before) continue
      await meta.projects.setUploadedRoutes(projectId, after)
      releases++
    }
  }
  return { releases }
}
