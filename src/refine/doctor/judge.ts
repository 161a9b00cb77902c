import { type DoctorFinding, type DoctorStep, type DoctorStepName, doctorSteps } from '../../protocol/doctor.ts'
import type { DoctorPlace } from '../../protocol/doctor-commands.ts'
import { type DoctorCode, findingOf } from '../../protocol/doctor-findings.ts'
import type { FrameData, UnmappedReason } from '../../protocol/event.ts'
import type { Uploads } from '../../store/meta/artifact-search.ts'
import type { Plan } from '../symbolicate/plan.ts'
import { type Near, nameOf } from './near.ts'

/** What an event asks for: a file by its address. `dist` '' for none. */
export type AskedFile = { url: string; debugId: string | undefined; release: string | undefined; dist: string }

/** Everything that is known of a file which frames lie in; fetched by gather.ts, so that judging it is a pure function. */
export type FileFacts = {
  asked: AskedFile
  place: DoctorPlace
  receivedMs: number
  nowMs: number
  retentionDays: number
  /** Name and version as the event says. */
  sdk: { name: string; version: string } | undefined
  /** Of the project, and of it in the event's release and dist. */
  uploads: Uploads
  ofRelease: Uploads
  /** Whether the newest upload has debug ids. */
  injects: boolean
  /** When the release was first heard of; undefined: never. */
  releaseMs: number | undefined
  /** Another project of the same organization that has the file, of those that whoever asks may see. */
  elsewhere: string | undefined
  /** Files that may have been meant, the nearest first; looked for only when the file itself is not there. */
  near: readonly Near[]
  /** The file and its map. `sinceMs`: when they came. */
  found: { plan: Plan; uuid: string; sinceMs: number } | undefined
  /** Why its map can't be used, as the loader says. */
  reason: UnmappedReason | undefined
}

/** What is known of one place in the file. Lines and columns from 1. */
export type FrameFacts = {
  line: number | undefined
  column: number | undefined
  /** What was found when the event came. */
  stored: FrameData | undefined
  /** The place in the map; undefined: there is no map to look in. */
  spot: Spot | undefined
}

/** `beyond`: the uploaded script has no such place. `source`: where it comes from, line from 1. */
export type Spot = {
  beyond: boolean
  source: { path: string; line: number; text: 'there' | 'missing' | 'short' } | undefined
}

export type Judgement = { state: 'ok' | 'now' | 'failed'; steps: DoctorStep[]; finding: DoctorFinding | null }

type Found = { code: DoctorCode; data: Record<string, string> }

const dayMs = 86_400_000
const iso = (ms: number) => new Date(ms).toISOString()
/** What stands for a dist or release that is none. */
const named = (text: string | undefined) => text || '–'

/** SDKs of JavaScript send debug ids from 7.47.0 on. */
function isOldSdk(sdk: FileFacts['sdk']): boolean {
  const [, major = 0, minor = 0] = (/^(\d{1,4})\.(\d{1,4})\./.exec(sdk?.version ?? '') ?? []).map(Number)
  return /^sentry\.javascript\./.test(sdk?.name ?? '') && major > 0 && (major < 7 || (major === 7 && minor < 47))
}

/** Why nothing that was uploaded answers to a debug id. */
function withoutIdMatch({ asked, near, uploads }: FileFacts, debugId: string): Found {
  const { url } = asked
  const other = near.find((one) => one.file.debugId !== '')
  return other
    ? {
        code: 'debug_id_differs',
        data: { url, debugId, foundId: other.file.debugId, found: other.file.url, when: iso(other.sinceMs) },
      }
    : { code: 'debug_id_unknown', data: { url, debugId, when: iso(uploads.newestMs) } }
}

