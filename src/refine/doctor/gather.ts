import type { Clock } from '../../base/clock.ts'
import type { DoctorTarget } from '../../domain/doctor-commands.ts'
import type { UnmappedReason } from '../../domain/event.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import type { ArtifactFile } from '../../store/meta/artifacts/artifacts.ts'
import type { Project } from '../../store/meta/meta.ts'
import type { MetaStore } from '../../store/meta/meta-store.ts'
import type { MapCache } from '../symbolicate/map-cache.ts'
import { type Artifacts, type Plan, planOf } from '../symbolicate/plan.ts'
import type { FileDetails, RequestedFile, Spot } from './judge.ts'
import { type Near, namesLike, nearest } from './near.ts'
import { spotter } from './spot.ts'

export type DoctorDeps = {
  clock: Clock
  /** The address of this installation, for commands. */
  url: string
  retentionDays: number
  meta: MetaStore
  events: Pick<EventStore, 'groups' | 'ofIssue'>
  blobs: Pick<BlobStore, 'reader'>
  /** Reads maps in its own threads. If it returns undefined, no map is read. */
  mapCache(): MapCache | undefined
}

/** The diagnosed project, and the other projects of its organization that the user can see. */
export type DoctorProject = { organization: { slug: string }; project: Project; others: readonly Project[] }

/** Maximum wait of one diagnosis for all its maps, in ms. */
export const waitMs = 10_000

/** Maximum files with a similar name. */
const nearMax = 500

/** When one diagnosis stops waiting for maps. */
export type Deadline = { untilMs: number }

/** Reads the map of a plan in the loader's threads. */
export async function readPlan(
  deps: DoctorDeps,
  projectId: number,
  requested: RequestedFile,
  plan: Plan,
  { deadline, useCache }: { deadline: Deadline; useCache: boolean },
) {
  if (!plan.map && !plan.inline) return { flat: undefined, reason: plan.reason }
  const left = deadline.untilMs - deps.clock.now()
  const mapCache = deps.mapCache()
  if (left <= 0 || !mapCache) return { flat: undefined, reason: 'map_pending' as const }
  const { flat, reason } = await mapCache.inspect(projectId, requested, plan, left, useCache)
  return reason ? { flat: undefined, reason } : { flat, reason: undefined }
}

const nothingToRead = { reader: async () => undefined }

/** The plan of a file. If its bytes are damaged, the reason is `file_gone`. */
export const planned = (deps: DoctorDeps, projectId: number, requested: RequestedFile, artifacts: Artifacts) =>
  planOf(projectId, requested, artifacts, deps.blobs).catch(() =>
    planOf(projectId, requested, artifacts, nothingToRead),
  )

async function foundOf(
  deps: DoctorDeps,
  projectId: number,
  requested: RequestedFile,
  plan: Plan,
): Promise<FileDetails['found']> {
  const { meta } = deps
  const file = plan.map ?? plan.script
  const [bundle] = await meta.artifacts.bundlesById([file?.bundleId ?? 0])
  // A bundle can be linked to this project or release long after its upload.
  const places = await meta.artifacts.placesOfBundle(bundle?.id ?? 0, projectId)
  const here =
    plan.resolvedWith === 'debug-id'
      ? places
      : places.filter((place) => place.release === (requested.release ?? '') && place.dist === requested.dist)
  const since = Math.min(...here.map((entry) => entry.sinceMs))
  return bundle && { plan, uuid: bundle.uuid, sinceMs: Number.isFinite(since) ? since : bundle.createdMs }
}

/**
 * Another project that has the requested file: by debug id, which is sure, else by address, release and dist.
 * Applications that are built together often share all three, so that is not sure.
 */
