import type { NormalEvent, NormalFrame } from '../../domain/event.ts'
import { type FingerprintMatcher, type FingerprintRule, readFingerprintRules } from '../../domain/fingerprint-rules.ts'
import { stacktracesOf } from '../kinds/error/inapp.ts'
import { familyOf, namesFamily } from './families.ts'
import { glob, type PathText, pathGlob, pathTextOf } from './glob.ts'

/** The subject of a rule: all matchers of one kind must match the same frame or exception. */
type Details = {
  kind: 'frame' | 'exception' | 'message' | 'event'
  texts: (event: NormalEvent, subject: Subject) => string[]
}
/** `path`, `package`: the frame's in the form for patterns, computed on first use. */
type Subject = {
  frame?: NormalFrame
  type?: string | undefined
  value?: string | undefined
  message?: string
  path?: PathText[]
  package?: PathText[]
}

const some = (text: string | undefined): string[] => (text === undefined ? [] : [text])

type PathKey = 'path' | 'package'
type PlainKey = Exclude<FingerprintMatcher['key'], PathKey>

function pathsOf(subject: Subject, key: PathKey): PathText[] {
  const cached = subject[key]
  if (cached) return cached
  const { frame } = subject
  const sent = key === 'path' ? [...some(frame?.abs_path), ...some(frame?.filename)] : some(frame?.package)
  const pathTexts = sent.map(pathTextOf)
  subject[key] = pathTexts
  return pathTexts
}

function detailsOf(key: PlainKey): Details {
  switch (key) {
    case 'type':
      return { kind: 'exception', texts: (_, subject) => some(subject.type) }
    case 'value':
      return { kind: 'exception', texts: (_, subject) => some(subject.value) }
    case 'message':
      return { kind: 'message', texts: (_, subject) => some(subject.message) }
    case 'module':
      return { kind: 'frame', texts: (_, { frame }) => some(frame?.module) }
    case 'function':
      return { kind: 'frame', texts: (_, { frame }) => some(frame?.function) }
    case 'app':
      return { kind: 'frame', texts: (_, { frame }) => (frame ? [frame.in_app ? 'yes' : 'no'] : []) }
    case 'logger':
      return { kind: 'event', texts: (event) => some(event.logger) }
    case 'level':
      return { kind: 'event', texts: (event) => [event.level] }
    case 'release':
      return { kind: 'event', texts: (event) => some(event.release) }
    case 'sdk':
      return { kind: 'event', texts: (event) => some(event.sdk?.name) }
    case 'family':
      return { kind: 'event', texts: (event) => [familyOf(event.platform)] }
    default: {
      const name = key.slice('tags.'.length)
      return { kind: 'event', texts: (event) => some(tagOf(event, name)) }
    }
  }
}

/** A tag as in search: some names are fields. */
export function tagOf(event: NormalEvent, name: string): string | undefined {
  const fields: ReadonlyMap<string, string | undefined> = new Map([
    ['environment', event.environment],
    ['release', event.release],
    ['level', event.level],
    ['logger', event.logger],
    ['transaction', event.transaction],
  ])
  return event.tags.find(([key]) => key === name)?.[1] ?? fields.get(name) ?? undefined
}

const truths: ReadonlySet<string> = new Set(['1', 'yes', 'true'])
const exact: ReadonlySet<string> = new Set(['value', 'level'])

function matcherOf(key: PlainKey, pattern: string): (text: string) => boolean {
  if (key === 'family') return (text) => namesFamily(pattern, text)
  if (key === 'app') return (text) => (text === 'yes') === truths.has(pattern.toLowerCase())
  return glob(pattern, { ignoreCase: !exact.has(key) })
}

type Test = { kind: Details['kind']; holds: (event: NormalEvent, subject: Subject) => boolean }
export type CompiledFingerprintRules = { tests: Test[]; rule: FingerprintRule }[]

function testOf({ key, pattern, negated }: FingerprintMatcher): Test {
  if (key === 'path' || key === 'package') {
    const matches = pathGlob(pattern)
    return { kind: 'frame', holds: (_, subject) => pathsOf(subject, key).some(matches) !== negated }
  }
  const { kind, texts } = detailsOf(key)
  const matches = matcherOf(key, pattern)
  return { kind, holds: (event, subject) => texts(event, subject).some(matches) !== negated }
}

/** Compiles rules. Skips rules with errors. */
export function compileFingerprintRules(text: string): CompiledFingerprintRules {
  return readFingerprintRules(text).rules.map((rule) => ({ rule, tests: rule.matchers.map(testOf) }))
}

function subjectsOf(event: NormalEvent, kind: Details['kind']): Subject[] {
  if (kind === 'event') return [{}]
  if (kind === 'exception') return (event.exception?.values ?? []).map(({ type, value }) => ({ type, value }))
  if (kind === 'frame') return stacktracesOf(event).flatMap(({ frames }) => frames.map((frame) => ({ frame })))
  const { formatted, message } = event.logentry ?? {}
  const texts = [formatted, message, ...(event.exception?.values ?? []).map((exception) => exception.value)]
  return texts.flatMap((text) => (text === undefined ? [] : [{ message: text }]))
}

/** The first rule whose matchers all match. Matchers of one kind must match the same frame or exception. */
export function matchingRule(rules: CompiledFingerprintRules, event: NormalEvent): FingerprintRule | undefined {
  if (rules.length === 0) return undefined
  const subjectsByKind = new Map<Details['kind'], Subject[]>()
  const subjects = (kind: Details['kind']): Subject[] => {
    const found = subjectsByKind.get(kind) ?? subjectsOf(event, kind)
    // Without a subject, only negated matchers can match.
    const some = found.length > 0 ? found : [{}]
    subjectsByKind.set(kind, some)
    return some
  }
  return rules.find(({ tests }) =>
    (['event', 'exception', 'message', 'frame'] as const).every((kind) => {
      const own = tests.filter((test) => test.kind === kind)
      return own.length === 0 || subjects(kind).some((subject) => own.every((test) => test.holds(event, subject)))
    }),
  )?.rule
}
