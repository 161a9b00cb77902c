import type { Clock } from '../../clock.ts'
import type { DoctorPlace } from '../../protocol/doctor-commands.ts'
import type { UnmappedReason } from '../../protocol/event.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import type { EventStore } from '../../store/events/events.ts'
import type { ArtifactFile } from '../../store/meta/artifacts.ts'
import type { MetaStore, Project } from '../../store/meta/meta.ts'
import type { MapDesk } from '../symbolicate/desk.ts'
import { type Artifacts, type Plan, planOf } from '../symbolicate/plan.ts'
import type { AskedFile, FileFacts, Spot } from './judge.ts'
import { namesLike, nearest } from './near.ts'
import { spotter } from './spot.ts'

export type DoctorDeps = {
  clock: Clock
  /** Address of this installation, for commands. */
  url: string
  retentionDays: number
  meta: MetaStore
  events: Pick<EventStore, 'groups' | 'ofIssue'>
  blobs: Pick<BlobStore, 'reader'>
  /** Reads maps in its own threads; undefined: none is read. */
  desk(): MapDesk | undefined
}

/** The project that is looked at, and the others of its organization that whoever asks may see. */
export type DoctorProject = { organization: { slug: string }; project: Project; others: readonly Project[] }

/** ms that one question may wait for maps, all its files together. */
export const waitMs = 10_000

/** Files with a name like it that are looked at. */
const nearMax = 500

/** Of one question: until when it waits for maps. */
export type Patience = { untilMs: number }

/** Reads the map of a plan in the loader's threads; `spots` looks places up in it. */
export async function readPlan(
  deps: DoctorDeps,
  projectId: number,
  asked: AskedFile,
  plan: Plan,
  { patience, keep }: { patience: Patience; keep: boolean },
) {
  if (!plan.map && !plan.inline) return { flat: undefined, reason: plan.reason }
  const left = patience.untilMs - deps.clock.now()
  const desk = deps.desk()
  if (left <= 0 || !desk) return { flat: undefined, reason: 'map_pending' as const }
  const { flat, reason } = await desk.look(projectId, asked, plan, left, keep)
  return reason ? { flat: undefined, reason } : { flat, reason: undefined }
}

/** The plan of a file; one whose bytes are damaged has the reason `file_gone`. */
async function planned(deps: DoctorDeps, projectId: number, asked: AskedFile, artifacts: Artifacts) {
  return planOf(projectId, asked, artifacts, deps.blobs).catch(() => undefined)
}

function foundOf(deps: DoctorDeps, projectId: number, asked: AskedFile, plan: Plan): FileFacts['found'] {
  const { meta } = deps
  const file = plan.map ?? plan.script
  const [bundle] = meta.bundlesById([file?.bundleId ?? 0])
  // a bundle may have come to this project or release long after it was uploaded
  const places = meta.placesOfBundle(bundle?.id ?? 0, projectId)
  const here =
    plan.resolvedWith === 'debug-id'
      ? places
      : places.filter((one) => one.release === (asked.release ?? '') && one.dist === asked.dist)
  const since = Math.min(...here.map((one) => one.sinceMs))
  return bundle && { plan, uuid: bundle.uuid, sinceMs: Number.isFinite(since) ? since : bundle.createdMs }
}

/** Another project that has the file: by debug id, else by the very address in the very release. */
function elsewhereOf(deps: DoctorDeps, here: DoctorProject, asked: AskedFile): string | undefined {
  const ids = here.others.map((one) => one.id)
  const slug = (id: number | undefined) => here.others.find((one) => one.id === id)?.slug
  if (asked.debugId !== undefined) return slug(deps.meta.placesOfDebugId(ids, asked.debugId, 1)[0]?.projectId)
  if (asked.release === undefined) return undefined
  const same = nearest(asked.url, deps.meta.filesNamed(ids, namesLike(asked.url), nearMax)).find(
    (one) => one.how === 'same' && one.release === asked.release,
  )
  return slug(same?.projectId)
}

/** Whether the newest bundle of a project has debug ids. */
function injectsOf({ meta }: DoctorDeps, projectId: number): boolean {
  const [newest] = meta.listBundles({ projectId, text: '', beforeId: undefined, max: 1 })
  const files = newest ? meta.filesOf({ bundleId: newest.id, text: '', afterId: 0, max: 20 }) : []
  return files.some((one) => one.debugId !== '')
}

export type EventOf = { receivedMs: number; sdk: FileFacts['sdk'] }

/** Where commands upload to. */
export const placeOf = (
  deps: DoctorDeps,
  { organization, project }: DoctorProject,
  release = '',
  dist = '',
): DoctorPlace => ({
  ...{ url: deps.url, org: organization.slug, project: project.slug },
  ...{ release, dist },
})

/**
 * Everything there is to know of a file that an event asks for, and a way to look places up in its map. Never throws for
 * what was uploaded, however broken it is.
 */
export async function gather(
  deps: DoctorDeps,
  here: DoctorProject,
  asked: AskedFile,
  event: EventOf,
  patience: Patience,
): Promise<{ facts: FileFacts; spotAt: ((line: number, column: number) => Spot) | undefined }> {
  const { meta, clock, retentionDays } = deps
  const { id: projectId } = here.project
  const plan = await planned(deps, projectId, asked, meta)
  const found = plan && foundOf(deps, projectId, asked, plan)
  const { flat, reason } = plan
    ? await readPlan(deps, projectId, asked, plan, { patience, keep: true })
    : { flat: undefined, reason: undefined }
  const missing = !found
  const release = asked.release
  return {
    facts: {
      ...{ asked, found, retentionDays, nowMs: clock.now(), receivedMs: event.receivedMs, sdk: event.sdk },
      place: placeOf(deps, here, release, asked.dist),
      uploads: meta.uploadsOf(projectId),
      ofRelease: meta.uploadsOf(projectId, { release: release ?? '', dist: asked.dist }),
      injects: missing && injectsOf(deps, projectId),
      releaseMs: missing && release !== undefined ? meta.releaseOf([projectId], release)?.createdMs : undefined,
      elsewhere: missing ? elsewhereOf(deps, here, asked) : undefined,
      near: missing ? nearest(asked.url, meta.filesNamed([projectId], namesLike(asked.url), nearMax)) : [],
      reason: reason as UnmappedReason | undefined,
    },
    spotAt: flat && spotter(flat),
  }
}

/** The files of one bundle as what everything is looked for in. */
export const artifactsIn = (files: readonly ArtifactFile[]): Artifacts => ({
  artifactsByDebugId: (_project, debugId) => files.filter((one) => debugId !== '' && one.debugId === debugId),
  artifactsByUrl: (_project, _release, _dist, urls) => files.filter((one) => urls.includes(one.url)),
})
