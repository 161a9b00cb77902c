// Performance pages: the same pages over one million and ten million spans of 7 days.
import { systemClock } from '../src/base/clock.ts'
import type { QueryDeps } from '../src/query/issues/issue.ts'
import type { PerformanceView } from '../src/query/performance/compared.ts'
import { routeIdOf } from '../src/query/performance/ids.ts'
import { performanceRoute } from '../src/query/performance/route.ts'
import { performanceRoutes } from '../src/query/performance/routes.ts'
import { whySlow } from '../src/query/performance/why-slow.ts'
import type { Project } from '../src/store/meta/meta.ts'
import { openSqliteMeta } from '../src/store/meta/sqlite.ts'
import { percentile } from './load.ts'
import type { Row } from './measure.ts'
import { routesMax, spanCounts, spanDays, spansEndMs, withSpans } from './span-rows.ts'

const asks = 30
const growthMax = 2.5
const clock = { ...systemClock, now: () => spansEndMs }

type Deps = Pick<QueryDeps, 'events' | 'meta'>
type Page = { what: string; goalMs: number; open(deps: Deps, view: PerformanceView, route: string): Promise<unknown> }

const pages: readonly Page[] = [
  {
    what: 'routes',
    goalMs: 250,
    open: (deps, view) => performanceRoutes(deps, view, { order: 'lost', text: '', jobs: false, max: 25, offset: 0 }),
  },
  { what: "one route's page", goalMs: 300, open: (deps, view, route) => performanceRoute(deps, view, route) },
  {
    what: 'why slow',
    goalMs: 800,
    open: (deps, view, route) => whySlow(deps, view, route, { fromMs: 100, toMs: 1000 }),
  },
]

/** The id of the nth route: every fourth is a page load (`span-rows.ts`). */
const routeOf = (projectId: number, n: number): string => {
  const at = n % routesMax
  return routeIdOf({ projectId, op: at % 4 === 3 ? 'pageload' : 'http.server', route: `/route/${at}` })
}

async function timesOf(page: Page, deps: Deps, view: PerformanceView, projectId: number): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n <= asks; n++) {
    const began = performance.now()
    await page.open(deps, view, routeOf(projectId, n * 7 + 3))
    // The first one warms the caches.
    if (n > 0) times.push(performance.now() - began)
  }
  return times.sort((a, b) => a - b)
}

/** One project for each number of spans. */
async function projectsOf(meta: QueryDeps['meta']) {
  const organization = await meta.organizations.createOrganization({ slug: 'bench', name: 'Bench', ownerUserId: 'ann' })
  const projects: Project[] = []
  for (const count of spanCounts) {
    const slug = `spans-${count}`
    const { id } = await meta.projects.createProject({
      organizationId: organization.id,
      slug,
      name: slug,
      platform: 'node',
    })
    const project = await meta.projects.projectById(id)
    if (project) projects.push(project)
  }
  return { organization, projects }
}

/** Rows for the performance pages. The client is local. */
export const benchPerformance = (): Promise<Row[]> =>
  withSpans(async (events) => {
    const meta = await openSqliteMeta(':memory:', { clock, readers: 0 })
    const { organization, projects } = await projectsOf(meta)
    const range = { period: '7d', fromMs: spansEndMs - spanDays * 86_400_000, toMs: spansEndMs }
    const rows: Row[] = []
    for (const page of pages) {
      const measured: number[][] = []
      for (const project of projects) {
        const view: PerformanceView = {
          organization,
          projects: [project],
          environments: [],
          range,
          against: 'previous',
          withCut: false,
        }
        measured.push(await timesOf(page, { events, meta }, view, project.id))
      }
      const [small = 0, large = 0] = measured.map((times) => percentile(times, 0.95))
      rows.push({
        what: `${page.what} of 7 days, 10 million spans, and growth from 1 million`,
        goal: `p95 at most ${page.goalMs} ms and ${growthMax}x`,
        result: `p50 ${Math.round(percentile(measured[1] ?? [], 0.5))} ms, p95 ${Math.round(large)} ms, ${(large / small).toFixed(1)}x of ${Math.round(small)} ms`,
        met: large <= page.goalMs && large / small <= growthMax,
      })
    }
    await meta.close()
    return rows
  })
