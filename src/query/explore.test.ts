import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import type { Plan } from '../contract/explore.ts'
import type { Limits } from '../store/events/question.ts'
import { runPlan } from './explore.ts'
import type { QueryDeps } from './issue.ts'

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

test.each(['table', 'series'] as const)('the period before a %s is asked within limits, too', async (shape) => {
  const asked: (Limits | undefined)[] = []
  const note = ({ limits }: { limits?: Limits }) => {
    asked.push(limits)
  }
  const events = {
    newestPart: async () => ({ fromMs: view.range.fromMs, rows: 1 }),
    groupRows: async (question: { limits?: Limits }) => {
      note(question)
      return [['db', 1, 1, 1]]
    },
    seriesOfRows: async (question: { limits?: Limits }) => {
      note(question)
      return []
    },
  }
  await runPlan({ clock: testClock(), events } as unknown as QueryDeps, view, plan, { shape })
  expect(asked).toHaveLength(shape === 'table' ? 2 : 3)
  for (const limits of asked) expect(limits).toMatchObject({ seconds: 8, memoryBytes: 400 * 2 ** 20 })
})
