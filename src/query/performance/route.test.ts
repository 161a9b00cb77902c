import { expect, test } from 'vitest'
import { routeIdOf } from './ids.ts'
import { performanceRoute } from './route.ts'

const [fromMs, toMs] = [Date.UTC(2026, 10, 16), Date.UTC(2026, 10, 23)]
type Deps = Parameters<typeof performanceRoute>[0]
type View = Parameters<typeof performanceRoute>[1]
const view = {
  organization: { id: 9 },
  projects: [{ id: 1, slug: 'web' }],
  environments: [],
  range: { period: '7d', fromMs, toMs },
  against: 'previous',
  withCut: false,
} as unknown as View
const segment = { traceId: 'a', spanId: 'b', startMs: fromMs, durationMs: 40, failed: false, release: '' }
const stats = { samples: 4, count: 4, failed: 0, totalMs: 160, p50Ms: 40, p75Ms: 40, p95Ms: 40, apdex: 1 }

/** Stores that note what they are asked. Where the time goes is answered when `parts` is. */
function createStores(parts: Promise<unknown>) {
  const asked: string[] = []
  const note = (name: string, answer: unknown) => async (request: { order?: string }) => {
    asked.push(request.order ? `${name} ${request.order}` : name)
    return answer
  }
  const events = {
    routeCompared: note('routeCompared', { now: stats, before: undefined }),
    routeSeries: note('routeSeries', []),
    routeTraces: note('routeTraces', [segment]),
    routeParts: (request: object) => note('routeParts', parts)(request),
    vitalStats: note('vitalStats', { now: [], before: [] }),
    vitalCauses: note('vitalCauses', []),
    routeSummary: note('routeSummary', { durations: [], breakdowns: [], names: ['GET /orders/1', 'Pageload'] }),
    groups: async ({ filter }: { filter: { of: { value: string }[] } }) => {
      asked.push(`groups ${filter.of.map(({ value }) => value).join(', ')}`)
      return []
    },
  }
  const none = async () => ({ moments: [], all: 0 })
  const meta = {
    issues: { issueIdsOf: async () => new Map(), issuesByIds: async () => [] },
    releases: { releaseMoments: none, deployMoments: none },
  }
  return { asked, deps: { events, meta } as unknown as Deps }
}

test.each<[op: string, vitals: string[]]>([
  ['http.server', []],
  // Both ranges by one question.
  ['pageload', ['vitalCauses', 'vitalStats']],
])(
  'a page of a %s asks for each thing once, and its typical traces do not wait for where the time goes',
  async (op, vitals) => {
    const parts = Promise.withResolvers<unknown>()
    const { asked, deps } = createStores(parts.promise)
    const page = performanceRoute(deps, view, routeIdOf({ projectId: 1, op, route: '/orders/[id]' }))
    await expect
      .poll(() => asked.toSorted())
      .toEqual([
        'groups GET /orders/1, /orders/[id]',
        'routeCompared',
        'routeParts',
        'routeSeries',
        'routeSummary',
        'routeTraces newest',
        'routeTraces slowest',
        ...vitals,
      ])
    parts.resolve({ segments: 2, totalMs: 80, parts: [] })
    const found = await page
    expect(found.typical).toMatchObject([{ traceId: 'a', duration: 40 }])
    expect([found.samples, found.previous.samples, found.time.segments]).toEqual([4, 0, 2])
  },
)
