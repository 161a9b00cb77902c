import type { BundleDiagnosis, DoctorFinding, ReleaseDiagnosis } from '../../domain/doctor.ts'
import { findingOf } from '../../domain/doctor-findings.ts'
import type { NormalEvent } from '../../domain/event.ts'
import type { EventFilter } from '../../store/events/events.ts'
import type { Bundle } from '../../store/meta/artifacts/artifacts.ts'
import {
  type Budget,
  type Counted,
  countFindings,
  diagnosePack,
  mapsMax,
  type Pack,
  packOf,
  verdictOf,
} from './bundle.ts'
import { diagnoseEvent, type SeenFrames, seenFrames } from './event.ts'
import { type Deadline, type DoctorDeps, type DoctorProject, placeOf, waitMs } from './gather.ts'

const bundlesMax = 500
/** Maximum bundles per release. The newest are the deployed ones. */
const packsMax = 10
const eventsMax = 100
const groupsMax = 100
const eventsMs = 30 * 86_400_000
/** Maximum reasons for which one event is fully diagnosed. */
const reasonsMax = 3

/** The requested release. `dist`: '' for events without a dist, undefined for all. */
export type ReleaseRequest = { release: string; dist: string | undefined; mayReadEvents: boolean }

/** The bundles of a release, newest first. Files that were uploaded one by one form one last pack. */
async function packsOf(deps: DoctorDeps, projectId: number, { release, dist }: ReleaseRequest): Promise<Pack[]> {
  const bundles = await deps.meta.artifacts.bundlesById(
    await deps.meta.artifacts.bundlesOfRelease(projectId, release, dist, bundlesMax),
  )
  const packs = await Array.fromAsync(
    bundles.filter((bundle) => bundle.kind === 'bundle').slice(0, packsMax),
    async (bundle) => packOf(deps, projectId, bundle),
  )
  const singles = bundles.filter((bundle) => bundle.kind === 'file')
  return singles.length === 0 ? packs : [...packs, await singlePack(deps, projectId, singles)]
}

async function singlePack(deps: DoctorDeps, projectId: number, singles: readonly Bundle[]): Promise<Pack> {
  const all = await Array.fromAsync(singles, async (single) => packOf(deps, projectId, single))
  const [newest] = singles
  return {
    bundle: {
      uuid: '',
      createdMs: newest?.createdMs ?? 0,
      usedMs: Math.max(...singles.map((single) => single.usedMs)),
    },
    files: all.flatMap((entry) => entry.files),
    links: all[0]?.links ?? [],
  }
}

/** Diagnoses the packs. A script that was uploaded several times is diagnosed once: only the newest counts. */
async function diagnosePacks(deps: DoctorDeps, project: DoctorProject, packs: readonly Pack[], budget: Budget) {
  const seen = new Set<string>()
  const found: BundleDiagnosis[] = []
  for (const pack of packs) {
    found.push(await diagnosePack(deps, project, pack, budget, seen))
    for (const file of pack.files) seen.add(file.url)
  }
  return found
}

type Sample = { event: NormalEvent; receivedMs: number; seen: SeenFrames }

/** The newest events of a release with their frames. Throws STORE_UNAVAILABLE. */
async function sample(deps: DoctorDeps, projectId: number, { release, dist }: ReleaseRequest): Promise<Sample[]> {
  const nowMs = deps.clock.now()
  const scope = { projectIds: [projectId], environments: [], fromMs: nowMs - eventsMs, toMs: nowMs + 86_400_000 }
  const isRelease: EventFilter = { op: 'field', field: 'release', match: 'is', value: release }
  const isDist: EventFilter = dist
    ? { op: 'tag', key: 'dist', match: 'is', value: dist }
    : { op: 'not', of: { op: 'tag', key: 'dist', match: 'has', value: '' } }
  const filter: EventFilter = dist === undefined ? isRelease : { op: 'and', of: [isRelease, isDist] }
  const groups = await deps.events.groups({ scope, filter, order: 'last', max: groupsMax })
  const hashes = groups.map((group) => group.groupHash)
  if (hashes.length === 0) return []
  const rows = await deps.events.ofIssue({ projectId, hashes, scope, filter, order: 'newest', max: eventsMax })
  return rows.flatMap((row) => {
    const event = eventOf(row.payload)
    return event ? [{ event, receivedMs: row.receivedMs, seen: seenFrames(event) }] : []
  })
}

