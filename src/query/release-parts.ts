import { compareSemver, type Semver, semverOf } from '../protocol/release-order.ts'
import type { Wanted } from './search/ast.ts'

/** What can be asked of a release beside its whole name. */
export type ReleasePart = 'package' | 'version' | 'build'

/** Compares piece by piece, so that no pattern of a stranger becomes a regular expression. Case counts. */
export function fits(text: string, wanted: Wanted): boolean {
  if (!wanted.wild) return text === wanted.text
  const pieces = piecesOf(wanted.text)
  const last = pieces.length - 1
  let at = 0
  for (const [i, piece] of pieces.entries()) {
    if (i === 0) {
      if (!text.startsWith(piece)) return false
      at = piece.length
    } else if (i === last) return text.length - piece.length >= at && text.endsWith(piece)
    else {
      const found = text.indexOf(piece, at)
      if (found < 0) return false
      at = found + piece.length
    }
  }
  return true
}

/** The literal texts between the stars of a pattern. */
function piecesOf(pattern: string): string[] {
  const pieces = ['']
  for (const [sign] of pattern.matchAll(/\\[*\\]|[\s\S]/g)) {
    if (sign === '*') pieces.push('')
    else pieces.push((pieces.pop() ?? '') + sign.at(-1))
  }
  return pieces
}

const partOf = (version: string, part: ReleasePart): string => {
  const at = version.lastIndexOf('@')
  const own = version.slice(at + 1)
  if (part === 'package') return at > 0 ? version.slice(0, at) : ''
  const plus = own.indexOf('+')
  if (part === 'build') return plus < 0 ? '' : own.slice(plus + 1)
  return plus < 0 ? own : own.slice(0, plus)
}

/** A version as people type it: `1.2` for `1.2.0`. */
function numbersOf(text: string): Semver | undefined {
  const [numbers = '', ...rest] = text.split(/(?=[-+])/)
  const missing = 3 - numbers.split('.').length
  return semverOf(`x@${numbers}${'.0'.repeat(Math.max(0, missing))}${rest.join('')}`)
}

/**
 * Whether the part of a release is the wanted one, or stands to it as a sign in front says (`>=1.2.0`; `1.2.0` alone is
 * met by 1.2.0 with any build). What is no `x.y.z` is met by its own text only; the build is compared as a whole number.
 */
export function releaseMeets(version: string, part: ReleasePart, wanted: Wanted): boolean {
  const own = partOf(version, part)
  const [, sign = '', text = ''] = /^(>=|<=|>|<)?(.*)$/s.exec(wanted.text) ?? []
  if (part === 'package' || sign === '') return fits(own, wanted)
  const order = part === 'version' ? byVersion(own, text) : byNumber(own, text)
  if (order === undefined) return false
  return sign === '>' ? order > 0 : sign === '>=' ? order >= 0 : sign === '<' ? order < 0 : order <= 0
}

function byVersion(own: string, text: string): number | undefined {
  const [left, right] = [semverOf(`x@${own}`), numbersOf(text)]
  return left && right && compareSemver(left, right)
}

function byNumber(own: string, text: string): number | undefined {
  if (!/^\d{1,300}$/.test(own) || !/^\d{1,300}$/.test(text)) return undefined
  const [left, right] = [BigInt(own), BigInt(text)]
  return left < right ? -1 : left > right ? 1 : 0
}
