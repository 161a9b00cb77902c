import type { DataCategory } from '../base/outcome.ts'
import type { ClientAuth } from '../wire/authheader.ts'
import { parseAuthQuery } from '../wire/authheader.ts'
import { normalizeId } from '../wire/ids.ts'
import { type OtlpSignal, otlpSignals } from '../wire/otlp.ts'

/** `later`: routes that SDKs use and this version lacks. `unknown`: all other paths under /api/{project}/. */
type RouteName = 'envelope' | 'store' | 'security' | 'attachments' | 'minidump' | 'otlp' | 'later' | 'unknown'

type Route = {
  name: RouteName
  /** 0 if the path names no project (/api/store/). */
  projectId: number
  /** Category of a refusal when the body is not read yet. */
  category: DataCategory
  /** Event id of an attachments route; '' if the path has no valid id. */
  eventId: string
  /** The signal of an OTLP route. */
  signal?: OtlpSignal
}

/** A parsed request URL. Clients repeat the same few URLs, so the reader caches them. */
export type Target = {
  route: Route
  query: URLSearchParams
  /** Auth from the query, if it has a sentry_key. */
  auth: ClientAuth | undefined
  /** The crash-report dialog, which has its own checks. */
  isDialog?: true
}

const built: Record<string, { name: RouteName; category: DataCategory }> = {
  envelope: { name: 'envelope', category: 'unknown' },
  store: { name: 'store', category: 'error' },
  security: { name: 'security', category: 'security' },
  'csp-report': { name: 'security', category: 'security' },
  minidump: { name: 'minidump', category: 'error' },
}

const otlpCategories: Readonly<Record<OtlpSignal, DataCategory>> = { traces: 'span', logs: 'log_item' }

/** The path of each OTLP signal, and the path that servers had for it before. */
const otlpPaths: ReadonlyMap<string, OtlpSignal> = new Map(
  (Object.keys(otlpSignals) as OtlpSignal[]).flatMap((signal) =>
    [`integration/otlp/v1/${signal}`, `otlp/v1/${signal}`].map((path): [string, OtlpSignal] => [path, signal]),
  ),
)

const later: Record<string, DataCategory> = {
  unreal: 'error',
  playstation: 'error',
  nel: 'error',
  cron: 'monitor',
  otlp: 'span',
  integration: 'span',
  upload: 'attachment',
}

/**
 * Reads a path, with or without a query. Returns undefined if it does not belong to ingest. Ingest owns /api/store/ and
 * /api/{digits}/… with a project of at least 1. /api/0/ is the REST API.
 */
export function readRoute(path: string): Route | undefined {
  if (!path.startsWith('/api/')) return undefined
  const query = path.indexOf('?')
  const pathEnd = query === -1 ? path.length : query
  let i = 5
  let projectId = 0
  for (; i < pathEnd && i < 21; i++) {
    const digit = path.charCodeAt(i) - 0x30
    if (digit < 0 || digit > 9) break
    projectId = projectId * 10 + digit
  }
  if (i === 5) {
    const subpath = path.slice(5, pathEnd)
    return subpath === 'store/' || subpath === 'store'
      ? { name: 'store', projectId: 0, category: 'error', eventId: '' }
      : undefined
  }
  if (projectId === 0 || path.charCodeAt(i) !== 0x2f || !Number.isSafeInteger(projectId)) return undefined
  return readSubroute(projectId, path.slice(i + 1, pathEnd))
}

function readSubroute(projectId: number, subpath: string): Route {
  const plain = subpath.endsWith('/') ? subpath.slice(0, -1) : subpath
  const signal = otlpPaths.get(plain)
  if (signal) return { name: 'otlp', projectId, category: otlpCategories[signal], eventId: '', signal }
  const words = plain.split('/')
  const first = words[0] ?? ''
  const builtRoute = Object.hasOwn(built, first) ? built[first] : undefined
  if (builtRoute && words.length === 1) return { ...builtRoute, projectId, eventId: '' }
  if (first === 'events' && words.length === 3 && words[2] === 'attachments') {
    return { name: 'attachments', projectId, category: 'attachment', eventId: normalizeId(words[1]) ?? '' }
  }
  const category = Object.hasOwn(later, first) ? later[first] : undefined
  if (category === undefined) return { name: 'unknown', projectId, category: 'unknown', eventId: '' }
  return {
    name: 'later',
    projectId,
    category: first !== 'cron' && words.includes('logs') ? 'log_item' : category,
    eventId: '',
  }
}

/** Returns the methods of a route for its Allow header. */
export function allowOf(name: RouteName): string {
  return name === 'store' ? 'GET, POST, OPTIONS' : 'POST, OPTIONS'
}

/** Maximum cached URLs, and maximum length of a cached URL (a real one has 130 characters). */
const targetsMax = 2000
const targetCharsMax = 512

/** Creates the reader of request URLs. It returns undefined for paths outside ingest. */
export function createTargets(): (url: string) => Target | undefined {
  const cache = new Map<string, Target>()
  return (url) => {
    const found = cache.get(url)
    if (found !== undefined) return found
    const route = readRoute(url)
    if (route === undefined) return undefined
    const queryAt = url.indexOf('?')
    const query = new URLSearchParams(queryAt === -1 ? '' : url.slice(queryAt + 1))
    const target = { route, query, auth: parseAuthQuery(query) }
    if (url.length <= targetCharsMax) {
      // Hostile clients can vary their URLs. Clearing the cache bounds the memory and costs the others one parse each.
      if (cache.size >= targetsMax) cache.clear()
      cache.set(url, target)
    }
    return target
  }
}
