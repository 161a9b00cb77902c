import type {
  NormalException,
  NormalFrame,
  NormalMechanism,
  NormalStacktrace,
  NormalThread,
} from '../../../domain/event.ts'
import {
  addError,
  addMeta,
  boundedObject,
  type Loose,
  listOf,
  type MetaNotes,
  object,
  own,
  scalar,
  text,
  truth,
  whole,
} from '../../pipeline/value.ts'
import { readStacktrace } from './frame.ts'

const exceptionsMax = 50
const threadsMax = 250

/** Reads exceptions in any shape, oldest first. One without type, value and stack becomes a processing error. */
export function readExceptions(to: MetaNotes, value: unknown, platform: string): NormalException[] {
  const sent = listOf(value)
  const list = sent.length > exceptionsMax ? sent.slice(-exceptionsMax) : sent
  to.path.push('exception', 'values')
  if (list !== sent) addMeta(to, '', { len: sent.length, rem: [['!limit', 'x']] })
  const out: NormalException[] = []
  for (const [i, entry] of list.entries()) {
    const loose = object(entry) ?? (typeof entry === 'string' && entry ? { value: entry } : undefined)
    if (!loose) {
      if (entry !== null) addError(to, 'invalid_data', i, entry, 'expected an exception')
      continue
    }
    to.path.push(out.length)
    const exception = readException(to, loose, platform)
    to.path.pop()
    if (exception) out.push(exception)
    else addError(to, 'missing_attribute', i, undefined, 'neither type nor value')
  }
  to.path.length -= 2
  return out
}

function readException(to: MetaNotes, loose: Loose, platform: string): NormalException | undefined {
  const out: NormalException = {}
  let type = text(to, 'type', own(loose, 'type'), 256, 20)
  let value = text(to, 'value', own(loose, 'value'), 8192, 200)
  if (!type && value) {
    // "TypeError: x is not a function" in the value alone: the class name becomes the type.
    const split = /^([A-Za-z_$][\w$.]{0,120}): (.*)$/s.exec(value)
    if (split?.[1]) [type, value] = [split[1], split[2]]
  }
  const module = text(to, 'module', own(loose, 'module'), 256, 20)
  const stacktrace = withoutQuoted(to, readStacktrace(to, 'stacktrace', own(loose, 'stacktrace'), platform), value)
  const raw = readStacktrace(to, 'raw_stacktrace', own(loose, 'raw_stacktrace'), platform)
  const mechanism = readMechanism(to, own(loose, 'mechanism'))
  if (!type && !value && !stacktrace) return undefined
  if (type) out.type = type
  if (value) out.value = value
  if (module) out.module = module
  const thread = threadId(own(loose, 'thread_id'))
  if (thread !== undefined) out.thread_id = thread
  if (stacktrace) out.stacktrace = stacktrace
  if (raw) out.raw_stacktrace = raw
  if (mechanism) out.mechanism = mechanism
  return out
}

/** Hosts of links in messages. In development, React adds a tree after its link. Next.js links to further reading. */
const quotedHosts = ['https://react.dev', 'https://nextjs.org']
const quotedPath = /^\/(?:link|docs\/messages)\//

/**
 * Removes frames that a client parsed from lines of the message. The text of a stack begins with the message, and lines
 * of React's trees look like positions (`+  1/2/2026`). The link is the newest such frame; older ones follow it in the
 * message. Clients can put another host before its path.
 */
function withoutQuoted(
  to: MetaNotes,
  stacktrace: NormalStacktrace | undefined,
  value: string | undefined,
): NormalStacktrace | undefined {
  const newest = stacktrace?.frames.at(-1)?.filename
  if (!stacktrace || !newest || !value || !quotedPath.test(newest)) return stacktrace
  if (!quotedHosts.some((host) => value.includes(host + newest))) return stacktrace
  const isQuoted = ({ filename, function: name }: NormalFrame) =>
    filename !== undefined && value.includes(filename) && value.includes(name ?? '')
  const { frames } = stacktrace
  const end = frames.findLastIndex((frame) => !isQuoted(frame)) + 1
  addError(to, 'invalid_data', 'stacktrace', frames.length - end, 'lines of the message were among the frames')
  return end > 0 ? { ...stacktrace, frames: frames.slice(0, end) } : undefined
}

