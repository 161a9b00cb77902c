import type { NormalFrame, NormalStacktrace } from '../../../protocol/event.ts'

const withContext: ReadonlySet<string> = new Set(['javascript', 'node', 'python', 'php', 'ruby'])
const contextLineMax = 120

const isScript = (platform: string) => platform === 'javascript' || platform === 'node'
const isUrl = (path: string) => /^(?:https?|blob|applewebdata):/i.test(path)
const isUrlOrFile = (path: string) => isUrl(path) || path.startsWith('file:')
const noFile: ReadonlySet<string> = new Set(['<anonymous>', '[native code]', 'native code'])
const lowQuality: ReadonlySet<string> = new Set(['[native code]', 'native code', 'eval code', '<anonymous>'])

/** The values by which a stack groups (protocol.md 4.3), oldest frame first: of in-app frames, and of all frames. */
export function stackValues(
  stacktrace: NormalStacktrace | undefined,
  eventPlatform: string,
): { app: string[]; system: string[] } {
  const frames = stacktrace?.frames ?? []
  const app: string[] = []
  const system: string[] = []
  const single = frames.length === 1 ? frames[0] : undefined
  const platformOfSingle = single?.platform ?? eventPlatform
  // One frame of a page without a function says where, not what: the message groups better.
  if (
    single &&
    isScript(platformOfSingle) &&
    !functionOf(single, platformOfSingle, false) &&
    isUrlOrFile(single.abs_path ?? '')
  )
    return { app, system }
  let before: NormalFrame | undefined
  for (const frame of frames) {
    const repeated = before !== undefined && isRecursion(before, frame)
    before = frame
    if (repeated) continue
    for (const value of frameValues(frame, frame.platform ?? eventPlatform)) {
      system.push(value)
      if (frame.in_app) app.push(value)
    }
  }
  return { app, system }
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

/** Module, file name, function and source line, those that count. */
export function frameValues(frame: NormalFrame, platform: string): string[] {
  const path = frame.abs_path ?? ''
  if (isScript(platform) && (frame.function === 'eval' || lowQuality.has(path))) return []
  const line = contextLine(frame, platform)
  const module = moduleOf(frame, platform)
  const name = functionOf(frame, platform, line !== undefined)
  const out: string[] = []
  if (module) out.push(module)
  else {
    const file = fileOf(frame)
    if (file) out.push(file)
  }
  if (name) out.push(name)
  if (line) out.push(line)
  return out
}

function fileOf(frame: NormalFrame): string | undefined {
  const file = frame.filename
  if (!file || noFile.has(file) || isUrl(frame.abs_path ?? '') || isUrl(file)) return undefined
  return file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1).toLowerCase() || undefined
}

function moduleOf(frame: NormalFrame, platform: string): string | undefined {
  const module = frame.module
  if (!module) return undefined
  if (isScript(platform)) return module.includes('/') && (frame.abs_path ?? '').endsWith(module) ? undefined : module
  if (platform !== 'java') return module
  if (module.includes('$$Lambda$')) return undefined
  return module
    .replace(/\b((?:sun|jdk\.internal)\.reflect\.GeneratedMethodAccessor)\d{1,10}/, '$1')
    .replace(/\b(Generated\w{0,40}ConstructorAccessor)\d{1,10}/, '$1<auto>')
    .replace(/\$\$(?:Enhancer|FastClass)\w{0,64}\$\$[0-9a-f]{1,16}/g, '$$$$<auto>')
    .replace(/(_\$\$_javassist)_?[\w.]{0,40}/, '$1<auto>')
    .replace(/(\$fn__)\d{1,10}/g, '$1<auto>')
}

function functionOf(frame: NormalFrame, platform: string, hasLine: boolean): string | undefined {
  const name = platform === 'csharp' ? (frame.raw_function ?? frame.function) : frame.function
  if (!name) return undefined
  if (isScript(platform)) return scriptFunction(name)
  if (platform === 'ruby') return name.startsWith('block ') ? 'block' : name.replace(/__\d{1,20}_\d{1,20}$/, '')
  if (platform === 'php') {
    if (name.startsWith('[Anonymous')) return undefined
    if (name.startsWith('class@anonymous'))
      return name.includes('::') ? name.slice(name.lastIndexOf('::') + 2) : undefined
    return name
  }
  if (platform === 'java') return name.startsWith('lambda$') ? undefined : name
  if (name === '<redacted>' || name === '<unknown>') return undefined
  return platform === 'python' && hasLine && name === '<lambda>' ? undefined : name
}

function scriptFunction(name: string): string | undefined {
  if (name.endsWith('/<')) return undefined
  const last = name.slice(name.lastIndexOf('.') + 1)
  return ['', '?', '<anonymous>', '<anonymous function>', 'Anonymous function', 'anonymous'].includes(last)
    ? undefined
    : last
}

function contextLine(frame: NormalFrame, platform: string): string | undefined {
  if (!frame.context_line || !withContext.has(platform)) return undefined
  const line = frame.context_line.replace(/\s+/g, ' ').trim()
  if (!line || line.length > contextLineMax) return undefined
  if (isScript(platform) && isUrlOrFile(frame.abs_path ?? '') && !frame.function) return undefined
  return line
}
