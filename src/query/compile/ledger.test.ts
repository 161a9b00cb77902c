import { expect, test } from 'vitest'
import type { MetaStore } from '../../store/meta/meta-store.ts'
import { ledgerQuestions } from './ledger.ts'

test('shares of many groups take time in proportion to the rows', async () => {
  let reads = 0
  const rows = Array.from({ length: 4000 }, (_, n) => ({
    hourMs: n * 3_600_000,
    projectId: 1,
    keyId: 0,
    category: 'error',
    itemType: '',
    outcome: 'accepted',
    reason: '',
    bytes: 0,
    get quantity() {
      reads++
      return 2
    },
  }))
  const ledger = { outcomesSince: async () => rows } as unknown as MetaStore['ledger']
  const found = await ledgerQuestions({ ledger }).groupRows({
    from: 'outcomes',
    scope: { projectIds: [1], environments: [], fromMs: 0, toMs: 4000 * 3_600_000 },
    filter: undefined,
    withCut: false,
    values: [{ of: 'time' }],
    aggregates: [{ fn: 'share' }, { fn: 'count' }],
    having: [{ aggregate: { fn: 'share' }, compare: '>', number: 0 }],
    order: [],
    max: 2,
    offset: 0,
  })
  expect(found[0]?.slice(1)).toEqual([1 / 4000, 2])
  expect(reads).toBeLessThan(10 * rows.length)
})
