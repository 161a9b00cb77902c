import { expect, test } from 'vitest'
import type { SeenSpan } from '../../store/events/span-store.ts'
import { traceFacts } from './facts.ts'

const nowMs = Date.UTC(2026, 10, 23)
const key = { projectId: 7, op: 'pageload', route: '/checkout/[orderId]' }
const segment = { key, spanId: 'a'.repeat(16), startUs: 0 }
type Deps = Parameters<typeof traceFacts>[0]['events']

function factsOf(attributes: Record<string, unknown> | undefined, more: Partial<Deps> = {}) {
  const asked: Parameters<Deps['routeCompared']>[0][] = []
  const events: Deps = {
    mainSegment: async () => segment,
    spanOfTrace: async () => (attributes ? ({ attributes } as unknown as SeenSpan) : undefined),
    routeCompared: async (request) => {
      asked.push(request)
      return { now: { ...key, samples: 12, count: 120, p75Ms: 3840 } as never, before: undefined }
    },
    ...more,
  }
  return { asked, facts: traceFacts({ events }, [7, 8], 'b'.repeat(32), nowMs) }
}

test('the route of the longest segment with its p75 of 7 days, in its project only', async () => {
  const { asked, facts } = factsOf({ 'user.email': 'ada@example.com' })
  expect(await facts).toEqual({
    route: { project: '7', op: key.op, route: key.route },
    samples: 12,
    count: 120,
    p75: 3840,
    user: 'ada@example.com',
  })
  expect(asked).toMatchObject([{ key, scope: { projectIds: [7], fromMs: nowMs - 7 * 86_400_000, toMs: nowMs } }])
})

test.each<[Record<string, unknown> | undefined, string | null]>([
  [{ 'user.id': 7, 'user.name': 'ada' }, 'ada'],
  [undefined, null],
])('the user of a segment with %j is %s', async (attributes, user) => {
  expect((await factsOf(attributes).facts).user).toBe(user)
})

test('a trace without segments, and a route without other segments', async () => {
  const none = { route: null, samples: 0, count: 0, p75: null, user: null }
  expect(await factsOf({}, { mainSegment: async () => undefined }).facts).toEqual(none)
  const alone = factsOf({}, { routeCompared: async () => ({ now: undefined, before: undefined }) })
  expect(await alone.facts).toMatchObject({ samples: 0, p75: null, route: { route: key.route } })
})
