import { expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import type { Plan } from '../../contract/explore/explore.ts'
import type { Scope } from '../../store/events/events.ts'
import type { Limits } from '../../store/events/question.ts'
import { type PlanDeps, runPlan } from './explore.ts'

const plan: Plan = {
  dataset: 'spans',
  query: '',
  columns: [],
  groupBy: ['span.op'],
  series: [{ name: 'a', aggregate: 'count()' }],
  formulas: [],
  order: '',
  limit: 10,
  compare: 'previous',
}
const view = {
  projects: [],
  environments: [],
  range: { fromMs: 3_600_000, toMs: 7_200_000, period: 'range' },
  meUserId: '',
}

const retention = { retentionErrorsDays: 90, retentionSpansDays: 30, retentionLogsDays: 14, retentionMetricsDays: 90 }

/** Answers the plan from a store that has one group now and 5 spans of it in any earlier period. */
async function answered(shape: 'table' | 'series', nowMs: number) {
  const asked: (Limits | undefined)[] = []
  const events = {
    newestPart: async () => ({ fromMs: view.range.fromMs, rows: 1 }),
    groupRows: async ({ limits, only }: { limits?: Limits; only?: unknown }) => {
      asked.push(limits)
      return only ? [['db', 5]] : [['db', 1, 1, 1]]
    },
    seriesOfRows: async ({ limits, scope }: { limits?: Limits; scope: Scope }) => {
      asked.push(limits)
      return scope.toMs <= view.range.fromMs ? [{ group: ['db'], startMs: 0, cells: [5] }] : []
    },
  }
  const meta = { organizations: { shorterRetentions: async () => [] } }
  const deps = { clock: testClock(nowMs), config: { url: '', ...retention }, events, meta }
  return { asked, answer: await runPlan(deps as unknown as PlanDeps, view, plan, { shape }) }
}

test.each(['table', 'series'] as const)('the period before a %s is asked within limits, too', async (shape) => {
  const { asked, answer } = await answered(shape, 7_200_000)
  expect(asked).toHaveLength(shape === 'table' ? 2 : 3)
  for (const limits of asked) expect(limits).toMatchObject({ seconds: 8, memoryBytes: 400 * 2 ** 20 })
  expect(answer.meta.beforeStored).toBe(true)
  if (shape === 'table') expect(answer.rows).toEqual([['db', 1, 5]])
  else expect(answer.series[0]?.points[0]?.previous).toBe(5)
})

test.each(['table', 'series'] as const)('a period before a %s that retention deleted is no zero', async (shape) => {
  const { asked, answer } = await answered(shape, 7_200_000 + 40 * 86_400_000)
  expect(answer.meta.beforeStored).toBe(false)
  if (shape === 'series') {
    expect(answer.series[0]?.points.map(({ previous }) => previous)).toEqual(answer.series[0]?.points.map(() => null))
    return
  }
  expect(answer.rows).toEqual([['db', 1, null]])
  expect(asked).toHaveLength(1)
})
