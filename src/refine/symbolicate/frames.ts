import type { FrameData, NormalFrame, UnmappedReason } from '../../domain/event.ts'
import { addressOf, inAppOfSource, joinUrl, moduleOfPath, shownSource } from './paths.ts'
import type { MapView, Original, OriginalSource, SourceContext } from './view.ts'

/** The key of a look-up. `url`: the frame's address. `debugId`: lower-case with dashes. `dist`: '' if absent. */
export type MapQuery = { debugId: string | undefined; url: string; release: string | undefined; dist: string }

/** The result of a query: the look-ups and the map's address. `reason`: why there is no map or no look-up. */
export type MapFound = {
  view?: MapView
  sourcemap?: string
  resolvedWith?: NonNullable<FrameData['resolved_with']>
  reason?: UnmappedReason
}

/** The source of maps. `find` returns undefined if the answer is not loaded yet, and records the query. */
export type MapSource = { find(query: MapQuery): MapFound | undefined; places: Places }

/** How to look up the frames of one event. */
export type FrameContext = {
  platform: string
  release: string | undefined
  dist: string
  debugIdOf: (url: string) => string | undefined
}

/** Function names without information. The caller's token replaces them. */
const unnamed: ReadonlySet<string> = new Set(['', '<anonymous>', '__webpack_require__', '__webpack_modules__'])

/** Tokens of a caller that only forwards a call: every SDK wrapper (`original.apply(this, args)`) has this name. */
const forwarding: ReadonlySet<string> = new Set(['apply', 'call'])

const isScript = (platform: string) => platform === 'javascript' || platform === 'node'

/** Whether a frame's file could have been uploaded: not part of the runtime, not code without a file. */
export function mayBeMapped(frame: NormalFrame, platform: string): boolean {
  if (!isScript(frame.platform ?? platform)) return false
  const path = frame.abs_path ?? frame.filename
  if (!path || path.startsWith('<') || path.startsWith('[') || /^(?:node|internal|native|eval)[: /]/.test(path))
    return false
  return !/^(?:chrome|moz|safari|safari-web|edge|ms-browser)-extension:/.test(path)
}

/**
 * Maps the frames of one stack, oldest call first. Undefined if no frame can be mapped. `raw` are the received frames,
 * with the minified line if known; it is undefined if no frame was mapped.
 */
export function mapFrames(
  frames: readonly NormalFrame[],
  maps: MapSource,
  context: FrameContext,
): { frames: NormalFrame[]; raw: NormalFrame[] | undefined } | undefined {
  let hasAsked = false
  let mapped = false
  let callerToken: string | undefined
  const raw: NormalFrame[] = []
  const out = frames.map((frame) => {
    const result = mayBeMapped(frame, context.platform) ? mapFrame(frame, maps, context, callerToken) : undefined
    hasAsked ||= result !== undefined
    mapped ||= result?.frame.data?.symbolicated === true
    callerToken = result?.token
    raw.push(result?.raw ?? frame)
    return result?.frame ?? frame
  })
  return hasAsked ? { frames: out, raw: mapped ? raw : undefined } : undefined
}

type MappedFrame = { frame: NormalFrame; raw: NormalFrame; token: string | undefined }

const left = (frame: NormalFrame, reason: UnmappedReason | undefined, raw = frame): MappedFrame => ({
  frame: { ...raw, data: { symbolicated: false, ...(reason ? { reason } : {}) } },
  raw: frame,
  token: undefined,
})

function mapFrame(
  frame: NormalFrame,
  maps: MapSource,
  context: FrameContext,
  callerToken: string | undefined,
): MappedFrame {
  const url = addressOf(frame.abs_path ?? frame.filename ?? '')
  if (frame.lineno === undefined || frame.lineno < 1) return left(frame, 'location_invalid')
  const line = frame.lineno - 1
  const column = Math.max(0, (frame.colno ?? 0) - 1)
  const { release, dist } = context
  const found = maps.find({ debugId: context.debugIdOf(frame.abs_path ?? ''), url, release, dist })
  if (!found?.view) return left(frame, found?.reason)
  const { view } = found
  const unmapped = (reason: UnmappedReason) => left(frame, reason, withContext(frame, view.scriptContext(line, column)))
  if (found.reason || !view.mapped) return unmapped(found.reason ?? 'map_unnamed')
  if (frame.colno === undefined) return unmapped('location_invalid')
  const original = view.original(line, column)
  if (!original) return unmapped('position_unmapped')
  // A mapped frame keeps only its minified line. With the lines around it, a stored event was three times as large.
  const raw = withContext(frame, view.scriptContext(line, column, 0))
  const name = nameOf(frame, view.functionAt(line, column), original, callerToken)
  return { frame: placed(frame, found, original, name, maps.places), raw, token: original.name }
}

