/**
 * Which commits changed the files of a stack trace. Pure: paths of frames and of changed files in, suspicions out. Two
 * paths are compared from their ends, part by part, because a build puts its own folders in front of a file's and a
 * repository others; what does not fit is no suspicion, and nothing is guessed.
 */

/** A frame of the program itself. `at`: 0 is where it was thrown, 1 its caller, and so on. */
export type SuspectFrame = { at: number; paths: readonly string[] }
/** A file that a commit added or changed. */
export type ChangedFile<Commit> = { commit: Commit; path: string; change: 'A' | 'M' }

type Confidence = 'high' | 'medium' | 'low'
export type Suspicion<Commit> = {
  commit: Commit
  /** Place of the frame (`at`). */
  frame: number
  /** The frame's path that fitted. */
  framePath: string
  path: string
  change: 'A' | 'M'
  /** Parts that are equal, from the end. */
  parts: number
  confidence: Confidence
  /** Other changed files that fit this frame as well. */
  alike: number
}

/** Names that every folder may have: without their folder they say nothing, and one folder may be as common. */
const commonNames =
  /^(?:index|main|app|page|layout|route|loading|error|not-found|template|default|middleware|instrumentation|server|client|config|types|utils|util|helpers|constants|mod|lib|init|__init__|__main__|setup|test|style|styles|api|actions|store|queries|schema|models|views|urls|tests)\.[a-z]{1,5}$/i

/** Frames, and parts of a path, that are compared. */
export const framesMax = 30
const partsMax = 40
/** Changed files of one name that are compared: of so many, none could be told from the others. */
const sameNameMax = 500

/**
 * Parts of a path without what a bundler puts around it: scheme and namespace (webpack://shop/./src/a.ts), `./`, `~/`,
 * groups of a bundler in the first place ((rsc)/), a query, a drive letter, a loader in front of the last `!`.
 */
export function partsOf(path: string): string[] {
  let text = path.trim().replace(/^async /, '')
  text = text.slice(text.lastIndexOf('!') + 1)
  const scheme = /^([a-z][a-z0-9+.-]+):\/\/([^/]*)/i.exec(text)
  // In a URL the host is no folder; of webpack:// it is the name that somebody gave the build.
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

/** How many parts of two paths are equal from their ends. */
function equalParts(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[a.length - 1 - count] === b[b.length - 1 - count]) count++
  return count
}

/**
 * How well two paths fit, or undefined where they don't. high: the shorter is wholly in the longer and has a folder (of a
 * common file name with two; with one folder only where nothing stands in front of either, else medium);
 * medium: at least the file and one folder are equal (two folders for a common file name); low: one of the two paths is
 * a bare file name that is not common.
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
  // src/index.ts is in every package of a repository: that it is the only one that changed makes it no more the frame's.
  const isAnywhere = isCommon && parts < 3 && frame.length !== file.length
  if (isWhole && isCommon && parts === 1) return { parts, confidence: 'low' }
  if (isWhole) return { parts, confidence: isAnywhere ? 'medium' : 'high' }
  if (parts >= (isCommon ? 3 : 2)) return { parts, confidence: 'medium' }
  return shorter === 1 && !isCommon ? { parts, confidence: 'low' } : undefined
}

const confidences: Record<Confidence, number> = { high: 0, medium: 1, low: 2 }
type Fit<Commit> = Suspicion<Commit> & { key: string }

/** The files that fit a frame best: those with the most equal parts from the end. */
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
  // Several files that fit equally: at most one of them is the frame's.
  return best.map(({ key: _key, ...fit }) => (paths > 1 ? { ...fit, alike: paths - 1, confidence: 'low' } : fit))
}

/**
 * Commits that changed a file of a frame, each with its strongest reason: first by how near the frame is to where it was
 * thrown, then by confidence, then by `atMs`, the latest first.
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
  // a sure hit of a caller says more than one of several files that might be the top frame's
  Number(a.confidence === 'low') - Number(b.confidence === 'low') ||
  a.frame - b.frame ||
  confidences[a.confidence] - confidences[b.confidence] ||
  b.commit.atMs - a.commit.atMs
