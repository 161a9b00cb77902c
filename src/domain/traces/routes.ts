import { compileUploaded, matchingUploaded, type UploadedRoutes } from './uploaded-routes.ts'

/** How a project's addresses become routes, besides the placeholders that every project has. */
export type RouteSettings = {
  /**
   * Patterns from people, the first that matches wins: `/shop/[category]/[id]`, `/files/**`. A placeholder matches one
   * part, `**` the rest. `!/docs` says that what follows `/docs` is never learned.
   */
  patterns: string[]
  /** Paths whose next part varies, learned from the data: `/users` makes `/users/jane` to `/users/[name]`. */
  learned: string[]
  /** Routes of Next.js applications, uploaded with releases. They win over what was learned. */
  uploaded?: readonly UploadedRoutes[]
}

export const patternsMax = 100
const learnedMax = 500
/** So many different names after one path are no pages of their own. A site can have more pages at its root. */
const namesMin = 50
const rootNamesMin = 200
/** Each round can reveal names behind those that were learned before. */
const rounds = 4

const isPlaceholder = (part: string): boolean => /^[[:{<$*]/.test(part)
const patternForm = /^!?\/[^\s?#]{0,300}$/

/** Reads the settings of a project as stored. */
export function readRoutes(json: string): RouteSettings {
  const { patterns = [], learned = [], uploaded } = JSON.parse(json) as Partial<RouteSettings>
  return { patterns, learned, ...(uploaded ? { uploaded } : {}) }
}

/** The first pattern that is none, or undefined. */
export const brokenPattern = (patterns: readonly string[]): string | undefined =>
  patterns.find((pattern) => !patternForm.test(pattern))

type Pattern = { text: string; parts: string[]; isOpen: boolean }
/** Route settings in a form that is fast to apply. */
export type RouteRules = {
  patterns: readonly Pattern[]
  learned: ReadonlySet<string>
  /** Returns the uploaded route of a path, as parts between slashes, in a release. */
  uploaded(parts: readonly string[], release: string): string | undefined
}

/** Compiled settings, by their object. */
export type RouteRuleCache = WeakMap<RouteSettings, RouteRules>

export const noRules: RouteRules = { patterns: [], learned: new Set(), uploaded: () => undefined }

/** Compiles the uploaded routes of a release when its first path comes. */
function createUploaded(sets: readonly UploadedRoutes[]): RouteRules['uploaded'] {
  const byRelease = new Map(sets.flatMap((set) => set.releases.map((release) => [release, set] as const)))
  const compiled = new Map<UploadedRoutes, ReturnType<typeof compileUploaded>>()
  return (parts, release) => {
    const set = byRelease.get(release)
    if (!set) return undefined
    const routes = compiled.get(set) ?? compileUploaded(set.routes)
    compiled.set(set, routes)
    return matchingUploaded(parts, routes)
  }
}

/** Compiles settings, once for each settings object with the same cache. */
export function routeRules(settings: RouteSettings | undefined, cache: RouteRuleCache = new WeakMap()): RouteRules {
  if (!settings) return noRules
  const cached = cache.get(settings)
  if (cached) return cached
  const patterns = settings.patterns
    .filter((text) => !text.startsWith('!'))
    .map((text) => {
      const parts = text.split('/')
      const isOpen = parts.at(-1) === '**'
      return { text, parts: isOpen ? parts.slice(0, -1) : parts, isOpen }
    })
  const rules = { patterns, learned: new Set(settings.learned), uploaded: createUploaded(settings.uploaded ?? []) }
  cache.set(settings, rules)
  return rules
}

/** The pattern that a path (as parts between slashes) matches; undefined if none does. */
export function matchingPattern(parts: readonly string[], rules: RouteRules): string | undefined {
  return rules.patterns.find(
    (pattern) =>
      (pattern.isOpen ? parts.length > pattern.parts.length : parts.length === pattern.parts.length) &&
      pattern.parts.every((part, at) => part === parts[at] || (isPlaceholder(part) && parts[at] !== '')),
  )?.text
}

/** Replaces learned names in the parts of a path whose other placeholders are replaced already. */
export function withLearned(parts: readonly string[], learned: ReadonlySet<string>): string[] {
  if (learned.size === 0) return [...parts]
  let prefix = ''
  return parts.map((part, at) => {
    const isName = at > 0 && part !== '' && !isPlaceholder(part) && learned.has(prefix)
    const out = isName ? '[name]' : part
    if (at > 0) prefix += `/${out}`
    return out
  })
}

/**
 * Learns which parts of a project's paths vary, from its routes so far. Returns the paths before such parts, those known
 * before among them. The result depends on nothing else, so a restart changes nothing.
 */
export function learnNames(routes: readonly string[], settings: RouteSettings): string[] {
  const learned = new Set(settings.learned)
  const kept = new Set(settings.patterns.filter((text) => text.startsWith('!')).map((text) => text.slice(1)))
  const paths = routes.map((route) => route.replace(/^[A-Z]{3,10} (?=\/)/, '')).filter((path) => path.startsWith('/'))
  for (let round = 0; round < rounds; round++) {
    const names = new Map<string, Set<string>>()
    for (const path of paths) {
      let prefix = ''
      for (const part of withLearned(path.split('/'), learned).slice(1)) {
        if (part !== '' && !isPlaceholder(part)) names.set(prefix, (names.get(prefix) ?? new Set()).add(part))
        prefix += `/${part}`
      }
    }
    const found = [...names]
      .filter(([prefix, parts]) => parts.size >= (prefix === '' ? rootNamesMin : namesMin) && !kept.has(prefix || '/'))
      .map(([prefix]) => prefix)
      .toSorted()
    if (found.length === 0) break
    for (const prefix of found) if (learned.size < learnedMax) learned.add(prefix)
  }
  return [...learned]
}
