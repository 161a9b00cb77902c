import { expect, test } from 'vitest'
import { deleteFeedback, setFeedbackState } from './feedback.ts'
import { sessionOf } from './rig.cases.ts'

test('a state is set in the name of the caller', async () => {
  const set: unknown[] = []
  const meta = { setFeedbackState: async (...words: unknown[]) => void set.push(words) }
  await setFeedbackState({ meta, clock: { now: () => 5 } }, sessionOf('ann'), 3, 'spam')
  expect(set).toEqual([[3, 'spam', 'ann', 5]])
})

test('a feedback goes before its screenshots, all of them', async () => {
  const log: unknown[] = []
  const meta = {
    deleteFeedback: async (id: number) => {
      log.push(id)
      return ['a', 'b']
    },
  }
  await deleteFeedback({ meta, blobs: { delete: async (key) => void log.push(key) } }, 3)
  expect(log).toEqual([3, 'a', 'b'])
})
