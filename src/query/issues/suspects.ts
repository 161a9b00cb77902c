import type { RestCommitters, RestSuspectCommit } from '../../contract/commits.ts'
import type { RestEvent, RestFrame, RestStacktrace } from '../../contract/events.ts'
import { compareReleases, ofSamePackage, sortReleases } from '../../domain/release-order.ts'
import type { Issue, Organization, Project } from '../../store/meta/meta.ts'
import type { Commit, CommitFile, CommitTime } from '../../store/meta/releases/commits.ts'
import { toRestCommit } from '../releases.ts'
import type { QueryDeps } from './issue.ts'
import { type ChangedFile, framesMax, partsOf, type SuspectFrame, type Suspicion, suspicionsOf } from './suspicion.ts'

/** Limit of earlier releases without events whose commits are included. */
const releasesMax = 10
/** Limit of releases in which earlier ones are searched. */
const releasesScannedMax = 1_000
const suspectsMax = 10
/** Tolerance for clock differences between developers and users. A commit that is later than this is not a cause. */
const clockMs = 10 * 60_000

type Deps = Pick<QueryDeps, 'meta'>
type CommitterRequest = { organization: Organization; project: Project; issue: Issue; event: RestEvent }

const nothing = (state: RestCommitters['state'], releases: string[] = []): RestCommitters => ({
  committers: [],
  state,
  releases,
})

/**
 * Returns the release that introduced an issue and, newest first, the releases between it and the last earlier one with
 * events in this project. The issue could not be seen in those.
 */
async function bringing({ meta }: Deps, { project, issue }: CommitterRequest): Promise<string[]> {
  const version = issue.firstRelease
  if (version === '') return []
  const ownRelease = await meta.releases.releaseOf([project.id], version)
  const times = await meta.releases.releaseTimes({
    projectIds: [project.id],
    text: '',
    offset: 0,
    max: releasesScannedMax,
  })
  if (!ownRelease) return [version]
  // Releases of another package in the same project contain other changes.
  const older = sortReleases(times).filter(
    (sortRelease) =>
      sortRelease.version !== version &&
      ofSamePackage(sortRelease.version, version) &&
      compareReleases(sortRelease, ownRelease) < 0,
  )
  const before = new Map(
    (
      await meta.releases.releasesNamed(
        [project.id],
        older.slice(0, releasesMax + 1).map((item) => item.version),
      )
    ).map((item) => [item.version, item]),
  )
  const between: string[] = []
  for (const item of older.slice(0, releasesMax)) {
    if (before.get(item.version)?.firstEventMs !== null) break
    between.push(item.version)
  }
  return [version, ...between]
}

/** Returns the traces of an event. The last of chained exceptions was thrown and comes first; others caused it. */
function tracesOf(event: RestEvent): RestStacktrace[] {
  return event.entries.flatMap((entry) => {
    if (entry.type === 'exception') return entry.data.values.toReversed().flatMap((item) => item.stacktrace ?? [])
    if (entry.type === 'stacktrace') return [entry.data]
    if (entry.type === 'threads')
      return entry.data.values.filter((item) => item.crashed || item.current).flatMap((item) => item.stacktrace ?? [])
    return []
  })
}

/** Returns in-app frames from the throwing one on, each with its API frame. */
function framesOf(event: RestEvent): (SuspectFrame & { of: RestFrame })[] {
  const found: (SuspectFrame & { of: RestFrame })[] = []
  for (const trace of tracesOf(event))
    for (const of of trace.frames.toReversed()) {
      const paths = [of.filename, of.absPath].filter((item): item is string => !!item && partsOf(item).length > 0)
      if (of.inApp && paths.length > 0 && found.length < framesMax) found.push({ at: found.length, paths, of })
    }
  return found
}

const hourMs = 3_600_000
/** Formats a duration for a sentence: `2 h`, `3 days`. */
function spanText(ms: number): string {
  if (ms < 60_000) return 'less than a minute'
  if (ms < hourMs) return `${Math.round(ms / 60_000)} min`
  if (ms < 48 * hourMs) return `${Math.round(ms / hourMs)} h`
  return `${Math.round(ms / (24 * hourMs))} days`
}