/** Adds the lines of its own file to a frame, unless the SDK sent some. */
function withContext(frame: NormalFrame, context: SourceContext | undefined): NormalFrame {
  if (!context || frame.context_line !== undefined) return frame
  const out = { ...frame }
  setLines(out, context)
  return out
}

function setLines(frame: NormalFrame, { pre, line, post }: SourceContext): void {
  if (pre.length) frame.pre_context = pre
  frame.context_line = line
  if (post.length) frame.post_context = post
}

/** The function's name: that of its scope; for an unnamed scope the caller's token; without a scope the SDK's. */
function nameOf(
  frame: NormalFrame,
  scope: string | undefined,
  original: Original,
  callerToken: string | undefined,
): string | undefined {
  // Dart's compiler names generated parts of async functions. The token has the original name.
  if (frame.function?.includes('$async$') && original.name) return original.name
  if (scope !== undefined && !unnamed.has(scope)) return scope
  // Outside of every function, or without the script: the received name is the best name.
  if (scope === undefined) return frame.function
  return callerToken && !unnamed.has(callerToken) && !forwarding.has(callerToken) ? callerToken : '<anonymous>'
}

/** Values derived from a source's path. They are equal for all its frames, so they are cached per source. */
type Place = { base: string; absPath: string; shown: string; module: string | undefined }

/** Cached places of sources. An entry lives as long as its map. */
export type Places = WeakMap<OriginalSource, Place>

function placeOf(places: Places, source: OriginalSource, path: string, base: string): Place {
  const cached = places.get(source)
  if (cached?.base === base) return cached
  const absPath = clipped(absolute(base, path), 2048)
  const module = moduleOfPath(absPath)
  const shown = clipped(shownSource(path), 256)
  const location = { base, absPath, shown, module: module && clipped(module, 512) }
  places.set(source, location)
  return location
}

/** The frame at its original position. */
function placed(
  frame: NormalFrame,
  found: MapFound,
  original: Original,
  name: string | undefined,
  places: Places,
): NormalFrame {
  const { source, line, column } = original
  const context = found.view?.context(source.file, line, column)
  const data: FrameData = { symbolicated: true }
  if (found.sourcemap) data.sourcemap = found.sourcemap
  if (found.resolvedWith) data.resolved_with = found.resolvedWith
  if (!context) data.reason = 'source_missing'
  // in_app can stay undefined here, if neither source nor SDK decides. The step `inApp` sets it.
  const out: NormalFrame = { in_app: frame.in_app, lineno: line + 1, colno: column + 1, data }
  if (name !== undefined) out.function = clipped(name, 512)
  if (frame.raw_function !== undefined) out.raw_function = frame.raw_function
  if (frame.platform !== undefined) out.platform = frame.platform
  if (frame.vars !== undefined) out.vars = frame.vars
  if (source.path === undefined) {
    if (frame.filename !== undefined) out.filename = frame.filename
    if (frame.module !== undefined) out.module = frame.module
    if (frame.abs_path !== undefined) out.abs_path = frame.abs_path
  } else {
    const place = placeOf(places, source, source.path, found.sourcemap ?? '')
    out.abs_path = place.absPath
    if (place.shown) out.filename = place.shown
    if (place.module) out.module = place.module
    out.in_app = inAppOfSource(source.path, place.absPath, frame.in_app) as boolean
  }
  if (context) setLines(out, context)
  return out
}

const absolute = (base: string, source: string): string => (base ? joinUrl(base, source) : source)

const clipped = (text: string, max: number): string => (text.length <= max ? text : text.slice(0, max).toWellFormed())
