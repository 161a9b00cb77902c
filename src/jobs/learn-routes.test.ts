import { expect, test } from 'vitest'
import { learnRoutes } from './learn-routes.ts'

test('each project learns from its own routes, once, and deleted projects are left out', async () => {
  const stored = new Map<number, string[]>()
  let asked = 0
  const deps: Parameters<typeof learnRoutes>[0] = {
    clock: { now: () => 1_000_000_000_000 } as Parameters<typeof learnRoutes>[0]['clock'],
    meta: {
      projects: {
        projectById: async (id: number) => (id === 3 ? undefined : { id }),
        routeSettings: async (id: number) => ({ patterns: [], learned: stored.get(id) ?? [] }),
        setLearnedRoutes: async (id: number, learned: string[]) => void stored.set(id, learned),
      },
    } as unknown as Parameters<typeof learnRoutes>[0]['meta'],
    events: {
      pathsByProject: async (sinceMs) => {
        asked = sinceMs
        const many = Array.from({ length: 60 }, (_, n) => `/users/${'x'.repeat(n + 1)}`)
        return [1, 2, 3].map((projectId) => ({ projectId, routes: projectId === 2 ? many.slice(0, 10) : many }))
      },
    },
  }
  expect(await learnRoutes(deps)).toEqual({ projects: 1 })
  expect(asked).toBe(1_000_000_000_000 - 86_400_000)
  expect([...stored]).toEqual([[1, ['/users']]])
  expect(await learnRoutes(deps)).toEqual({ projects: 0 })
})
