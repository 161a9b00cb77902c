/**
 * Release versions: validation, parsing and order. Pure: refine, store and API use it, so that releases of events and
 * of people follow the same rules.
 */

/** Maximum characters of a version. */
export const versionCharactersMax = 200

/** Returns the fault of a version as a sentence, or undefined. Expects trimmed text. */
export function versionFault(text: string): string | undefined {
  if (text === '') return 'A version.'
  if (text.length > versionCharactersMax) return `At most ${versionCharactersMax} characters.`
  if (/[/\\\p{Cc}\u2028\u2029]/u.test(text)) return 'No slashes, backslashes, tabs or line ends.'
  if (/^(?:\.|\.\.|latest)$/i.test(text)) return 'A version must not be ".", ".." or "latest".'
  return undefined
}

/** `name@x.y.z` with prerelease and build. The three numbers are text because they can be of any size. */
export type Semver = {
  name: string
  major: string
  minor: string
  patch: string
  /** Parts between the dots; empty: none. */
  pre: string[]
  build: string
}

const number = '(?:0|[1-9]\\d*)'
const shape = new RegExp(`^(${number})\\.(${number})\\.(${number})(?:-([0-9A-Za-z.-]+))?(?:\\+([0-9A-Za-z.-]+))?$`)
/** A prerelease part: numbers have no leading zeros. */
const partShape = /^(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)$/

/** Parses `name@x.y.z[-pre][+build]` by Semantic Versioning 2; undefined for other versions. */
export function semverOf(version: string): Semver | undefined {
  const at = version.lastIndexOf('@')
  if (at <= 0) return undefined
  const found = shape.exec(version.slice(at + 1))
  if (!found) return undefined
  const [, major = '', minor = '', patch = '', pre = '', build = ''] = found
  const parts = pre === '' ? [] : pre.split('.')
  if (parts.some((part) => !partShape.test(part)) || (build !== '' && build.split('.').includes(''))) return undefined
  return { name: version.slice(0, at), major, minor, patch, pre: parts, build }
}

const sign = (a: number | string, b: number | string) => (a < b ? -1 : a > b ? 1 : 0)
/** Compares whole numbers without leading zeros as text, so that any size works: the longer is larger. */
const compareNumbers = (a: string, b: string) => sign(a.length, b.length) || sign(a, b)

function parts(a: string, b: string): number {
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (left && right) return compareNumbers(a, b)
  // A number is lower than a word.
  return left === right ? sign(a, b) : left ? -1 : 1
}

function prereleases(a: readonly string[], b: readonly string[]): number {
  // A version without prerelease is the final release, which is later.
  if (a.length === 0 || b.length === 0) return sign(b.length, a.length)
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const found = parts(a[i] ?? '', b[i] ?? '')
    if (found !== 0) return found
  }
  return sign(a.length, b.length)
}

/** Compares by semver: below 0 if `a` is earlier, 0 if neither is. Ignores builds and names. */
export function compareSemver(a: Semver, b: Semver): number {
  return (
    compareNumbers(a.major, b.major) ||
    compareNumbers(a.minor, b.minor) ||
    compareNumbers(a.patch, b.patch) ||
    prereleases(a.pre, b.pre)
  )
}

/** Data of a release for ordering: version, and time of creation in ms. */
type Ordered = { version: string; createdMs: number }

/**
 * Compares two releases: below 0 if `a` is older. Uses semver for two `name@x.y.z` of one name. Otherwise, or if only
 * the build differs, uses the creation; 0 if equal. Not transitive over mixed versions: use sortReleases to sort.
 */
export function compareReleases(a: Ordered, b: Ordered): number {
  const [left, right] = [semverOf(a.version), semverOf(b.version)]
  const bySemver = left && right && left.name === right.name ? compareSemver(left, right) : 0
  return bySemver || sign(a.createdMs, b.createdMs)
}

/** Returns whether two versions can follow each other. False for `name@x.y.z` with different names. */
export function ofSamePackage(a: string, b: string): boolean {
  const [left, right] = [semverOf(a), semverOf(b)]
  return !left || !right || left.name === right.name
}

/**
 * Releases from the newest to the oldest, in a new array. Releases of the same name are in the order of semver. Against
 * other names, a release has the place of the newest release of its own name up to it, so that a fix of an old version
 * does not pass a newer version.
 */
export function sortReleases<Release extends Ordered>(releases: readonly Release[]): Release[] {
  const keyed = releases.map((release) => ({
    release,
    semver: semverOf(release.version),
    placeMs: release.createdMs,
    step: 0,
  }))
  type Keyed = (typeof keyed)[number]
  const compare = (a: Keyed, b: Keyed) =>
    (a.semver && b.semver ? compareSemver(a.semver, b.semver) : 0) ||
    sign(a.release.createdMs, b.release.createdMs) ||
    sign(a.release.version, b.release.version)
  for (const chain of Map.groupBy(
    keyed.filter((keyedRelease) => keyedRelease.semver !== undefined),
    (keyedRelease) => keyedRelease.semver?.name ?? '',
  ).values()) {
    chain.sort(compare)
    let placeMs = 0
    for (const [step, keyedRelease] of chain.entries()) {
      placeMs = Math.max(placeMs, keyedRelease.placeMs)
      Object.assign(keyedRelease, { placeMs, step })
    }
  }
  const name = (keyedRelease: Keyed) => keyedRelease.semver?.name ?? ''
  return keyed
    .sort(
      (a, b) =>
        sign(b.placeMs, a.placeMs) ||
        sign(name(a), name(b)) ||
        sign(b.step, a.step) ||
        sign(b.release.version, a.release.version),
    )
    .map(({ release }) => release)
}

/** Displayed characters of a commit hash. */
const hashCharacters = 12

/** Data parsed from a version. */
type VersionInfo = {
  package: string | null
  /** The version without its package. */
  raw: string
  semver: Semver | undefined
  /** For display: `raw`, with a commit hash shortened to 12 characters. */
  description: string
  /** The hash of a commit, if the version is a commit hash. */
  buildHash: string | null
}

/** Parses a version for display: package, the rest, semver, commit hash. */
export function versionInfo(version: string): VersionInfo {
  const at = version.lastIndexOf('@')
  const hasPackage = at > 0 && at < version.length - 1
  const raw = hasPackage ? version.slice(at + 1) : version
  const isHash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(raw)
  return {
    package: hasPackage ? version.slice(0, at) : null,
    raw,
    semver: semverOf(version),
    description: isHash ? raw.slice(0, hashCharacters) : raw,
    buildHash: isHash ? raw : null,
  }
}
