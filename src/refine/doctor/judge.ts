import { type DoctorFinding, type DoctorStep, type DoctorStepName, doctorSteps } from '../../domain/doctor.ts'
import type { DoctorTarget } from '../../domain/doctor-commands.ts'
import { type DoctorCode, findingOf } from '../../domain/doctor-findings.ts'
import type { FrameData, UnmappedReason } from '../../domain/event.ts'
import type { Uploads } from '../../store/meta/artifacts/artifact-search.ts'
import type { Plan } from '../symbolicate/plan.ts'
import { areSimilar, type Near, nameOf, theNearest } from './near.ts'

/** The file that an event needs, by its address. `dist` is '' if absent. */
export type RequestedFile = { url: string; debugId: string | undefined; release: string | undefined; dist: string }

/** All data about a file of a frame. gather.ts loads it, so that judging is a pure function. */
export type FileDetails = {
  requested: RequestedFile
  place: DoctorTarget
  receivedMs: number
  nowMs: number
  retentionDays: number
  /** Name and version as in the event. */
  sdk: { name: string; version: string } | undefined
  /** Uploads of the project, and those for the event's release and dist. */
  uploads: Uploads
  ofRelease: Uploads
  /** When the newest bundle arrived, if it has debug ids. */
  injectedMs: number | undefined
  /** When the release was first seen; undefined if never. */
  releaseMs: number | undefined
  /** Another project of the organization that the user can see and that has the file. `sure`: found by debug id. */
  elsewhere: { slug: string; sure: boolean } | undefined
  /** Similar files, nearest first. Only looked up if the file itself is missing. */
  near: readonly Near[]
  /** The file and its map. `sinceMs`: when they arrived. */
  found: { plan: Plan; uuid: string; sinceMs: number } | undefined
  /** Why its map cannot be used, according to the loader. */
  reason: UnmappedReason | undefined
}

/** The data of one position in the file. Lines and columns from 1. */
type FrameDetails = {
  line: number | undefined
  column: number | undefined
  /** The mapping result at the time of the event. */
  stored: FrameData | undefined
  /** The position in the map; undefined without a map. */
  spot: Spot | undefined
}

/** `beyond`: the uploaded script has no such position. `source`: the original position, line from 1. */
export type Spot = {
  beyond: boolean
  source: { path: string; line: number; text: 'there' | 'missing' | 'short' } | undefined
}

type FrameDiagnosis = { state: 'ok' | 'now' | 'failed'; steps: DoctorStep[]; finding: DoctorFinding | null }

type Found = { code: DoctorCode; data: Record<string, string> }

const dayMs = 86_400_000
const iso = (ms: number) => new Date(ms).toISOString()
/** Placeholder for a missing dist or release. */
const named = (text: string | undefined) => text || '–'

/** SDKs whose versions differ from that of the browser SDK in them. */
const ownVersions = /^sentry\.javascript\.(?:react-native|electron|capacitor|cordova|nativescript|expo)\b/

/** Whether an SDK sends debug ids: JavaScript SDKs do from 7.47.0 on. Undefined if unknown. */
function sendsIds(sdk: FileDetails['sdk']): boolean | undefined {
  const name = sdk?.name ?? ''
  const [, major = 0, minor = 0] = (/^(\d{1,4})\.(\d{1,4})\./.exec(sdk?.version ?? '') ?? []).map(Number)
  if (!/^sentry\.javascript\./.test(name) || ownVersions.test(name) || major === 0) return undefined
  return major > 7 || (major === 7 && minor >= 47)
}

/** No upload has the debug id. Files of other releases and other addresses say nothing about the deployed file. */
function withoutIdMatch({ requested, near, uploads }: FileDetails, debugId: string): Found {
  const { url, release = '', dist } = requested
  const other = near.find(
    (entry) => entry.how === 'same' && entry.release === release && entry.dist === dist && entry.file.debugId !== '',
  )
  return other
    ? {
        code: 'debug_id_differs',
        data: { url, debugId, foundId: other.file.debugId, found: other.file.url, when: iso(other.sinceMs) },
      }
    : { code: 'debug_id_unknown', data: { url, debugId, when: iso(uploads.newestMs) } }
}

/** The event has no debug id, but uploads have them. Undefined if that is unknown. */
function withoutId({ requested: { url }, near, sdk, injectedMs }: FileDetails): Found | undefined {
  const injected = near.find((entry) => entry.how === 'same' && entry.file.debugId !== '')
  const sinceMs = injected?.sinceMs ?? (isInPage(url) ? undefined : injectedMs)
  const sends = sendsIds(sdk)
  if (sinceMs === undefined || sends === undefined) return undefined
  const data = { url, when: iso(sinceMs) }
  return sends ? { code: 'debug_id_missing', data } : { code: 'sdk_old', data: { ...data, sdk: sdk?.version ?? '' } }
}