function eventOf(payload: string): NormalEvent | undefined {
  const end = payload.indexOf('\n')
  try {
    return JSON.parse(end < 0 ? payload : payload.slice(0, end)) as NormalEvent
  } catch {
    return undefined
  }
}

/** The stored reason of an event's first unmapped frame; '' if all are mapped. */
const reasonOf = ({ seen }: Sample): string => {
  const left = seen.frames.find((frame) => frame.stored?.symbolicated !== true)
  return left ? (left.stored?.reason ?? 'none') : ''
}

/** Events grouped by reason, most frequent first. */
function byReason(samples: readonly Sample[]): Sample[][] {
  const groups = new Map<string, Sample[]>()
  for (const entry of samples) {
    const reason = reasonOf(entry)
    if (reason !== '') groups.set(reason, [...(groups.get(reason) ?? []), entry])
  }
  return [...groups.values()].toSorted((a, b) => b.length - a.length).slice(0, reasonsMax)
}

/** Diagnoses one event for each of the most frequent reasons. Its findings count for all events with that reason. */
async function eventFindings(
  deps: DoctorDeps,
  project: DoctorProject,
  samples: readonly Sample[],
  deadline: Deadline,
): Promise<Counted[]> {
  const found: Counted[] = []
  for (const group of byReason(samples)) {
    const [first] = group
    if (!first) continue
    const { files } = await diagnoseEvent(deps, project, first.event, first.receivedMs, deadline)
    const findings = countFindings(files.flatMap(({ finding }) => (finding ? [finding] : [])))
    found.push(...findings.map((finding) => ({ ...finding, count: group.length })))
  }
  return found
}

/** The finding for a release without uploads: whether the project has any. */
async function withoutPacks(
  deps: DoctorDeps,
  project: DoctorProject,
  { release, dist }: ReleaseRequest,
): Promise<DoctorFinding> {
  const place = placeOf(deps, project, release, dist)
  if ((await deps.meta.artifacts.uploadsOf(project.project.id)).bundles === 0)
    return findingOf('no_uploads', { project: project.project.slug }, place)
  return findingOf('release_unknown', { release, dist: dist || '–' }, place)
}

/** Diagnoses the uploads of a release and its newest events. Throws STORE_UNAVAILABLE. */
export async function diagnoseRelease(
  deps: DoctorDeps,
  project: DoctorProject,
  requested: ReleaseRequest,
): Promise<ReleaseDiagnosis> {
  const { id: projectId } = project.project
  const untilMs = deps.clock.now() + waitMs
  const bundles = await diagnosePacks(deps, project, await packsOf(deps, projectId, requested), {
    untilMs,
    maps: mapsMax,
  })
  const samples = requested.mayReadEvents ? await sample(deps, projectId, requested) : []
  const ofEvents = await eventFindings(deps, project, samples, { untilMs })
  const frames = samples.flatMap((entry) => entry.seen.frames)
  const mapped = frames.filter((frame) => frame.stored?.symbolicated === true).length
  // Files with debug ids need no release: if events are mapped, nothing is missing.
  const unknown = bundles.length === 0 && mapped === 0 && ofEvents.length === 0
  const findings = countFindings([
    ...bundles.flatMap((bundle) => bundle.findings),
    ...ofEvents,
    ...(unknown ? [await withoutPacks(deps, project, requested)] : []),
  ])
  return {
    release: requested.release,
    dist: requested.dist ?? null,
    verdict: verdictOf(findings, false),
    bundles,
    findings,
    events: requested.mayReadEvents ? { looked: samples.length, frames: frames.length, mapped } : null,
  }
}
