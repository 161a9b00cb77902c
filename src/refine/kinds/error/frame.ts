import type { NormalFrame, NormalStacktrace } from '../../../domain/event.ts'
import {
  addError,
  addMeta,
  boundedObject,
  clip,
  type Loose,
  type MetaNotes,
  object,
  own,
  text,
  truth,
  whole,
} from '../../pipeline/value.ts'

const framesMax = 250
const framesHead = 50
/** Frames of a long trace that keep source lines and variables. */
const richFramesMax = 50

/** Reads a stack trace in any shape: `{frames}`, a list of frames, null entries. Undefined without frames. */
export function readStacktrace(
  to: MetaNotes,
  leaf: string | number,
  value: unknown,
  platform: string,
): NormalStacktrace | undefined {
  const entry = object(value)
  if (value === undefined || value === null) return undefined
  const list = entry ? own(entry, 'frames') : value
  const all = Array.isArray(list) ? list : object(list) ? [list] : []
  const frames = all.filter((frame) => object(frame)) as Loose[]
  if (!frames.length) return undefined
  const cut = frames.length > framesMax
  const selected = cut ? [...frames.slice(0, framesHead), ...frames.slice(framesHead - framesMax)] : frames
  to.path.push(leaf, 'frames')
  if (cut) addMeta(to, '', { len: frames.length, rem: [['!limit', 'x']] })
  const rich = richFrames(selected)
  const out = selected.map((frame, i) => readFrame(to, i, frame, platform, rich(i)))
  to.path.length -= 2
  const omitted = cut ? ([framesHead, framesHead + frames.length - framesMax] as [number, number]) : readOmitted(entry)
  return omitted ? { frames: out, frames_omitted: omitted } : { frames: out }
}

function readOmitted(entry: Loose | undefined): [number, number] | undefined {
  const omitted = entry && own(entry, 'frames_omitted')
  if (!Array.isArray(omitted)) return undefined
  const [from, to] = [whole(omitted[0]), whole(omitted[1])]
  return from !== undefined && to !== undefined ? [from, to] : undefined
}

/**
 * Selects the frames that keep source lines and variables: all of a short trace, the outer and in-app frames of a long
 * one.
 */
function richFrames(frames: Loose[]): (index: number) => boolean {
  if (frames.length <= richFramesMax) return () => true
  const chosen = new Set<number>()
  const quarter = richFramesMax / 4
  for (let i = 0; i < quarter; i++) chosen.add(i).add(frames.length - 1 - i)
  for (let i = frames.length - 1; i >= 0 && chosen.size < richFramesMax; i--)
    if (own(frames[i] ?? {}, 'in_app') === true) chosen.add(i)
  for (let i = frames.length - 1; i >= 0 && chosen.size < richFramesMax; i--) chosen.add(i)
  return (index) => chosen.has(index)
}

function readFrame(to: MetaNotes, index: number, frame: Loose, eventPlatform: string, rich: boolean): NormalFrame {
  to.path.push(index)
  const platform = text(to, 'platform', own(frame, 'platform'), 64)
  // in_app stays undefined here. The step `inApp` sets it.
  const out = { in_app: truth(own(frame, 'in_app')) } as NormalFrame
  readLocation(to, frame, out, platform ?? eventPlatform)
  set(out, 'module', text(to, 'module', own(frame, 'module'), 512))
  const name = text(to, 'function', own(frame, 'function'), 512)
  if (name !== '?') set(out, 'function', name)
  set(out, 'raw_function', text(to, 'raw_function', own(frame, 'raw_function'), 512))
  set(out, 'lineno', lineNumber(to, 'lineno', frame))
  set(out, 'colno', lineNumber(to, 'colno', frame))
  set(out, 'platform', platform)
  set(out, 'package', text(to, 'package', own(frame, 'package'), 256, 40))
  if (object(own(frame, 'data')) && own(own(frame, 'data') as Loose, 'sourcemap')) out.mapped_before = true
  for (const key of ['instruction_addr', 'symbol_addr', 'image_addr'] as const)
    set(out, key, text(to, key, own(frame, key), 64))
  if (rich) readSource(to, frame, out)
  else if (own(frame, 'context_line') !== undefined || own(frame, 'vars') !== undefined)
    addMeta(to, 'context_line', { rem: [['!limit', 'x']] })
  to.path.pop()
  return out
}

/** Sets a field if there is a value. Absent fields stay absent. */
function set<T extends object, K extends keyof T>(out: T, key: K, value: T[K] | undefined): void {
  if (value !== undefined) out[key] = value
}

/** JavaScript SDKs send a URL as `filename` and no `abs_path`. The URL moves there; `filename` keeps the path. */
function readLocation(to: MetaNotes, frame: Loose, out: NormalFrame, platform: string): void {
  const filename = text(to, 'filename', own(frame, 'filename'), 256, 40)
  let absPath = text(to, 'abs_path', own(frame, 'abs_path'), 256, 40)
  if (
    !absPath &&
    filename &&
    (platform === 'javascript' || platform === 'node' || /^[a-z][a-z+.-]{1,20}:\/\//.test(filename))
  ) {
    absPath = text(to, 'abs_path', own(frame, 'filename'), 2048)
  }
  const shown = filename ?? absPath
  if (shown !== undefined)
    set(out, 'filename', platform === 'javascript' || platform === 'node' ? urlPath(shown) : shown)
  if (!filename && absPath && platform !== 'javascript' && platform !== 'node')
    out.filename = clip(to, 'filename', absPath, 256, 40)
  set(out, 'abs_path', absPath)
}

/** The path of a URL, or the text itself if it is no URL. */
function urlPath(url: string): string {
  const found = /^(?:https?|file|app|blob:https?|webpack|capacitor):\/\/[^/?#]*([^?#]*)/.exec(url)
  return found?.[1] ? found[1] : url
}

function lineNumber(to: MetaNotes, leaf: 'lineno' | 'colno', frame: Loose): number | undefined {
  const value = own(frame, leaf)
  if (value === undefined || value === null) return undefined
  const number = whole(value)
  if (number === undefined || number < 0) addError(to, 'invalid_data', leaf, value, 'expected a line number')
  return number !== undefined && number >= 0 ? number : undefined
}

function readSource(to: MetaNotes, frame: Loose, out: NormalFrame): void {
  const line = own(frame, 'context_line')
  if (typeof line === 'string') out.context_line = clip(to, 'context_line', line, 256, 40)
  for (const key of ['pre_context', 'post_context'] as const) {
    const lines = own(frame, key)
    if (!Array.isArray(lines) || !lines.length) continue
    to.path.push(key)
    out[key] = lines.slice(0, 10).map((entry, i) => clip(to, i, typeof entry === 'string' ? entry : '', 256, 40))
    to.path.pop()
  }
  const vars = own(frame, 'vars')
  const list = Array.isArray(vars) ? Object.fromEntries(vars.map((entry, i) => [String(i), entry])) : vars
  if (object(list) && Object.keys(list as Loose).length)
    set(out, 'vars', boundedObject(to, 'vars', list, { depth: 5, bytes: 2048 }))
}
