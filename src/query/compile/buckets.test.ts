import { describe, expect, test } from 'vitest'
import { planLimits } from '../../domain/datasets.ts'
import { bucketMsOf } from './buckets.ts'
import { fieldsOfDataset } from './datasets.ts'
import { scopeBefore, slugsOf } from './scope.ts'

const hourMs = 3_600_000
const range = (lengthMs: number) => ({ fromMs: 0, toMs: lengthMs, period: 'range' })

describe('the buckets of a series', () => {
  test.each([
    ['a second', 'spans', 60_000, 1000],
    ['the most that a series has', 'logs', planLimits.buckets * 1000, 1000],
    ['longer than the range', 'errors', 1000, hourMs],
    ['no round number', 'spans', hourMs, 7001],
    ['an hour of outcomes', 'outcomes', 24 * hourMs, hourMs],
    ['a day of outcomes', 'outcomes', 24 * hourMs, 24 * hourMs],
  ] as const)('are as long as asked: %s', (_name, dataset, lengthMs, intervalMs) => {
    expect(bucketMsOf(fieldsOfDataset(dataset), range(lengthMs), intervalMs)).toBe(intervalMs)
  })

  test.each([
    ['under a second', 'spans', 60_000, 999, 'At least a second.'],
    ['zero', 'spans', 60_000, 0, 'At least a second.'],
    ['negative', 'spans', 60_000, -1000, 'At least a second.'],
    ['a fraction', 'spans', 60_000, 1000.5, 'At least a second.'],
    ['no number', 'spans', 60_000, Number.NaN, 'At least a second.'],
    ['endless', 'spans', 60_000, Number.POSITIVE_INFINITY, 'At least a second.'],
    ['one too many', 'logs', planLimits.buckets * 1000 + 1, 1000, `more than ${planLimits.buckets} buckets`],
    ['half an hour of outcomes', 'outcomes', hourMs, hourMs / 2, 'whole hours'],
    ['an hour and a half of outcomes', 'outcomes', 24 * hourMs, 1.5 * hourMs, 'whole hours'],
  ] as const)('are refused: %s', (_name, dataset, lengthMs, intervalMs, sentence) => {
    expect(() => bucketMsOf(fieldsOfDataset(dataset), range(lengthMs), intervalMs)).toThrow(
      expect.objectContaining({ code: 'VALIDATION', fields: { interval: [expect.stringContaining(sentence)] } }),
    )
  })

  test.each([60_000, hourMs, 24 * hourMs, 14 * 24 * hourMs, 3650 * 24 * hourMs])(
    'without a length: as many as a chart of %d ms shows',
    (lengthMs) => {
      for (const dataset of ['errors', 'spans', 'logs', 'metrics'] as const) {
        const bucketMs = bucketMsOf(fieldsOfDataset(dataset), range(lengthMs), undefined)
        expect(lengthMs / bucketMs).toBeLessThanOrEqual(planLimits.buckets)
        expect(bucketMs).toBeGreaterThanOrEqual(1000)
      }
      expect(bucketMsOf(fieldsOfDataset('outcomes'), range(lengthMs), undefined) % hourMs).toBe(0)
    },
  )
})

test.each([
  [{ fromMs: 50, toMs: 80 }, 30, { fromMs: 20, toMs: 50 }],
  [{ fromMs: 10, toMs: 40 }, 30, { fromMs: 0, toMs: 10 }],
  [{ fromMs: 0, toMs: 30 }, 30, { fromMs: 0, toMs: 0 }],
])('the period before %j of %d ms does not begin before 1970', (ends, lengthMs, wanted) => {
  const scope = { projectIds: [1], environments: ['production'], ...ends }
  expect(scopeBefore(scope, lengthMs)).toEqual({ ...scope, ...wanted })
})

test('a project that is not in the view has its number', () => {
  const slugOf = slugsOf([{ id: 1, slug: 'web' }])
  expect([slugOf(1), slugOf(2)]).toEqual(['web', '2'])
})
