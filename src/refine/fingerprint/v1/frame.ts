import type { NormalFrame, NormalStacktrace } from '../../../domain/event.ts'
import { contributing, type GroupingHint, type GroupingNode } from '../../../domain/grouping.ts'
import type { StackAnnotations } from '../stack-rules.ts'

const withContext: ReadonlySet<string> = new Set(['javascript', 'node', 'python', 'php', 'ruby'])
const contextLineMax = 120

const isScript = (platform: string) => platform === 'javascript' || platform === 'node'
const isUrl = (path: string) => /^(?:https?|blob|applewebdata):/i.test(path)
const isUrlOrFile = (path: string) => isUrl(path) || path.startsWith('file:')
const noFile: ReadonlySet<string> = new Set(['<anonymous>', '[native code]', 'native code'])
const lowQuality: ReadonlySet<string> = new Set(['[native code]', 'native code', 'eval code', '<anonymous>'])
const noScriptFunction: ReadonlySet<string> = new Set([
  '',
  '?',
  '<anonymous>',
  '<anonymous function>',
  'Anonymous function',
  'anonymous',
])

type Id = 'module' | 'filename' | 'function' | 'context-line'

// Refining makes hundreds of these per event, so the objects have few shapes and are built without spread.

/** A part that contributes. */
const leaf = (id: Id, text: string, hint?: GroupingHint): GroupingNode =>
  hint === undefined ? { id, contributes: true, values: [text] } : { id, contributes: true, hint, values: [text] }
/** A part that does not contribute. */
const ignored = (id: Id, text: string, hint: GroupingHint): GroupingNode => ({
  id,
  contributes: false,
  hint,
  values: [text],
})

/** The parts of one frame, the same for both variants. */
type FrameParts = { values: GroupingNode[]; counts: boolean; isLow: boolean }

/** Module, file name, function and source line of a frame, contributing or not. */
function frameParts(frame: NormalFrame, platform: string): FrameParts {
  const values: GroupingNode[] = []
  const line = contextLine(frame, platform)
  const module = moduleOf(frame, platform)
  const file = fileOf(frame)
  const name = functionOf(frame, platform)
  if (module) values.push(module)
  if (file) {
    if (module?.contributes && file.contributes) {
      file.contributes = false
      file.hint = 'module-first'
    }
    values.push(file)
  }
  if (name) {
    // A mapped line is more stable than a function name, which differs between browsers.
    const isMapped = frame.data?.symbolicated === true || frame.mapped_before === true
    if (isMapped && isScript(platform) && line?.contributes && name.contributes) {
      name.contributes = false
      name.hint = 'context-first'
    }
    values.push(name)
  }
  if (line) values.push(line)
  const isLow = isScript(platform) && (frame.function === 'eval' || lowQuality.has(frame.abs_path ?? ''))
  return { values, counts: !isLow && values.some((node) => node.contributes), isLow }
}

/** The values that group a frame. */
export function frameValues(frame: NormalFrame, platform: string): string[] {
  const { values, counts } = frameParts(frame, platform)
  return counts ? values.flatMap((node) => contributing(node)) : []
}

/** A stack in both variants, oldest frame first. */
export type StackNodes = { app: GroupingNode; system: GroupingNode }

const bothVariants = ['app', 'system'] as const

/** Both trees of a stack: in-app frames and all frames. `annotations`: the annotations of stack-trace rules. */
export function stackNodes(
  stacktrace: NormalStacktrace | undefined,
  eventPlatform: string,
  annotations?: StackAnnotations,
): StackNodes {
  const frames = stacktrace?.frames ?? []
  const byVariant: { app: GroupingNode[]; system: GroupingNode[] } = { app: [], system: [] }
  let before: NormalFrame | undefined
  for (const [at, frame] of frames.entries()) {
    const parts = frameParts(frame, frame.platform ?? eventPlatform)
    const repeated = before !== undefined && isRecursion(before, frame)
    before = frame
    const annotation = annotations?.frames[at]
    for (const variant of bothVariants) {
      const exclusionHint = hintFor(parts, frame, variant, repeated, annotation?.group)
      const isRuled =
        annotation?.group !== undefined && (exclusionHint === 'rule-out' || (exclusionHint === undefined && repeated))
      const hint = exclusionHint ?? (isRuled ? 'rule-in' : undefined)
      const contributes = exclusionHint === undefined && parts.counts
      const { values } = parts
      const node: GroupingNode =
        hint === undefined ? { id: 'frame', contributes, values } : { id: 'frame', contributes, hint, values }
      if (isRuled && annotation?.rule) node.rule = annotation.rule
      byVariant[variant].push(node)
    }
  }
  const isSingle = isSingleOfPage(frames, eventPlatform)
  return {
    app: stackNode(byVariant.app, isSingle, annotations),
    system: stackNode(byVariant.system, isSingle, annotations),
  }
}

function hintFor(
  parts: FrameParts,
  frame: NormalFrame,
  variant: 'app' | 'system',
  repeated: boolean,
  group: boolean | undefined,
): GroupingHint | undefined {
  if (variant === 'app' && !frame.in_app) return 'not-in-app'
  if (group === false) return 'rule-out'
  if (repeated && group !== true) return 'recursion'
  return parts.isLow ? 'low-quality' : undefined
}