/** The only similar file of the same release and dist; undefined if there is none or several. */
function otherName({ requested, near }: FileDetails, release: string): Found | undefined {
  const { url, dist } = requested
  const here = theNearest(
    url,
    near.filter((entry) => entry.how !== 'same' && entry.release === release && entry.dist === dist),
  )
  return here && { code: here.how === 'rebuilt' ? 'build_differs' : 'url_differs', data: { url, found: here.file.url } }
}

/** Why nothing was found for an event without debug id and release. */
function withoutNames(details: FileDetails): Found {
  const { requested, near } = details
  const { url } = requested
  const noId = withoutId(details)
  if (noId) return noId
  const same = near.find((entry) => entry.how === 'same' && entry.release !== '')
  if (same) return { code: 'no_release', data: { url, found: same.file.url, release: same.release } }
  if (isInPage(url)) return { code: 'in_page', data: { url } }
  return otherName(details, '') ?? { code: 'not_injected', data: { url } }
}

/** Whether an address is a page instead of a script: a folder, a name without a suffix or with that of a page. */
const isInPage = (url: string) =>
  /^https?:/.test(url) &&
  (!/\.[a-z\d]{1,5}$/i.test(nameOf(url)) || /\.(?:x?html?|php|aspx?|jspx?|cfm)$/i.test(nameOf(url)))

/** Why nothing was found by address in a release that has files. */
function withoutFile(details: FileDetails, release: string): Found {
  const { url } = details.requested
  const other = otherName(details, release)
  if (other) return other
  if (isInPage(url)) return { code: 'in_page', data: { url } }
  return withoutId(details) ?? { code: 'file_missing', data: { url, release } }
}

/** Why nothing was found by address in a release. */
function withoutUrlMatch(details: FileDetails, release: string): Found {
  const { requested, near, ofRelease, elsewhere, place } = details
  const { url, dist } = requested
  const same = near.filter((entry) => entry.how === 'same')
  const otherDist = same.find((entry) => entry.release === release)
  if (otherDist) {
    const data = { release, dist: named(dist), found: otherDist.file.url, foundDist: named(otherDist.dist) }
    return { code: 'dist_differs', data }
  }
  if (ofRelease.bundles > 0) return withoutFile(details, release)
  if (elsewhere) return { code: 'other_project', data: { other: elsewhere.slug, project: place.project } }
  if (isInPage(url)) return { code: 'in_page', data: { url } }
  const { releaseMs, nowMs, retentionDays } = details
  if (releaseMs !== undefined && releaseMs < nowMs - retentionDays * dayMs)
    return { code: 'aged_out', data: { release, days: String(retentionDays) } }
  const others = same.filter((entry) => entry.release !== '')
  const other = others.find((entry) => areSimilar(entry.release, release)) ?? others[0]
  const noId = withoutId(details)
  // The deployed file has no debug id, so files that are found by debug id say nothing about the release.
  if (noId && (!other || other.file.debugId !== '')) return noId
  if (other) return { code: 'release_differs', data: { release, found: other.file.url, foundRelease: other.release } }
  return { code: 'release_unknown', data: { release, dist: named(dist) } }
}

/** Why no uploaded file matches. Certain reasons come first. */
function reasonNotFound(details: FileDetails): Found {
  const { requested, place, elsewhere, uploads } = details
  const { project } = place
  if (elsewhere && (elsewhere.sure || uploads.bundles === 0))
    return { code: 'other_project', data: { other: elsewhere.slug, project } }
  if (uploads.bundles === 0) return { code: 'no_uploads', data: { project } }
  if (requested.debugId !== undefined) return withoutIdMatch(details, requested.debugId)
  return requested.release === undefined ? withoutNames(details) : withoutUrlMatch(details, requested.release)
}

/** Why the found file has no usable map; undefined if it has a usable map. */
function reasonNoMap({ requested, found, reason }: FileDetails): Found | undefined {
  const plan = found?.plan
  const why = plan?.reason ?? reason
  if (!plan || !why) return undefined
  const data = {
    url: requested.url,
    found: plan.script?.url ?? plan.map?.url ?? requested.url,
    map: plan.map?.url ?? plan.sourcemap,
  }
  switch (why) {
    case 'map_missing':
      return { code: why, data: { ...data, map: plan.named ?? data.map } }
    case 'map_broken':
      return { code: plan.inline ? 'map_inline_broken' : why, data }
    case 'file_gone':
    case 'map_unnamed':
    case 'map_large':
    case 'map_slow':
    case 'map_pending':
      return { code: why, data }
    default:
      return undefined
  }
}

