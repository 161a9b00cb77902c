import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decide, type ErrorEnd, routeWindowMs, traceWindowMs } from '../../domain/error-links.ts'
import { commit, effect, hash, nowMs } from './fixture.cases.ts'
import type { MetaStore } from './meta-store.ts'

/** An error end. `forged`: a server event sent with the key of the browser's project. */
type Drawn = Omit<ErrorEnd, 'side' | 'projectId' | 'eventId' | 'group'> & {
  kind: 'browser' | 'server' | 'forged'
  group: number
}

const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    kind: fc.constantFrom('browser', 'browser', 'server', 'forged'),
    digest: fc.constantFrom('', '100001', '100001', '100002'),
    sure: fc.boolean(),
    hints: fc.constantFrom(0, 1, 2),
    traceId: fc.constantFrom('', '', 't', 'u'),
    route: fc.constantFrom('', '/a', '/a', '/b'),
    userHash: fc.constantFrom('', 'a', 'b'),
    // Around both time windows, and some at the same time.
    receivedMs: fc
      .constantFrom(0, 0, 5, 20_000, 29_000, 31_000, 59_000, 119_000, 121_000, 400_000)
      .map((ms) => nowMs + ms),
    group: fc.constantFrom(1, 1, 2),
  })
  .map((item) => ({ ...item, sure: item.sure && item.digest !== '' }) as Drawn)

/** An order of arrival with repeats, in batches. `max`: ends processed after each batch. */
type Order = { at: number[]; batches: number[]; max: number }
const orderOf = (count: number): fc.Arbitrary<Order> =>
  fc.record({
    at: fc
      .tuple(
        fc.shuffledSubarray([...Array(count).keys()], { minLength: count }),
        fc.array(fc.nat(count - 1), { maxLength: 4 }),
      )
      .map(([all, again]) => [...all, ...again]),
    batches: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }),
    max: fc.constantFrom(1, 2, 100),
  })

const arrivals = fc
  .array(drawn, { minLength: 2, maxLength: 10 })
  .chain((sides) => fc.tuple(fc.constant(sides), fc.array(orderOf(sides.length), { minLength: 3, maxLength: 3 })))

const eventId = (n: number) => (n + 1).toString(16).padStart(32, '0')

async function joinAll(meta: MetaStore, max: number): Promise<void> {
  for (let step = 0; step < 200; step++) if (!(await meta.errorLinks.linkErrors(max, nowMs)).more) return
  throw new Error('the join does not end')
}

/** Returns the final links, by the numbers of the ends. Each order has its own organization. */
async function arrive(meta: MetaStore, name: string, sides: readonly Drawn[], { at, batches, max }: Order) {
  const { id: organizationId } = await meta.organizations.createOrganization({ slug: name, name, ownerUserId: 'ann' })
  const project = async (slug: string) =>
    (await meta.projects.createProject({ organizationId, slug: `${name}-${slug}`, name: slug, platform: 'node' })).id
  const [web, api] = [await project('web'), await project('api')]
  const effectOf = (n: number) => {
    const { kind, group, receivedMs, ...failure } = sides[n] as Drawn
    return effect({
      projectId: kind === 'server' ? api : web,
      eventId: eventId(n),
      receivedMs,
      hashes: [hash(kind === 'browser' ? 9 : group)],
      failure: { ...failure, side: kind === 'browser' ? 'browser' : 'server' },
    })
  }
  for (let start = 0, turn = 0; start < at.length; turn++) {
    const size = batches[turn % batches.length] ?? 1
    await commit(meta, { events: at.slice(start, start + size).map(effectOf) })
    if (turn % 3 !== 2) await joinAll(meta, max)
    start += size
  }
  await joinAll(meta, max)
  return await Array.fromAsync(sides, async ({ kind }, n) => {
    if (kind !== 'browser') return 'server'
    const link = await meta.errorLinks.errorLinkOf(web, eventId(n))
    return link
      ? `${link.reason} ${Number.parseInt(link.server.eventId, 16) - 1}`
      : (await meta.errorLinks.errorEndState(web, eventId(n)))?.alone
  })
}

const toSide = ({ kind, group, ...one }: Drawn, n: number): ErrorEnd => ({
  ...one,
  eventId: eventId(n),
  projectId: kind === 'server' ? 2 : 1,
  side: kind === 'browser' ? 'browser' : 'server',
  group: kind === 'browser' ? 'b' : `${kind} ${group}`,
})

/** Returns the decision with all ends in view. */
function answerOf(own: ErrorEnd, all: readonly ErrorEnd[]): string {
  const found = decide(own, {
    ofDigest: own.digest === '' ? [] : all.filter((item) => item.side === 'server' && item.digest === own.digest),
    ofTrace: own.traceId === '' ? [] : all.filter((item) => item.traceId === own.traceId),
    ofRoute: all.filter(
      (item) =>
        item.side === 'browser' && item.route === own.route && item.userHash === own.userHash && own.route !== '',
    ),
    crowded: false,
  })
  return 'server' in found ? `${found.reason} ${Number.parseInt(found.server.eventId, 16) - 1}` : found.alone
}

/** Groups of server events that a link of this kind could also lead to (docs/digests.md). */
function claimants(reason: string, own: ErrorEnd, all: readonly ErrorEnd[]): Set<string> {
  const near = (side: ErrorEnd, ms: number) => Math.abs(side.receivedMs - own.receivedMs) <= ms
  const servers = all.filter((item) => item.side === 'server')
  const named = servers.filter((server) => server.digest === own.digest)
  const inTrace = servers.filter((server) => server.traceId === own.traceId && near(server, traceWindowMs))
  const found = {
    digest: named.filter((item) => item.sure),
    trace: own.sure ? inTrace.filter((item) => item.digest === own.digest) : inTrace,
    route: named.filter((item) => item.route === own.route && near(item, routeWindowMs)),
  }[reason]
  return new Set(found?.map((item) => item.group))
}

/** Cases that any order and repetition of arrivals leads to the same links. */
export function failureOrderCases(fresh: () => Promise<MetaStore>): void {
  describe('links of hidden server errors in any order', () => {
    test('the same sides end in the same links, none of a group that is not the only one that claims it', async () => {
      const meta = await fresh()
      const state = { organizations: 0 }
      await fc.assert(
        fc.asyncProperty(arrivals, async ([drawnSides, orders]) => {
          const all = drawnSides.map(toSide)
          const expected = all.map((item) => (item.side === 'browser' ? answerOf(item, all) : 'server'))
          for (const order of orders)
            expect(await arrive(meta, `o${++state.organizations}`, drawnSides, order)).toEqual(expected)
          for (const [n, answer] of expected.entries()) {
            const [reason = '', linked] = answer.split(' ')
            const own = all[n]
            if (!own || linked === undefined) continue
            for (const group of claimants(reason, own, all)) expect(group).toBe(all[Number(linked)]?.group)
          }
        }),
        { numRuns: 40 },
      )
    }, 240_000)
  })
}