/** Why an event that names neither debug id nor release finds nothing. */
function withoutNames(facts: FileFacts): Found {
  const { asked, near, sdk, injects, uploads } = facts
  const { url } = asked
  const [first] = near
  const injected = near.find((one) => one.file.debugId !== '')
  if (injected && isOldSdk(sdk)) return { code: 'sdk_old', data: { url, sdk: sdk?.version ?? '' } }
  if (injected) return { code: 'debug_id_missing', data: { url, when: iso(injected.sinceMs) } }
  if (first && first.release !== '')
    return { code: 'no_release', data: { url, found: first.file.url, release: first.release } }
  if (injects && !isInPage(url)) return { code: 'debug_id_missing', data: { url, when: iso(uploads.newestMs) } }
  return isInPage(url) ? { code: 'in_page', data: { url } } : { code: 'not_injected', data: { url } }
}

/** Addresses of pages rather than of scripts: a folder, or a name without an ending. */
const isInPage = (url: string) => /^https?:/.test(url) && !/\.[a-z\d]{1,5}$/i.test(nameOf(url))

/** Why nothing was found by address in a release. */
function withoutUrlMatch(facts: FileFacts, release: string): Found {
  const { asked, near, ofRelease, sdk, injects, uploads } = facts
  const { url, dist } = asked
  const same = near.filter((one) => one.how === 'same')
  const otherDist = same.find((one) => one.release === release)
  if (otherDist)
    return {
      code: 'dist_differs',
      data: { dist: named(dist), found: otherDist.file.url, foundDist: named(otherDist.dist) },
    }
  const here = near.find((one) => one.release === release && one.dist === dist)
  const inOther = here ? undefined : near.find((one) => one.release !== '')
  if (inOther && inOther.how !== 'rebuilt')
    return { code: 'release_differs', data: { release, found: inOther.file.url, foundRelease: inOther.release } }
  if (here)
    return { code: here.how === 'rebuilt' ? 'build_differs' : 'url_differs', data: { url, found: here.file.url } }
  if (isInPage(url)) return { code: 'in_page', data: { url } }
  const injected = near.find((one) => one.file.debugId !== '')
  if (injected && isOldSdk(sdk)) return { code: 'sdk_old', data: { url, sdk: sdk?.version ?? '' } }
  if (injected || injects)
    return { code: 'debug_id_missing', data: { url, when: iso(injected?.sinceMs ?? uploads.newestMs) } }
  if (ofRelease.bundles > 0) return { code: 'file_missing', data: { url } }
  const { releaseMs, nowMs, retentionDays } = facts
  if (releaseMs !== undefined && releaseMs < nowMs - retentionDays * dayMs)
    return { code: 'aged_out', data: { release, days: String(retentionDays) } }
  return { code: 'release_unknown', data: { release, dist: named(dist) } }
}

/** Why no uploaded file answers. */
function whyNotFound(facts: FileFacts): Found {
  const { asked, place, elsewhere, uploads } = facts
  const { project } = place
  if (elsewhere !== undefined) return { code: 'other_project', data: { other: elsewhere, project } }
  if (uploads.bundles === 0) return { code: 'no_uploads', data: { project } }
  if (asked.debugId !== undefined) return withoutIdMatch(facts, asked.debugId)
  return asked.release === undefined ? withoutNames(facts) : withoutUrlMatch(facts, asked.release)
}

