import { expect, test } from 'vitest'
import type { EventStore } from '../../store/events/event-store.ts'
import type { MeasuredRoute } from '../../store/events/performance-store.ts'
import type { Organization, Project } from '../../store/meta/meta.ts'
import type { PerformanceView } from './compared.ts'
import { performanceRoutes } from './routes.ts'

const [fromMs, toMs] = [Date.UTC(2026, 10, 16), Date.UTC(2026, 10, 23)]
const view: PerformanceView = {
  organization: { id: 1, slug: 'acme' } as Organization,
  projects: [{ id: 1, slug: 'web' } as Project],
  environments: [],
  range: { period: '7d', fromMs, toMs },
  against: 'previous',
  withCut: false,
}
const routeOf = (route: string): MeasuredRoute => ({
  projectId: 1,
  op: 'pageload',
  route,
  samples: 60,
  count: 60,
  failed: 0,
  totalMs: 9000,
  lostMs: 0,
  p50Ms: 150,
  p75Ms: 150,
  p95Ms: 150,
  apdex: 1,
  firstRelease: 'web@2',
})

test.each<[search: string, before: string[], asked: number]>([
  ['', ['/', '/cart'], 0],
  ['', ['/'], 1],
  ['new:yes', [], 1],
  ['new:yes', ['/', '/cart'], 1],
])('the search "%s" with %j in the range before asks %d times for the projects of it', async (text, before, asked) => {
  const calls: string[] = []
  const events: Partial<EventStore> = {
    projectsBefore: async () => {
      calls.push('projectsBefore')
      return [1]
    },
    routeStats: async () => ({
      routes: ['/', '/cart'].map(routeOf),
      before: undefined,
      all: 2,
      samples: 120,
      count: 120,
    }),
    vitalScores: async () => [],
    routeSeries: async () => [],
    routesBefore: async () => before.map(routeOf),
  }
  const request = { order: 'lost', text, jobs: false, max: 50, offset: 0 } as const
  const { rows } = await performanceRoutes({ events: events as EventStore }, view, request)
  expect(calls).toHaveLength(asked)
  expect(rows.map(({ route, newIn }) => [route, newIn])).toEqual(
    ['/', '/cart'].map((route) => [route, before.includes(route) ? null : 'web@2']),
  )
})

test('a list that compares all routes does not read the range before again', async () => {
  const slow = { ...routeOf('/'), p75Ms: 300 }
  const events: Partial<EventStore> = {
    routeStats: async () => ({ routes: [slow], before: [routeOf('/')], all: 1, samples: 60, count: 60 }),
    vitalScores: async () => [],
    routeSeries: async () => [],
    routesBefore: async () => {
      throw new Error('read twice')
    },
  }
  const request = { order: 'worse', text: '', jobs: false, max: 50, offset: 0 } as const
  const { rows } = await performanceRoutes({ events: events as EventStore }, view, request)
  expect(rows).toMatchObject([
    { previous: { samples: 60, p75: 150, failureRate: 0, apdex: 1 }, p75Change: 1, newIn: null },
  ])
})
