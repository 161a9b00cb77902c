/**
 * Two sides of one failure: a server error, and the browser event that hides it behind a number. What each says is not
 * trusted; `decide` links them only where what they say can mean one failure.
 */
export type FailureSide = 'browser' | 'server'

/** What refine finds of an event that is one side of such a failure. */
export type Failure = {
  side: FailureSide
  /** The digest that it names: of its own, else the only one that its breadcrumbs name; '' for none or several. */
  digest: string
  /** The digest is the event's own, in a field or tag. */
  sure: boolean
  /** Different digests that its breadcrumbs name and that may be its own. */
  hints: number
}

/** A side as it is compared. Times are of the arrival, by our clock: those of senders are off by minutes. */
export type Side = Failure & {
  projectId: number
  eventId: string
  traceId: string
  /** Path of the address, '' when unknown. */
  route: string
  userHash: string
  receivedMs: number
  /** What the event belongs to: its issue, else its group. */
  group: string
}

/** What linked two sides. `digest` is sure; the others are as good as `docs/digests.md` says. */
export type JoinReason = 'digest' | 'trace' | 'route'
/** Why a side stays alone: no server error fits (yet), or more than one does. */
export type AloneReason = 'none' | 'several'
export type Decision = { server: Side; reason: JoinReason } | { alone: AloneReason }

/** Sides that may have to do with one browser event. */
export type Around = {
  /** Server sides with its digest: of each group at least the nearest one before and after it. */
  ofDigest: readonly Side[]
  /** Both sides with its trace id. */
  ofTrace: readonly Side[]
  /** Browser sides of the same person on its route, at about its time. */
  ofRoute: readonly Side[]
  /** More groups name its digest on its route than are compared. */
  crowded: boolean
}

/** A trace lives as long as a page does: what came later than this may be another failure of it. */
export const traceWindowMs = 120_000
/** A server sends its error at once, and so does the browser that was shown it. */
export const routeWindowMs = 30_000

const nearTo = (side: Side) => (a: Side, b: Side) =>
  Math.abs(a.receivedMs - side.receivedMs) - Math.abs(b.receivedMs - side.receivedMs) ||
  (a.eventId < b.eventId ? -1 : 1)
const within = (side: Side, ms: number) => (other: Side) => Math.abs(other.receivedMs - side.receivedMs) <= ms
const groupsOf = (sides: readonly Side[]) => new Set(sides.map((end) => end.group)).size

/**
 * The browser's own digest names the server error. If several server ends of one group have that digest, the link goes
 * to the end of the same trace, else to the nearest end. With several groups there is no link, however far apart they
 * are in time or trace: anyone can send a server event with a digest that a page shows, and a nearer event would take
 * the link of the real event.
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

/** Digests that can't be of one failure: each is the failure's own, or named beside the failure's own message. */
const contradicts = (browser: Side, server: Side) =>
  browser.sure && server.digest !== '' && browser.digest !== server.digest

/**
 * A trace may hold several failures of one page. Then none is linked by it: a breadcrumb may be of another one of them,
 * and one that was lost on its way leaves no gap that could be seen.
 */
function byTrace(browser: Side, { ofTrace }: Around): Decision | undefined {
  if (browser.traceId === '') return undefined
  const near = ofTrace.filter((item) => item.traceId === browser.traceId && within(browser, traceWindowMs)(item))
  const all = near.filter((item) => item.side === 'server' && !contradicts(browser, item))
  const servers =
    browser.sure && all.some((item) => item.digest !== '') ? all.filter((item) => item.digest !== '') : all
  const [server] = servers.toSorted(nearTo(browser))
  if (!server) return undefined
  // The same error again, as after "try again", is the same failure to whoever reads it.
  const failures = new Set(servers.map((item) => `${item.group} ${item.digest === '' ? item.eventId : item.digest}`))
  if (failures.size > 1) return { alone: 'several' }
  const others = near.filter((item) => item.side === 'browser' && item.eventId !== browser.eventId)
  // Of several browser events those are of this failure that name nothing but its digest.
  const isNamed = browser.digest !== '' && browser.digest === server.digest
  if (isNamed || (others.length === 0 && browser.hints <= 1)) return { server, reason: 'trace' }
  return { alone: 'several' }
}

/** Without digest of its own and without trace: a breadcrumb's digest, the page and the moment have to agree. */
function byRoute(browser: Side, { ofDigest, ofRoute, crowded }: Around): Decision | undefined {
  if (browser.digest === '' || browser.route === '') return undefined
  if (crowded) return { alone: 'several' }
  const fits = (side: Side) =>
    side.digest === browser.digest && side.route === browser.route && within(browser, routeWindowMs)(side)
  const servers = ofDigest.filter((item) => fits(item) && !(item.sure && browser.sure))
  const [server] = servers.toSorted(nearTo(browser))
  if (!server) return undefined
  // Of several failures of one person the breadcrumb may be of any: one of them may have left none.
  const isOther = (side: Side) => side.eventId !== browser.eventId && within(browser, routeWindowMs)(side)
  if (!browser.sure && ofRoute.some(isOther)) return { alone: 'several' }
  return groupsOf(servers) === 1 ? { server, reason: 'route' } : { alone: 'several' }
}

/**
 * The server side of a browser event, or why there is none. A pure function of what is there: in whatever order sides
 * arrive, the answer about all of them is the same.
 */
export function decide(browser: Side, around: Around): Decision {
  return (
    bySureDigest(browser, around) ?? byTrace(browser, around) ?? byRoute(browser, around) ?? { alone: 'none' as const }
  )
}
