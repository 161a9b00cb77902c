/**
 * The two ends of an error link: a server error, and the browser event that shows only its number. Neither is trusted:
 * `decide` links them only if their data can belong to one error.
 */
export type FailureSide = 'browser' | 'server'

/** Data that refine extracts from an event that is one end of a link. */
export type Failure = {
  side: FailureSide
  /** Its digest: its own, else the only one in its breadcrumbs; '' for none or several. */
  digest: string
  /** The digest is in a field or tag of the event itself. */
  sure: boolean
  /** Number of different digests in its breadcrumbs that could be its own. */
  hints: number
}

/** An end for comparison. Times are times of arrival by the server clock: sender clocks are off by minutes. */
export type Side = Failure & {
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
export type AloneReason = 'none' | 'several'
export type Decision = { server: Side; reason: JoinReason } | { alone: AloneReason }

/** Candidate ends for one browser event. */
export type Around = {
  /** Server ends with its digest: per group at least the nearest one before and after it. */
  ofDigest: readonly Side[]
  /** Server and client ends with its trace id. */
  ofTrace: readonly Side[]
  /** Client ends of the same person on its route, at about its time. */
  ofRoute: readonly Side[]
  /** More groups have its digest on its route than are compared. */
  crowded: boolean
}

/** A trace lasts as long as its page. Later events can belong to another error of the page. */
export const traceWindowMs = 120_000
/** The server and the browser both send their event at once. */
export const routeWindowMs = 30_000

const nearTo = (side: Side) => (a: Side, b: Side) =>
  Math.abs(a.receivedMs - side.receivedMs) - Math.abs(b.receivedMs - side.receivedMs) ||
  (a.eventId < b.eventId ? -1 : 1)
const within = (side: Side, ms: number) => (other: Side) => Math.abs(other.receivedMs - side.receivedMs) <= ms
const groupsOf = (sides: readonly Side[]) => new Set(sides.map((end) => end.group)).size

/**
 * The browser's own digest names the server error. If several server ends of one group have that digest, the link goes
 * to the end of the same trace, else to the nearest end. With several groups there is no link, at any distance in time
 * or trace. Anyone can send a server event with a digest that a page shows. A nearer event would take the link of the
 * real event.
 */
function bySureDigest(browser: Side, { ofDigest, ofTrace }: Around): Decision | undefined {
  if (!browser.sure) return undefined
  const isNamed = (side: Side) => side.side === 'server' && side.sure && side.digest === browser.digest
  const same = browser.traceId === '' ? [] : ofTrace.filter(isNamed).filter(within(browser, traceWindowMs))
  const servers = [...same, ...ofDigest.filter(isNamed)]
  const [server] = (same.length > 0 ? same : servers).toSorted(nearTo(browser))
  if (!server) return undefined
  return groupsOf(servers) === 1 ? { server, reason: 'digest' } : { alone: 'several' }
}

/** Different digests of which each belongs to its own event or its error message cannot be one error. */
const contradicts = (browser: Side, server: Side) =>
  browser.sure && server.digest !== '' && browser.digest !== server.digest

/**
 * A trace can contain several errors of one page. Then the trace links none: a breadcrumb can belong to another error,
 * and a lost event leaves no visible gap.
 */
function byTrace(browser: Side, { ofTrace }: Around): Decision | undefined {
  if (browser.traceId === '') return undefined
  const near = ofTrace.filter((item) => item.traceId === browser.traceId && within(browser, traceWindowMs)(item))
  const all = near.filter((item) => item.side === 'server' && !contradicts(browser, item))
  const servers =
    browser.sure && all.some((item) => item.digest !== '') ? all.filter((item) => item.digest !== '') : all
  const [server] = servers.toSorted(nearTo(browser))
  if (!server) return undefined
  // A repeated error, for example after "try again", counts as the same error.
  const failures = new Set(servers.map((item) => `${item.group} ${item.digest === '' ? item.eventId : item.digest}`))
  if (failures.size > 1) return { alone: 'several' }
  const others = near.filter((item) => item.side === 'browser' && item.eventId !== browser.eventId)
  // With several browser events, link only those whose digest equals the server's.
  const isNamed = browser.digest !== '' && browser.digest === server.digest
  if (isNamed || (others.length === 0 && browser.hints <= 1)) return { server, reason: 'trace' }
  return { alone: 'several' }
}

/** Without an own digest and a trace, the digest of a breadcrumb, the page and the time must all match. */
function byRoute(browser: Side, { ofDigest, ofRoute, crowded }: Around): Decision | undefined {
  if (browser.digest === '' || browser.route === '') return undefined
  if (crowded) return { alone: 'several' }
  const fits = (side: Side) =>
    side.digest === browser.digest && side.route === browser.route && within(browser, routeWindowMs)(side)
  const servers = ofDigest.filter((item) => fits(item) && !(item.sure && browser.sure))
  const [server] = servers.toSorted(nearTo(browser))
  if (!server) return undefined
  // If one person has several errors, the breadcrumb can belong to any, including one that left no breadcrumb.
  const isOther = (side: Side) => side.eventId !== browser.eventId && within(browser, routeWindowMs)(side)
  if (!browser.sure && ofRoute.some(isOther)) return { alone: 'several' }
  return groupsOf(servers) === 1 ? { server, reason: 'route' } : { alone: 'several' }
}

/**
 * Returns the server end of a browser event, or why it is unlinked. Pure: the result for a set of ends does not depend
 * on their order of arrival.
 */
export function decide(browser: Side, around: Around): Decision {
  return (
    bySureDigest(browser, around) ?? byTrace(browser, around) ?? byRoute(browser, around) ?? { alone: 'none' as const }
  )
}