async function elsewhereOf(
  deps: DoctorDeps,
  project: DoctorProject,
  requested: RequestedFile,
): Promise<FileDetails['elsewhere']> {
  const ids = project.others.map((entry) => entry.id)
  const { debugId, release, dist, url } = requested
  const found =
    debugId === undefined
      ? release !== undefined &&
        nearest(url, await deps.meta.artifacts.filesNamed(ids, namesLike(url), nearMax, release)).find(
          (entry) => entry.how === 'same' && entry.dist === dist,
        )
      : (await deps.meta.artifacts.placesOfDebugId(ids, debugId, 1))[0]
  const slug = found && project.others.find((entry) => entry.id === found.projectId)?.slug
  return slug ? { slug, sure: debugId !== undefined } : undefined
}

/** Similar files of the project: first those of the event's release, which has few, then all others. */
async function nearOf(
  { meta }: DoctorDeps,
  projectId: number,
  { url, release = '' }: RequestedFile,
): Promise<readonly Near[]> {
  const names = namesLike(url)
  const ofRelease = await meta.artifacts.filesNamed([projectId], names, nearMax, release)
  const others = (await meta.artifacts.filesNamed([projectId], names, nearMax)).filter(
    (entry) => entry.release !== release,
  )
  return nearest(url, [...ofRelease, ...others])
}

/** When the newest bundle of a project arrived, if it has debug ids. */
async function injectedMsOf({ meta }: DoctorDeps, projectId: number): Promise<number | undefined> {
  const [newest] = await meta.artifacts.listBundles({ projectId, text: '', beforeId: undefined, max: 1 })
  const files = newest ? await meta.artifacts.filesOf({ bundleId: newest.id, text: '', afterId: 0, max: 20 }) : []
  return files.some((file) => file.debugId !== '') ? newest?.createdMs : undefined
}

type EventOf = { receivedMs: number; sdk: FileDetails['sdk'] }

/** The upload target in commands. */
export const placeOf = (
  deps: DoctorDeps,
  { organization, project }: DoctorProject,
  release = '',
  dist = '',
): DoctorTarget => ({
  url: deps.url,
  org: organization.slug,
  project: project.slug,
  release,
  dist,
})

/**
 * Gathers all data about the file of a frame, and a function that looks up positions in its map. Never throws because
 * of the uploaded data, however broken it is.
 */
export async function gather(
  deps: DoctorDeps,
  project: DoctorProject,
  requested: RequestedFile,
  event: EventOf,
  deadline: Deadline,
): Promise<{ details: FileDetails; spotAt: ((line: number, column: number) => Spot) | undefined }> {
  const { meta, clock, retentionDays } = deps
  const { id: projectId } = project.project
  const plan = await planned(deps, projectId, requested, meta)
  const found = plan && (await foundOf(deps, projectId, requested, plan))
  const { flat, reason } = plan
    ? await readPlan(deps, projectId, requested, plan, { deadline, useCache: true })
    : { flat: undefined, reason: undefined }
  const missing = !found
  const release = requested.release
  return {
    details: {
      requested,
      found,
      retentionDays,
      nowMs: clock.now(),
      receivedMs: event.receivedMs,
      sdk: event.sdk,
      place: placeOf(deps, project, release, requested.dist),
      uploads: await meta.artifacts.uploadsOf(projectId),
      ofRelease: await meta.artifacts.uploadsOf(projectId, { release: release ?? '', dist: requested.dist }),
      injectedMs: missing ? await injectedMsOf(deps, projectId) : undefined,
      releaseMs:
        missing && release !== undefined ? (await meta.releases.releaseOf([projectId], release))?.createdMs : undefined,
      elsewhere: missing ? await elsewhereOf(deps, project, requested) : undefined,
      near: missing ? await nearOf(deps, projectId, requested) : [],
      reason: reason as UnmappedReason | undefined,
    },
    spotAt: flat && spotter(flat),
  }
}

/** The files of one bundle, with the look-ups of an artifact store. */
export const artifactsIn = (files: readonly ArtifactFile[]): Artifacts => ({
  artifacts: {
    artifactsByDebugId: async (_project, debugId) => files.filter((file) => debugId !== '' && file.debugId === debugId),
    artifactsByUrl: async (_project, _release, _dist, urls) => files.filter((file) => urls.includes(file.url)),
  },
})
