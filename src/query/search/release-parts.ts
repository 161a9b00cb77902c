import { compareSemver, type Semver, semverOf } from '../../domain/release-order.ts'
import type { Wanted } from './ast.ts'
import type { ReleasePart } from './key.ts'

/** Returns whether a text equals the value or matches its pattern, with case. User patterns never become a RegExp. */
export function fits(text: string, wanted: Wanted): boolean {
  return wanted.wild ? fitsPieces(text, piecesOf(wanted.text)) : text === wanted.text
}

function fitsPieces(text: string, pieces: readonly string[]): boolean {
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

/** Splits a pattern into the literal texts between its stars. */
function piecesOf(pattern: string): string[] {
  const pieces = ['']
  for (const [sign] of pattern.matchAll(/\\[*\\]|[\s\S]/g)) {
    if (sign === '*') pieces.push('')
    else pieces.push((pieces.pop() ?? '') + sign.at(-1))
  }
  return pieces
}

/** A release and its parts. They are split once and compared with many values. */
export type CutRelease = { release: string; semver: Semver | undefined } & Record<ReleasePart, string>

/** Splits `web@1.2.3+7` into web, 1.2.3 and 7. A missing part is ''. */
export function cutRelease(release: string): CutRelease {
  const at = release.lastIndexOf('@')
  const own = release.slice(at + 1)
  const plus = own.indexOf('+')
  const version = plus < 0 ? own : own.slice(0, plus)
  return {
    release,
    version,
    package: at > 0 ? release.slice(0, at) : '',
    build: plus < 0 ? '' : own.slice(plus + 1),
    semver: semverOf(`x@${version}`),
  }
}

/** Parses a version as users type it: `1.2` for `1.2.0`. */
function numbersOf(text: string): Semver | undefined {
  const [numbers = '', ...rest] = text.split(/(?=[-+])/)
  const missing = 3 - numbers.split('.').length
  return semverOf(`x@${numbers}${'.0'.repeat(Math.max(0, missing))}${rest.join('')}`)
}

/**
 * Returns a test of a release part: it equals the value, or compares with it by its operator (`>=1.2.0`). `1.2.0`
 * without an operator matches 1.2.0 with any build. A version other than `x.y.z` matches only its own text. Builds are
 * compared as whole numbers.
 */
export function releaseMeets(part: ReleasePart, wanted: Wanted): (release: CutRelease) => boolean {
  const [, sign = '', text = ''] = /^(>=|<=|>|<)?(.*)$/s.exec(wanted.text) ?? []
  if (part === 'package' || sign === '') {
    const pieces = wanted.wild ? piecesOf(wanted.text) : undefined
    return (release) => (pieces ? fitsPieces(release[part], pieces) : release[part] === wanted.text)
  }
  const order = part === 'version' ? byVersion(text) : byNumber(text)
  return (release) => {
    const found = order(release)
    if (found === undefined) return false
    return sign === '>' ? found > 0 : sign === '>=' ? found >= 0 : sign === '<' ? found < 0 : found <= 0
  }
}

type Order = (release: CutRelease) => number | undefined

function byVersion(text: string): Order {
  const wanted = numbersOf(text)
  return ({ semver }) => semver && wanted && compareSemver(semver, wanted)
}

/** Normalizes a whole number without leading zeros, so that a larger number has a longer text; else undefined. */
const plainNumber = (text: string): string | undefined =>
  /^\d{1,300}$/.test(text) ? text.replace(/^0+(?=\d)/, '') : undefined

function byNumber(text: string): Order {
  const wanted = plainNumber(text)
  return ({ build }) => {
    const own = plainNumber(build)
    if (own === undefined || wanted === undefined) return undefined
    return own.length - wanted.length || (own < wanted ? -1 : own > wanted ? 1 : 0)
  }
}
