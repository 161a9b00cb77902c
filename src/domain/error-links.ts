/**
 * The two ends of an error link: a server error, and the browser event that shows only its number. Neither is trusted:
 * `decide` links them only if their data can belong to one error.
 */
export type EndKind = 'browser' | 'server'

/** Data that refine extracts from an event that is one end of a link. */
export type Failure = {
  side: EndKind
  /** Its digest: its own, else the only one in its breadcrumbs; '' for none or several. */
  digest: string
  /** The digest is in a field or tag of the event itself. */
  sure: boolean
  /** Number of different digests in its breadcrumbs that could be its own. */
  hints: number
}

/** An end for comparison. Times are times of arrival by the server clock: sender clocks are off by minutes. */
export type ErrorEnd = Failure & {
  projectId: number
  eventId: string
  traceId: string
  /** Path of the address; '' if unknown. */
  route: string
  userHash: string
  receivedMs: number
  /** Issue of the event, else its group. */
  group: string
}

/** Evidence for a link. `digest` is certain. `docs/digests.md` describes how reliable the others are. */
export type JoinReason = 'digest' | 'trace' | 'route'
/** Why an end is unlinked: no server error matches (yet), or several do. */
export type UnlinkedReason = 'none' | 'several'
export type Decision = { server: ErrorEnd; reason: JoinReason } | { alone: UnlinkedReason }

/** Candidate ends for one browser event. */
export type LinkCandidates = {
  /** Server ends with its digest: per group at least the nearest one before and after it. */
  ofDigest: readonly ErrorEnd[]
  /** Server and client ends with its trace id. */
  ofTrace: readonly ErrorEnd[]
  /** Client ends of the same person on its route, at about its time. */
  ofRoute: readonly ErrorEnd[]
  /** More groups have its digest on its route than are compared. */
  crowded: boolean
}

/** A trace lasts as long as its page. Later events can belong to another error of the page. */
export const traceWindowMs = 120_000
/** The server and the browser both send their event at once. */
export const routeWindowMs = 30_000

const byDistance = (end: ErrorEnd) => (a: ErrorEnd, b: ErrorEnd) =>
  Math.abs(a.receivedMs - end.receivedMs) - Math.abs(b.receivedMs - end.receivedMs) || (a.eventId < b.eventId ? -1 : 1)
const within = (end: ErrorEnd, ms: number) => (other: ErrorEnd) => Math.abs(other.receivedMs - end.receivedMs) <= ms
const groupsOf = (ends: readonly ErrorEnd[]) => new Set(ends.map((end) => end.group)).size

/**
 * The browser's own digest names the server error. If several server ends of one group have that digest, the link goes
 * to the end of the same trace, else to the nearest end. With several groups there is no link, at any distance in time
 * or trace. Anyone can send a server event with a digest that a page shows. A nearer event would take the link of the
 * real event.
 */
function bySureDigest(browser: ErrorEnd, { ofDigest, ofTrace }: LinkCandidates): Decision | undefined {
  if (!browser.sure) return undefined
  const isNamed = (end: ErrorEnd) => end.side === 'server' && end.sure && end.digest === browser.digest
  const same = browser.traceId === '' ? [] : ofTrace.filter(isNamed).filter(within(browser, traceWindowMs))
  const servers = [...same, ...ofDigest.filter(isNamed)]
  const [server] = (same.length > 0 ? same : servers).toSorted(byDistance(browser))
  if (!server) return undefined
  return groupsOf(servers) === 1 ? { server, reason: 'digest' } : { alone: 'several' }
}

/** Different digests of which each belongs to its own event or its error message cannot be one error. */
const contradicts = (browser: ErrorEnd, server: ErrorEnd) =>
  browser.sure && server.digest !== '' && browser.digest !== server.digest

/**
 * A trace can contain several errors of one page. Then the trace links none: a breadcrumb can belong to another error,
 * and a lost event leaves no visible gap.
 */
function byTrace(browser: ErrorEnd, { ofTrace }: LinkCandidates): Decision | undefined {
  if (browser.traceId === '') return undefined
  const near = ofTrace.filter((end) => end.traceId === browser.traceId && within(browser, traceWindowMs)(end))
  const all = near.filter((end) => end.side === 'server' && !contradicts(browser, end))
  const servers = browser.sure && all.some((end) => end.digest !== '') ? all.filter((end) => end.digest !== '') : all
  const [server] = servers.toSorted(byDistance(browser))
  if (!server) return undefined
  // A repeated error, for example after "try again", counts as the same error.
  const failures = new Set(servers.map((end) => `${end.group} ${end.digest === '' ? end.eventId : end.digest}`))
  if (failures.size > 1) return { alone: 'several' }
  const others = near.filter((end) => end.side === 'browser' && end.eventId !== browser.eventId)
  // With several browser events, link only those whose digest equals the server's.
  const isNamed = browser.digest !== '' && browser.digest === server.digest
  if (isNamed || (others.length === 0 && browser.hints <= 1)) return { server, reason: 'trace' }
  return { alone: 'several' }
}

/** Without an own digest and a trace, the digest of a breadcrumb, the page and the time must all match. */
function byRoute(browser: ErrorEnd, { ofDigest, ofRoute, crowded }: LinkCandidates): Decision | undefined {
  if (browser.digest === '' || browser.route === '') return undefined
  if (crowded) return { alone: 'several' }
  const fits = (end: ErrorEnd) =>
    end.digest === browser.digest && end.route === browser.route && within(browser, routeWindowMs)(end)
  const servers = ofDigest.filter((end) => fits(end) && !(end.sure && browser.sure))
  const [server] = servers.toSorted(byDistance(browser))
  if (!server) return undefined
  // If one person has several errors, the breadcrumb can belong to any, including one that left no breadcrumb.
  const isOther = (end: ErrorEnd) => end.eventId !== browser.eventId && within(browser, routeWindowMs)(end)
  if (!browser.sure && ofRoute.some(isOther)) return { alone: 'several' }
  return groupsOf(servers) === 1 ? { server, reason: 'route' } : { alone: 'several' }
}

/**
 * Returns the server end of a browser event, or why it is unlinked. Pure: the result for a set of ends does not depend
 * on their order of arrival.
 */
export function decide(browser: ErrorEnd, candidates: LinkCandidates): Decision {
  return (
    bySureDigest(browser, candidates) ??
    byTrace(browser, candidates) ??
    byRoute(browser, candidates) ?? { alone: 'none' as const }
  )
}
