import type { NormalFrame } from '../../domain/event.ts'
import { stacktracesOf } from '../kinds/error/inapp.ts'
import type { Draft } from '../pipeline/draft.ts'
import { familyOf } from './families.ts'

/** Step: trims compiler decorations from names of native functions. The received name stays as `raw_function`. */
export function trimFunctions({ event }: Draft): void {
  for (const { frames } of stacktracesOf(event))
    for (const frame of frames) {
      const platform = frame.platform ?? event.platform
      if (familyOf(platform) === 'native' || platform === 'rust') trimFrame(frame)
    }
}

function trimFrame(frame: NormalFrame): void {
  const { function: name } = frame
  if (!name) return
  const trimmed = trimNative(name)
  if (trimmed === name || trimmed === '') return
  frame.raw_function ??= name
  frame.function = trimmed
}

/** Names of C and C++ runtimes whose characters have a meaning elsewhere. */
const keptAsIs = /^(?:[+-]\[|_?\$s|<(?:redacted|unknown)>$)/
const lambda = /(?:<lambda[_.\w]{0,100}>|\{lambda\([^{}]{0,300}\)#\d{1,5}\}|'lambda\d{0,5}'|\$_\d{1,5})/g
const clones = /(?:\s?\[clone [^\]]{0,60}\]|\.(?:isra|part|constprop|cold|llvm|lto_priv)(?:\.\d{1,20})?)+$/
const anonymous = /(?:`anonymous[ -]namespace'|\(anonymous namespace\)|`anonymous namespace')/g

/**
 * The bare name of a native function: without arguments, return type, template arguments, clone markers, the hash of a
 * Rust symbol and library versions. Lambdas and anonymous namespaces get the same form for all compilers. Objective-C
 * names stay unchanged. Linear in the name.
 */
export function trimNative(name: string): string {
  let text = name.trim()
  if (keptAsIs.test(text)) return text
  text = text
    .replace(clones, '')
    .replace(/::h[0-9a-f]{16}$/, '')
    .replace(/@@?(?:GLIBC[\w.]{0,40}|\d{1,6})$/, '')
    .replaceAll(anonymous, 'anonymous namespace')
    .replaceAll(lambda, 'lambda')
    .replace(/^(?:closure #\d{1,6} in )+.*$/s, (closure) => swiftClosure(closure))
  text = rustSelf(text)
  if (!/[(<]/.test(text)) return lastWord(text)
  const bare = withoutBrackets(text)
  return lastWord(bare) || text
}

/** `<a::B<C> as d::E>::f` is a function of `a::B<C>`. `<F as d::E>::f` is one of `d::E`, because F can be any type. */
function rustSelf(text: string): string {
  if (!text.startsWith('<')) return text
  let depth = 0
  let as = -1
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '<') depth++
    else if (depth === 1 && as < 0 && text.startsWith(' as ', at)) as = at
    else if (character === '>' && text[at - 1] !== '-' && --depth === 0) {
      if (!text.startsWith('::', at + 1)) return text
      const own = text.slice(1, as < 0 ? at : as)
      const self = as >= 0 && /^\w+$/.test(own) ? text.slice(as + ' as '.length, at) : own
      return self + text.slice(at + 1)
    }
  }
  return text
}

const swiftClosure = (text: string): string => `closure in ${text.replace(/^(?:closure #\d{1,6} in )+/, '')}`

/** Removes the return type before a space. `operator` and its symbol stay together. */
function lastWord(text: string): string {
  const entry = text.replace(/(?:\s(?:const|volatile|noexcept)|\s?&{1,2})+$/, '').trim()
  const operator = entry.search(/\boperator\b/)
  const head = operator < 0 ? entry : entry.slice(0, operator)
  if (/^(?:closure in |anonymous namespace)/.test(head)) return entry
  const joined = head.replaceAll('anonymous namespace', 'anonymous\u0000namespace')
  const at = joined.lastIndexOf(' ')
  const cut = (at < 0 ? joined : joined.slice(at + 1)) + (operator < 0 ? '' : entry.slice(operator))
  return cut.replaceAll('\u0000', ' ').replace(/^[*&]+/, '')
}

/** Removes round brackets and what follows a return arrow; replaces the content of angle brackets by `T`. */
function withoutBrackets(text: string): string {
  let out = ''
  let round = 0
  let angle = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    const operator = /^operator(?:\(\)|<=>|<<=?|>>=?|<=?|>=?|->\*?)/.exec(text.slice(at, at + 12))?.[0]
    if (operator && round === 0 && angle === 0) {
      out += operator
      at += operator.length - 1
      continue
    }
    if (character === '(') round++
    else if (character === ')') round = Math.max(0, round - 1)
    else if (round > 0) continue
    // "-> T" is a return type, not a bracket.
    else if (character === '>' && text[at - 1] === '-') {
      if (angle === 0) return out.slice(0, -1)
    } else if (character === '<') {
      if (angle++ === 0) out += '<'
    } else if (character === '>') {
      if (angle > 0 && --angle === 0) out += 'T>'
    } else if (angle === 0) out += character
  }
  return angle > 0 ? text : out
}
