import { expect, test } from 'vitest'
import { stageOf } from './adoption-stages.ts'

test.each([
  [0.5, 0.9, 'adopted'],
  [0.1, 0.1, 'adopted'],
  [0.09, 0.5, 'replaced'],
  [0.09, 0.09, 'low'],
  [0, 0, 'low'],
] as const)('a share of %d after one of %d is %s', (now, highest, stage) => {
  expect(stageOf(now, highest)).toBe(stage)
})