function threadId(value: unknown): string | number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  return typeof value === 'string' && value ? value.slice(0, 64) : undefined
}

/** Reads a mechanism. A text becomes its type; a missing type becomes "generic". Unknown keys go into `data`. */
function readMechanism(to: MetaNotes, value: unknown): NormalMechanism | undefined {
  const loose = object(value) ?? (typeof value === 'string' ? { type: value } : undefined)
  if (!loose || !Object.keys(loose).length) return undefined
  to.path.push('mechanism')
  const out: NormalMechanism = { type: text(to, 'type', own(loose, 'type'), 128) ?? 'generic' }
  const texts = { description: 8192, help_link: 2048, source: 256 } as const
  for (const key of ['description', 'help_link', 'source'] as const) {
    const found = text(to, key, own(loose, key), texts[key], 200)
    if (found !== undefined) out[key] = found
  }
  for (const key of ['handled', 'synthetic', 'is_exception_group'] as const) {
    const found = truth(own(loose, key))
    if (found !== undefined) out[key] = found
  }
  for (const key of ['exception_id', 'parent_id'] as const) {
    const found = whole(own(loose, key))
    if (found !== undefined) out[key] = found
  }
  const meta = boundedObject(to, 'meta', own(loose, 'meta'), { depth: 5, bytes: 2048 })
  if (meta) out.meta = meta
  const data = boundedObject(to, 'data', own(loose, 'data'), { depth: 5, bytes: 2048 })
  if (data && Object.keys(data).length) out.data = data
  to.path.pop()
  return out
}

/** The threads to keep, in their order: all, or the first 250 of those that crashed, are current or have a stack. */
function keptThreads(sent: readonly Loose[]): Loose[] {
  if (sent.length <= threadsMax) return [...sent]
  const rank = (loose: Loose) =>
    truth(own(loose, 'crashed')) ? 0 : truth(own(loose, 'current')) ? 1 : own(loose, 'stacktrace') ? 2 : 3
  const kept = new Set(sent.toSorted((a, b) => rank(a) - rank(b)).slice(0, threadsMax))
  return sent.filter((loose) => kept.has(loose))
}

/** Reads threads in any shape, at most 250. */
export function readThreads(to: MetaNotes, value: unknown, platform: string): NormalThread[] {
  const sent = listOf(value).filter((entry) => object(entry)) as Loose[]
  const list = keptThreads(sent)
  to.path.push('threads', 'values')
  if (list.length < sent.length) addMeta(to, '', { len: sent.length, rem: [['!limit', 'x']] })
  const out = list.map((loose, i) => {
    to.path.push(i)
    const thread = readThread(to, loose, platform)
    to.path.pop()
    return thread
  })
  to.path.length -= 2
  return out
}

function readThread(to: MetaNotes, loose: Loose, platform: string): NormalThread {
  const out: NormalThread = {}
  const id = threadId(own(loose, 'id'))
  if (id !== undefined) out.id = id
  const name = scalar(own(loose, 'name'))
  if (name) out.name = name.slice(0, 1024)
  const state = text(to, 'state', own(loose, 'state'), 128)
  if (state) out.state = state
  for (const key of ['crashed', 'current', 'main'] as const) {
    const found = truth(own(loose, key))
    if (found !== undefined) out[key] = found
  }
  const stacktrace = readStacktrace(to, 'stacktrace', own(loose, 'stacktrace'), platform)
  if (stacktrace) out.stacktrace = stacktrace
  return out
}
