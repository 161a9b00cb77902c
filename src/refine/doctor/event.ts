import type { DoctorFile, EventDiagnosis } from '../../domain/doctor.ts'
import { findingOf } from '../../domain/doctor-findings.ts'
import type { FrameData, NormalEvent, NormalStacktrace } from '../../domain/event.ts'
import { type FrameContext, mayBeMapped } from '../symbolicate/frames.ts'
import { addressOf } from '../symbolicate/paths.ts'
import { frameContext } from '../symbolicate/symbolicate.ts'
import { type Deadline, type DoctorDeps, type DoctorProject, gather, placeOf, waitMs } from './gather.ts'
import { diagnoseFrame } from './judge.ts'

/** A received frame, with its stored mapping result. Line and column from 1. */
type SeenFrame = {
  url: string
  debugId: string | undefined
  line: number | undefined
  column: number | undefined
  inApp: boolean
  stored: FrameData | undefined
}

/** The mappable frames, most important first. `ignored`: the number of other frames. */
export type SeenFrames = { frames: SeenFrame[]; ignored: number }

const filesMax = 30
/** Maximum positions looked up in one file. */
const placesMax = 50

type Stacked = { stacktrace?: NormalStacktrace; raw_stacktrace?: NormalStacktrace }

/** Frames, newest call first. `raw_stacktrace` has the received frames; `stacktrace` has their mapping results. */
function framesIn({ stacktrace, raw_stacktrace: raw }: Stacked, context: FrameContext): (SeenFrame | undefined)[] {
  const stored = stacktrace?.frames ?? []
  const sent = raw?.frames ?? stored
  return sent
    .map((frame, at): SeenFrame | undefined => {
      if (!mayBeMapped(frame, context.platform)) return undefined
      const path = frame.abs_path ?? frame.filename ?? ''
      const line = frame.lineno !== undefined && frame.lineno >= 1 ? frame.lineno : undefined
      return {
        url: addressOf(path),
        debugId: context.debugIdOf(frame.abs_path ?? ''),
        line,
        column: frame.colno,
        inApp: stored[at]?.in_app ?? frame.in_app,
        stored: stored[at]?.data,
      }
    })
    .reverse()
}

/** Frames of an event: in-app frames first. Within that, the thrown exception first and the newest call first. */
export function seenFrames(event: NormalEvent): SeenFrames {
  const context = frameContext(event)
  const holders: Stacked[] = [...(event.exception?.values ?? []).toReversed(), ...(event.threads?.values ?? []), event]
  const all = holders.flatMap((holder) => framesIn(holder, context))
  const frames = all.flatMap((entry) => (entry ? [entry] : []))
  return {
    frames: [...frames.filter((frame) => frame.inApp), ...frames.filter((frame) => !frame.inApp)],
    ignored: all.length - frames.length,
  }
}

/** Groups frames by file and keeps their order. */
function byFile(frames: readonly SeenFrame[]): SeenFrame[][] {
  const files = new Map<string, SeenFrame[]>()
  for (const frame of frames) {
    const key = `${frame.debugId ?? ''}\n${frame.url}`
    const existing = files.get(key)
    if (existing) existing.push(frame)
    else files.set(key, [frame])
  }
  return [...files.values()]
}

/** Faults first, then files that can be mapped by now, then notes. */
const weightOf = ({ state, finding }: DoctorFile): number =>
  state === 'failed' ? (finding?.weight === 'wrong' ? 0 : 2) : state === 'now' ? 1 : 3

const originOf = (url: string) => /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(url)?.[0] ?? ''
/** Findings that can just mean that a script belongs to a third party. */
const perhapsForeign: ReadonlySet<string> = new Set([
  'file_missing',
  'release_unknown',
  'debug_id_missing',
  'sdk_old',
  'not_injected',
])

/** A diagnosed file. `isLike`: it or a similar file was uploaded. */
type DiagnosedFile = { file: DoctorFile; isLike: boolean }

/** A script belongs to a third party if its host has no uploads and no similar file was uploaded. */
function withoutForeign(diagnosed: readonly DiagnosedFile[], place: Parameters<typeof findingOf>[2]): DoctorFile[] {
  const own = new Set(diagnosed.filter((entry) => entry.isLike).map((entry) => originOf(entry.file.url)))
  return diagnosed.map(({ file, isLike }) => {
    const { url, debugId, finding } = file
    const isOwn = isLike || own.size === 0 || debugId !== null || originOf(url) === '' || own.has(originOf(url))
    if (isOwn || !perhapsForeign.has(finding?.code ?? '')) return file
    return { ...file, finding: findingOf('third_party', { url }, place) }
  })
}

/** Diagnoses every file in the frames of an event. `deadline`: that of a larger diagnosis, if any. */
export async function diagnoseEvent(
  deps: DoctorDeps,
  project: DoctorProject,
  event: NormalEvent,
  receivedMs: number,
  deadline: Deadline = { untilMs: deps.clock.now() + waitMs },
): Promise<EventDiagnosis> {
  const { frames, ignored } = seenFrames(event)
  const groups = byFile(frames)
  const { release, dist = '', sdk } = event
  const diagnosed: DiagnosedFile[] = []
  for (const group of groups.slice(0, filesMax)) {
    const [first] = group
    if (!first) continue
    const requested = { url: first.url, debugId: first.debugId, release, dist }
    const { details, spotAt } = await gather(deps, project, requested, { receivedMs, sdk }, deadline)
    const all = group.slice(0, placesMax).map((frame): DoctorFile => {
      const { line, column, stored } = frame
      const spot = spotAt && line !== undefined && column !== undefined ? spotAt(line, column) : undefined
      const { state, steps, finding } = diagnoseFrame(details, { line, column, stored, spot })
      const place = { line: line ?? null, column: column ?? null }
      return {
        url: steps[0]?.found ?? '',
        debugId: first.debugId ?? null,
        frames: group.length,
        ...place,
        state,
        steps,
        finding,
      }
    })
    const worst = all.toSorted((a, b) => weightOf(a) - weightOf(b))[0]
    if (worst) diagnosed.push({ file: worst, isLike: details.found !== undefined || details.near.length > 0 })
  }
  const files = withoutForeign(diagnosed, placeOf(deps, project, release, dist)).toSorted(
    (a, b) => weightOf(a) - weightOf(b),
  )
  const mapped = frames.filter((frame) => frame.stored?.symbolicated === true).length
  return {
    eventId: event.event_id,
    release: release ?? null,
    dist: event.dist ?? null,
    verdict: verdictOf(files),
    frames: { mapped, unmapped: frames.length - mapped, ignored },
    finding: files[0]?.finding ?? null,
    files,
    filesOmitted: Math.max(0, groups.length - filesMax),
  }
}

function verdictOf(files: readonly DoctorFile[]): EventDiagnosis['verdict'] {
  if (files.length === 0) return 'none'
  if (files.some((file) => file.state === 'failed' && file.finding?.weight === 'wrong')) return 'failed'
  return files.some((file) => file.state === 'now') ? 'now' : 'ok'
}
