import { compareSemver, type Semver, semverOf } from '../../domain/release-order.ts'
import type { TextPattern } from './ast.ts'
import type { ReleasePart } from './key.ts'

/** Returns whether a text equals the value or matches its pattern, with case. User patterns never become a RegExp. */
export function fits(text: string, pattern: TextPattern): boolean {
  return pattern.wild ? fitsLiterals(text, literalsOf(pattern.text)) : text === pattern.text
}

function fitsLiterals(text: string, literals: readonly string[]): boolean {
  const last = literals.length - 1
  // Without a star, such as `50\*`, the pattern is all of the text. It must not be its beginning only.
  if (last === 0) return text === literals[0]
  let at = 0
  for (const [i, literal] of literals.entries()) {
    if (i === 0) {
      if (!text.startsWith(literal)) return false
      at = literal.length
    } else if (i === last) return text.length - literal.length >= at && text.endsWith(literal)
    else {
      const found = text.indexOf(literal, at)
      if (found < 0) return false
      at = found + literal.length
    }
  }
  return true
}

/** Splits a pattern into the literal texts between its stars. */
function literalsOf(pattern: string): string[] {
  const literals = ['']
  for (const [token] of pattern.matchAll(/\\[*\\]|[\s\S]/g)) {
    if (token === '*') literals.push('')
    else literals.push((literals.pop() ?? '') + token.at(-1))
  }
  return literals
}

/** A release and its parts. They are split once and compared with many values. */
export type ReleaseParts = { release: string; semver: Semver | undefined } & Record<ReleasePart, string>

/** Splits `web@1.2.3+7` into web, 1.2.3 and 7. A missing part is ''. */
export function splitRelease(release: string): ReleaseParts {
  const at = release.lastIndexOf('@')
  const versionText = release.slice(at + 1)
  const plus = versionText.indexOf('+')
  const version = plus < 0 ? versionText : versionText.slice(0, plus)
  return {
    release,
    version,
    package: at > 0 ? release.slice(0, at) : '',
    build: plus < 0 ? '' : versionText.slice(plus + 1),
    semver: semverOf(`x@${version}`),
  }
}

/** Parses a version as users type it: `1.2` for `1.2.0`. */
function paddedSemver(text: string): Semver | undefined {
  const [version = '', ...suffixes] = text.split(/(?=[-+])/)
  const missing = 3 - version.split('.').length
  return semverOf(`x@${version}${'.0'.repeat(Math.max(0, missing))}${suffixes.join('')}`)
}

/**
 * Returns a test of a release part: it equals the value, or compares with it by its operator (`>=1.2.0`). `1.2.0`
 * without an operator matches 1.2.0 with any build. A version other than `x.y.z` matches only its own text. Builds are
 * compared as whole numbers.
 */
export function releaseMeets(part: ReleasePart, pattern: TextPattern): (release: ReleaseParts) => boolean {
  const [, operator = '', text = ''] = /^(>=|<=|>|<)?(.*)$/s.exec(pattern.text) ?? []
  if (part === 'package' || operator === '') {
    const literals = pattern.wild ? literalsOf(pattern.text) : undefined
    return (release) => (literals ? fitsLiterals(release[part], literals) : release[part] === pattern.text)
  }
  const order = part === 'version' ? byVersion(text) : byNumber(text)
  return (release) => {
    const found = order(release)
    if (found === undefined) return false
    return operator === '>' ? found > 0 : operator === '>=' ? found >= 0 : operator === '<' ? found < 0 : found <= 0
  }
}

type Order = (release: ReleaseParts) => number | undefined

function byVersion(text: string): Order {
  const target = paddedSemver(text)
  return ({ semver }) => semver && target && compareSemver(semver, target)
}

/** Normalizes a whole number without leading zeros, so that a larger number has a longer text; else undefined. */
const plainNumber = (text: string): string | undefined =>
  /^\d{1,300}$/.test(text) ? text.replace(/^0+(?=\d)/, '') : undefined

function byNumber(text: string): Order {
  const target = plainNumber(text)
  return ({ build }) => {
    const actual = plainNumber(build)
    if (actual === undefined || target === undefined) return undefined
    return actual.length - target.length || (actual < target ? -1 : actual > target ? 1 : 0)
  }
}