/** A single page frame without a function shows where, but not what failed. The message groups better. */
function isSingleOfPage(frames: readonly NormalFrame[], eventPlatform: string): boolean {
  const [only] = frames
  if (!only || frames.length !== 1 || only.data?.symbolicated) return false
  const platform = only.platform ?? eventPlatform
  return isScript(platform) && !functionOf(only, platform)?.contributes && isUrlOrFile(only.abs_path ?? '')
}

function stackNode(frames: GroupingNode[], isSingle: boolean, annotations: StackAnnotations | undefined): GroupingNode {
  const { maxFrames = 0, minFrames = 0, inverted = false } = annotations ?? {}
  if (isSingle) return { id: 'stacktrace', contributes: false, hint: 'single-frame-url', values: frames }
  if (maxFrames > 0) {
    let left = maxFrames
    for (const frame of inverted ? frames : frames.toReversed()) {
      if (!frame.contributes) continue
      if (left > 0) left--
      else {
        frame.contributes = false
        frame.hint = 'over-max-frames'
      }
    }
  }
  const count = frames.reduce((sum, frame) => sum + Number(frame.contributes), 0)
  const isFew = count > 0 && count < minFrames
  const hint = isFew ? 'under-min-frames' : count === 0 ? 'no-frames' : undefined
  return { id: 'stacktrace', contributes: count > 0 && !isFew, ...(hint ? { hint } : {}), values: frames }
}

function isRecursion(a: NormalFrame, b: NormalFrame): boolean {
  return (
    a.lineno === b.lineno &&
    a.colno === b.colno &&
    a.function === b.function &&
    a.module === b.module &&
    a.filename === b.filename &&
    a.abs_path === b.abs_path &&
    a.package === b.package
  )
}

function fileOf(frame: NormalFrame): GroupingNode | undefined {
  const file = frame.filename
  if (!file) return undefined
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1).toLowerCase()
  if (isUrl(frame.abs_path ?? '') || isUrl(file)) return ignored('filename', name || file, 'url-file')
  if (noFile.has(file)) return ignored('filename', file, 'anonymous-file')
  return name ? leaf('filename', name) : undefined
}

/** Generated names of Java classes, which differ in each process. */
const generatedParts: readonly (readonly [RegExp, string])[] = [
  [/\b((?:sun|jdk\.internal)\.reflect\.GeneratedMethodAccessor)\d{1,10}/, '$1'],
  [/\b(Generated\w{0,40}ConstructorAccessor)\d{1,10}/, '$1<auto>'],
  [/\$\$(\w{0,64}CGLIB)\$\$[0-9a-f]{1,16}/g, '$$$$$1$$$$<auto>'],
  [/\$\$(Enhancer\w{0,64}|FastClass\w{0,64})\$\$[0-9a-f]{1,16}/g, '$$$$$1$$$$<auto>'],
  [/(_\$\$_javassist)_?[\w.]{0,40}/, '$1<auto>'],
  [/(\$HibernateProxy\$)\w{1,16}/, '$1<auto>'],
  [/(\$fn__)\d{1,10}/g, '$1<auto>'],
]

function moduleOf(frame: NormalFrame, platform: string): GroupingNode | undefined {
  const module = frame.module
  if (!module) return undefined
  if (isScript(platform))
    return module.includes('/') && (frame.abs_path ?? '').endsWith(module)
      ? ignored('module', module, 'page-module')
      : leaf('module', module)
  if (platform !== 'java') return leaf('module', module)
  if (module.includes('$$Lambda$')) return ignored('module', module, 'generated-module')
  let cut = module
  if (module.includes('$') || module.includes('Generated'))
    for (const [part, kept] of generatedParts) cut = cut.replace(part, kept)
  return cut === module ? leaf('module', module) : leaf('module', cut, 'generated-cut')
}

const trimmed = (text: string, name: string): GroupingNode =>
  leaf('function', text, text === name ? undefined : 'function-trimmed')

function functionOf(frame: NormalFrame, platform: string): GroupingNode | undefined {
  const name = platform === 'csharp' ? (frame.raw_function ?? frame.function) : frame.function
  if (!name) return undefined
  if (isScript(platform)) {
    const last = name.slice(name.lastIndexOf('.') + 1)
    return name.endsWith('/<') || noScriptFunction.has(last)
      ? ignored('function', name, 'anonymous-function')
      : trimmed(last, name)
  }
  if (platform === 'ruby')
    return trimmed(name.startsWith('block ') ? 'block' : name.replace(/__\d{1,20}_\d{1,20}$/, ''), name)
  if (platform === 'php') {
    if (name.startsWith('[Anonymous')) return ignored('function', name, 'anonymous-function')
    if (!name.startsWith('class@anonymous')) return leaf('function', name)
    return name.includes('::')
      ? trimmed(name.slice(name.lastIndexOf('::') + 2), name)
      : ignored('function', name, 'anonymous-function')
  }
  if (platform === 'java')
    return name.startsWith('lambda$') ? ignored('function', name, 'anonymous-function') : leaf('function', name)
  return name === '<redacted>' || name === '<unknown>'
    ? ignored('function', name, 'anonymous-function')
    : leaf('function', name)
}

function contextLine(frame: NormalFrame, platform: string): GroupingNode | undefined {
  if (!frame.context_line || !withContext.has(platform)) return undefined
  const line = frame.context_line.replace(/\s+/g, ' ').trim()
  if (!line) return undefined
  if (line.length > contextLineMax) return ignored('context-line', line, 'line-long')
  if (isScript(platform) && isUrlOrFile(frame.abs_path ?? '') && !frame.function)
    return ignored('context-line', line, 'line-of-page')
  return leaf('context-line', line)
}