/** Why the file that was found has no map that can be used; undefined: it has one. */
function whyNoMap({ asked, found, reason }: FileFacts): Found | undefined {
  const plan = found?.plan
  const why = plan?.reason ?? reason
  if (!plan || !why) return undefined
  const data = {
    url: asked.url,
    found: plan.script?.url ?? plan.map?.url ?? asked.url,
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

/** What is wrong with the place in the map, or with the source that it leads to. */
function whyNoSource({ asked, found }: FileFacts, { line, column, spot }: FrameFacts): Found | undefined {
  const { url } = asked
  if (!spot) return undefined
  const place = { line: String(line), column: String(column) }
  if (spot.beyond) return { code: 'position_beyond', data: { url, ...place } }
  if (!spot.source) return { code: 'position_unmapped', data: { found: found?.plan.script?.url ?? url, ...place } }
  const { path, line: sourceLine, text } = spot.source
  if (text === 'missing') return { code: 'source_missing', data: { source: path } }
  if (text === 'short') return { code: 'source_differs', data: { source: path, line: String(sourceLine) } }
  return undefined
}

/** The first thing that is wrong between a frame and its source, in the order of the steps. */
function firstWrong(file: FileFacts, frame: FrameFacts): Found | undefined {
  if (frame.line === undefined) return { code: 'no_line', data: {} }
  if (frame.column === undefined) return { code: 'no_column', data: { url: file.asked.url } }
  if (!file.found) return whyNotFound(file)
  return whyNoMap(file) ?? whyNoSource(file, frame)
}

/** A file that was found by its address though the deployed one has a debug id: another step of the build. */
function byAddress({ asked, found }: FileFacts): Found | undefined {
  const script = found?.plan.script
  if (!script || asked.debugId === undefined || script.debugId === asked.debugId) return undefined
  return { code: 'by_address', data: { url: asked.url, debugId: asked.debugId, found: script.url } }
}

/** What is to be said of a frame that could be mapped now and was not. */
function sinceThen({ found, receivedMs }: FileFacts, { stored }: FrameFacts): Found {
  const later = found && found.sinceMs > receivedMs
  return later
    ? { code: 'came_later', data: { when: iso(found.sinceMs) } }
    : { code: 'read_later', data: { reason: stored?.reason ?? '–' } }
}

/** Release and dist as one text; '' for neither. */
const releaseText = ({ release, dist }: AskedFile) => [release, dist].filter(Boolean).join(' ')

function foundAt(
  step: DoctorStepName,
  { asked, found, ofRelease }: FileFacts,
  { line, column, spot }: FrameFacts,
): string {
  switch (step) {
    case 'address':
      return asked.url
    case 'debug_id':
      return asked.debugId ?? ''
    case 'bundle':
      return found?.uuid ?? (ofRelease.bundles > 0 ? releaseText(asked) : '')
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

/** What was found at a step instead of what was asked for. */
function insteadAt({ step, data }: DoctorFinding): string | undefined {
  if (step === 'bundle') return data.foundId ?? data.foundRelease ?? data.foundDist ?? data.other ?? ''
  return step === 'file' ? (data.found ?? '') : undefined
}

/** The list of steps with what was found at each; those behind the failed one are open. */
function stepsOf(file: FileFacts, frame: FrameFacts, finding: DoctorFinding | undefined): DoctorStep[] {
  const failed = finding?.step
  const end = failed === undefined ? doctorSteps.length : doctorSteps.indexOf(failed)
  return doctorSteps.map((step, at): DoctorStep => {
    if (at > end) return { step, state: 'open', found: '' }
    const found = shown(foundAt(step, file, frame))
    if (at === end) return { step, state: 'failed', found: (finding && insteadAt(finding)) ?? found }
    // a file by its address needs no debug id, a map by its debug id no script; of a file whose bundle went nothing is left
    return { step, state: found === '' ? 'unused' : 'ok', found }
  })
}

/** Judges one place of a file: what was found at each step, and the first that fails. */
export function judge(file: FileFacts, frame: FrameFacts): Judgement {
  const isMapped = frame.stored?.symbolicated === true
  const wrong = firstWrong(file, frame)
  const say = ({ code, data }: Found) => findingOf(code, data, file.place)
  // what was mapped stays mapped, though its bundle may have been taken away since
  if (isMapped && (!wrong || frame.stored?.reason === undefined)) {
    const other = byAddress(file)
    return { state: 'ok', steps: stepsOf(file, frame, undefined), finding: other ? say(other) : null }
  }
  if (!wrong)
    return {
      state: 'now',
      steps: stepsOf(file, frame, undefined),
      finding: say(byAddress(file) ?? sinceThen(file, frame)),
    }
  const finding = say(wrong)
  return { state: 'failed', steps: stepsOf(file, frame, finding), finding }
}
