/**
 * Finds commits that changed the files of a stack trace. Pure. Paths of frames and changed files are compared from
 * their ends, part by part, because builds and repositories prepend different folders. Paths that do not match are no
 * suspicion; nothing is guessed.
 */

/** An in-app frame. `at`: 0 is the throwing frame, 1 its caller, and so on. */
export type SuspectFrame = { at: number; paths: readonly string[] }
/** A file that a commit added or changed. */
export type ChangedFile<Commit> = { commit: Commit; path: string; change: 'A' | 'M' }

type Confidence = 'high' | 'medium' | 'low'
export type Suspicion<Commit> = {
  commit: Commit
  /** Index of the frame (`at`). */
  frame: number
  /** The frame's path that matched. */
  framePath: string
  path: string
  change: 'A' | 'M'
  /** Number of equal parts, from the end. */
  parts: number
  confidence: Confidence
  /** Number of other changed files that match this frame equally well. */
  alike: number
}

/** Names that any folder can have. Without their folder they identify nothing, and one folder can be as common. */
const commonNames =
  /^(?:index|main|app|page|layout|route|loading|error|not-found|template|default|middleware|instrumentation|server|client|config|types|utils|util|helpers|constants|mod|lib|init|__init__|__main__|setup|test|style|styles|api|actions|store|queries|schema|models|views|urls|tests)\.[a-z]{1,5}$/i

/** Limits of compared frames, and of compared parts of a path. */
export const framesMax = 30
const partsMax = 40
/** Limit of compared changed files with one name. More could not be told apart. */
const sameNameMax = 500

/**
 * Splits a path without the additions of bundlers: scheme and namespace (webpack://shop/./src/a.ts), `./`, `~/`,
 * leading groups ((rsc)/), a query, a drive letter, a loader before the last `!`.
 */
export function partsOf(path: string): string[] {
  let text = path.trim().replace(/^async /, '')
  text = text.slice(text.lastIndexOf('!') + 1)
  const scheme = /^([a-z][a-z0-9+.-]+):\/\/([^/]*)/i.exec(text)
  // The host of a URL is not a folder. In webpack:// it is the name of the build.
  if (scheme) text = text.slice(scheme[0].length)
  const tail = text.search(/[?#]/)
  if (tail >= 0) text = text.slice(0, tail)
  const parts: string[] = []
  for (const part of text.split(/[\\/]+/).slice(-partsMax)) {
    if (part === '' || part === '.' || part === '~' || /^[A-Za-z]:$/.test(part)) continue
    if (part === '..') parts.pop()
    else if (parts.length > 0 || !/^(?:\([a-z-]+\)|\[project\])$/.test(part)) parts.push(part)
  }
  return parts
}

/** Counts the equal parts of two paths from their ends. */
function equalParts(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[a.length - 1 - count] === b[b.length - 1 - count]) count++
  return count
}

/**
 * Returns how well two paths match, or undefined. high: the longer contains the whole shorter, with a folder (a common
 * file name needs two folders, or one if both are equal, else medium). medium: file and one folder are equal (two
 * folders for a common file name). low: one path is a bare file name that is not common, or both are the same common
 * one.
 */
export function fitOf(
  frame: readonly string[],
  file: readonly string[],
): { parts: number; confidence: Confidence } | undefined {
  const parts = equalParts(frame, file)
  if (parts === 0) return undefined
  const shorter = Math.min(frame.length, file.length)
  const isCommon = commonNames.test(file.at(-1) ?? '')
  const isWhole = parts === shorter && (parts >= 2 || frame.length === file.length)
  // src/index.ts exists in every package of a repository. Being the only changed one does not make it the frame's file.
  const isAnywhere = isCommon && parts < 3 && frame.length !== file.length
  if (isWhole && isCommon && parts === 1) return { parts, confidence: 'low' }
  if (isWhole) return { parts, confidence: isAnywhere ? 'medium' : 'high' }
  if (parts >= (isCommon ? 3 : 2)) return { parts, confidence: 'medium' }
  return shorter === 1 && !isCommon ? { parts, confidence: 'low' } : undefined
}

const confidences: Record<Confidence, number> = { high: 0, medium: 1, low: 2 }
type Fit<Commit> = Suspicion<Commit> & { key: string }

/** Returns the best matches of a frame: the files with the most equal parts from the end. */
function bestOf<Commit>(
  frame: SuspectFrame,
  files: readonly (ChangedFile<Commit> & { parts: string[] })[],
): Suspicion<Commit>[] {
  let best: Fit<Commit>[] = []
  const own = frame.paths.map((path) => ({ path, parts: partsOf(path) }))
  for (const { commit, path, change, parts } of files) {
    const fits = own.flatMap((item) => {
      const fit = fitOf(item.parts, parts)
      return fit ? [{ framePath: item.path, ...fit }] : []
    })
    const [fit] = fits.sort((x, y) => y.parts - x.parts || confidences[x.confidence] - confidences[y.confidence])
    if (!fit || (best[0] && fit.parts < best[0].parts)) continue
    if (best[0] && fit.parts > best[0].parts) best = []
    best.push({ commit, frame: frame.at, path, change, alike: 0, ...fit, key: parts.join('/') })
  }
  const paths = new Set(best.map((item) => item.key)).size
  // Several files match equally well: at most one of them belongs to the frame.
  return best.map(({ key: _key, ...fit }) => (paths > 1 ? { ...fit, alike: paths - 1, confidence: 'low' } : fit))
}

/**
 * Returns commits that changed a file of a frame, each with its strongest reason. Order: certain matches first, then
 * the distance to the throwing frame, then confidence, then `atMs`, latest first.
 */
export function suspicionsOf<Commit extends { atMs: number }>(
  frames: readonly SuspectFrame[],
  files: readonly ChangedFile<Commit>[],
): Suspicion<Commit>[] {
  const read = files.map((file) => ({ ...file, parts: partsOf(file.path) }))
  const byName = Map.groupBy(read, (item) => item.parts.at(-1) ?? '')
  const found = new Map<Commit, Suspicion<Commit>>()
  for (const frame of frames.slice(0, framesMax)) {
    const names = new Set(frame.paths.map((path) => partsOf(path).at(-1) ?? ''))
    const candidates = [...names].flatMap((name) => (byName.get(name) ?? []).slice(0, sameNameMax))
    for (const item of bestOf(frame, candidates)) {
      const known = found.get(item.commit)
      if (!known || before(item, known) < 0) found.set(item.commit, item)
    }
  }
  return [...found.values()].sort(before)
}

const before = <Commit extends { atMs: number }>(a: Suspicion<Commit>, b: Suspicion<Commit>) =>
  // A certain match of a caller is stronger than an uncertain one of the top frame.
  Number(a.confidence === 'low') - Number(b.confidence === 'low') ||
  a.frame - b.frame ||
  confidences[a.confidence] - confidences[b.confidence] ||
  b.commit.atMs - a.commit.atMs