/** The fault of the position in the map, or of its source; undefined if there is none. */
function reasonNoSource({ requested, found }: FileDetails, { line, column, spot }: FrameDetails): Found | undefined {
  const { url } = requested
  if (!spot) return undefined
  const place = { line: String(line), column: String(column) }
  if (spot.beyond) return { code: 'position_beyond', data: { url, ...place } }
  if (!spot.source) return { code: 'position_unmapped', data: { found: found?.plan.script?.url ?? url, ...place } }
  const { path, line: sourceLine, text } = spot.source
  if (text === 'missing') return { code: 'source_missing', data: { source: path } }
  if (text === 'short') return { code: 'source_differs', data: { source: path, line: String(sourceLine) } }
  return undefined
}

/** The first fault between a frame and its source, in the order of the steps. */
function firstWrong(file: FileDetails, frame: FrameDetails): Found | undefined {
  if (frame.line === undefined) return { code: 'no_line', data: {} }
  if (frame.column === undefined) return { code: 'no_column', data: { url: file.requested.url } }
  if (!file.found) return reasonNotFound(file)
  return reasonNoMap(file) ?? reasonNoSource(file, frame)
}

/** The file was found by address, but its debug id differs from that of the deployed file: another build step. */
function byAddress({ requested, found }: FileDetails): Found | undefined {
  const script = found?.plan.script
  if (!script || requested.debugId === undefined || script.debugId === requested.debugId) return undefined
  return { code: 'by_address', data: { url: requested.url, debugId: requested.debugId, found: script.url } }
}

/** The finding for a frame that can be mapped now but was not mapped then. */
function sinceThen({ found, receivedMs }: FileDetails, { stored }: FrameDetails): Found {
  const later = found && found.sinceMs > receivedMs
  return later
    ? { code: 'came_later', data: { when: iso(found.sinceMs) } }
    : { code: 'read_later', data: { reason: stored?.reason ?? '–' } }
}

/** Release and dist as one text; '' without both. */
const releaseText = ({ release, dist }: RequestedFile) => [release, dist].filter(Boolean).join(' ')

function foundAt(
  step: DoctorStepName,
  { requested, found, ofRelease }: FileDetails,
  { line, column, spot }: FrameDetails,
): string {
  switch (step) {
    case 'address':
      return requested.url
    case 'debug_id':
      return requested.debugId ?? ''
    case 'bundle':
      return found?.uuid ?? (ofRelease.bundles > 0 ? releaseText(requested) : '')
    case 'file':
      return found?.plan.script?.url ?? ''
    case 'map':
      return found?.plan.map?.url ?? (found?.plan.inline ? 'data:' : '')
    case 'column':
      return line === undefined ? '' : `${line}:${column ?? '?'}`
    case 'source':
      return spot?.source ? `${spot.source.path}:${spot.source.line}` : ''
  }
}

const shownMax = 300
const shown = (text: string) =>
  text
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu, '\ufffd')
    .slice(0, shownMax)
    .toWellFormed()

/** The value found at a step instead of the requested value. */
function insteadAt({ step, data }: DoctorFinding): string | undefined {
  if (step === 'bundle') return data.foundId ?? data.foundRelease ?? data.foundDist ?? data.other ?? ''
  return step === 'file' ? (data.found ?? '') : undefined
}

/** The steps with the value found at each. Those after the failed step are open. */
function stepsOf(file: FileDetails, frame: FrameDetails, finding: DoctorFinding | undefined): DoctorStep[] {
  const failed = finding?.step
  const end = failed === undefined ? doctorSteps.length : doctorSteps.indexOf(failed)
  return doctorSteps.map((step, at): DoctorStep => {
    if (at > end) return { step, state: 'open', found: '' }
    const found = shown(foundAt(step, file, frame))
    if (at === end) return { step, state: 'failed', found: (finding && insteadAt(finding)) ?? found }
    // A file found by address needs no debug id, a map found by debug id no script. A deleted bundle leaves no value.
    return { step, state: found === '' ? 'unused' : 'ok', found }
  })
}

/** Judges one position of a file: the value found at each step, and the first fault. */
export function diagnoseFrame(file: FileDetails, frame: FrameDetails): FrameDiagnosis {
  const isMapped = frame.stored?.symbolicated === true
  const wrong = firstWrong(file, frame)
  const toFinding = ({ code, data }: Found) => findingOf(code, data, file.place)
  // A mapped frame stays mapped, even if its bundle was deleted later.
  if (isMapped && (!wrong || frame.stored?.reason === undefined)) {
    const other = byAddress(file)
    return { state: 'ok', steps: stepsOf(file, frame, undefined), finding: other ? toFinding(other) : null }
  }
  if (!wrong)
    return {
      state: 'now',
      steps: stepsOf(file, frame, undefined),
      finding: toFinding(byAddress(file) ?? sinceThen(file, frame)),
    }
  const finding = toFinding(wrong)
  return { state: 'failed', steps: stepsOf(file, frame, finding), finding }
}