function sentenceOf(suspicion: Suspicion<unknown>, of: RestFrame, beforeMs: number): string {
  const place = suspicion.frame === 0 ? 'the top in-app frame' : `in-app frame ${suspicion.frame + 1} from the top`
  const line = of.lineNo === null ? '' : `, line ${of.lineNo}`
  const others =
    suspicion.alike === 0
      ? ''
      : `; ${suspicion.alike} other changed file${suspicion.alike === 1 ? ' also matches' : 's also match'}`
  const verb = suspicion.change === 'A' ? 'added' : 'changed'
  return `${verb} ${suspicion.path}, the file of ${place}${line}, ${spanText(beforeMs)} before the issue was first seen${others}`
}

type SuspectContext = { commit: Commit; release: string; of: RestFrame; issue: Issue }

function toSuspect(
  suspicion: Suspicion<CommitTime>,
  { commit, release, of, issue }: SuspectContext,
): RestSuspectCommit {
  const beforeMs = Math.max(0, issue.firstSeenMs - commit.atMs)
  return {
    ...toRestCommit(commit),
    release,
    suspicion: {
      frame: suspicion.frame,
      function: of.function,
      filename: suspicion.framePath,
      lineNo: of.lineNo,
      path: suspicion.path,
      change: suspicion.change,
      parts: suspicion.parts,
      confidence: suspicion.confidence,
      alike: suspicion.alike,
      beforeMs,
      sentence: sentenceOf(suspicion, of, beforeMs),
    },
  }
}

/**
 * Returns commits that may have introduced an issue, from an event's stack trace: commits of the first release (and of
 * unused earlier releases) that changed the file of an in-app frame, with the reason. If there are none, `state` tells
 * what is missing.
 */
export async function committersOf(deps: Deps, request: CommitterRequest): Promise<RestCommitters> {
  const { organization, issue, event } = request
  const { meta } = deps
  const releases = await bringing(deps, request)
  if (releases.length === 0) return nothing('no_release')
  const places = releases.map((version) => ({ organizationId: organization.id, version }))
  const commits = new Map<number, { commit: CommitTime; release: string }>()
  const all = (
    await Array.fromAsync(places, async (place) =>
      (await meta.releases.commitTimesOf(place)).map((commit) => ({ place, commit })),
    )
  ).flat()
  if (all.length === 0) return nothing('no_commits', releases)
  for (const { place, commit } of all)
    if (commit.atMs <= issue.firstSeenMs + clockMs && !commits.has(commit.id))
      commits.set(commit.id, { commit, release: place.version })
  // All commits are later than the issue.
  if (commits.size === 0) return nothing('no_match', releases)
  if (![...commits.values()].some(({ commit }) => commit.files > 0)) return nothing('no_files', releases)
  const frames = framesOf(event)
  if (frames.length === 0) return nothing('no_frames', releases)
  const names = [...new Set(frames.flatMap((frame) => frame.paths.map((path) => partsOf(path).at(-1) ?? '')))]
  const files = (await Array.fromAsync(places, async (place) => meta.releases.commitFilesNamed(place, names))).flat()
  const suspicions = suspicionsOf(frames, changed(files, commits)).slice(0, suspectsMax)
  if (suspicions.length === 0) return nothing('no_match', releases)
  const whole = new Map(
    (await meta.releases.commitsById(suspicions.map((suspicion) => suspicion.commit.id))).map((commit) => [
      commit.id,
      commit,
    ]),
  )
  const suspects = suspicions.flatMap((suspicion) => {
    const [frame, commit] = [frames[suspicion.frame], whole.get(suspicion.commit.id)]
    const release = commits.get(suspicion.commit.id)?.release ?? ''
    return frame && commit ? [toSuspect(suspicion, { commit, release, of: frame.of, issue })] : []
  })
  const byAuthor = Map.groupBy(suspects, (item) => item.author?.email || item.author?.name || '')
  return {
    committers: [...byAuthor.values()].map((own) => ({ author: own[0]?.author ?? null, commits: own })),
    state: 'found',
    releases,
  }
}

function changed(
  files: readonly CommitFile[],
  commits: ReadonlyMap<number, { commit: CommitTime }>,
): ChangedFile<CommitTime>[] {
  return files.flatMap(({ commitId, path, type }) => {
    const known = commits.get(commitId)
    return known && type !== 'D' ? [{ commit: known.commit, path, change: type }] : []
  })
}
