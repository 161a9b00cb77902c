import { expect, test } from 'vitest'
import { deleteFeedback, setFeedbackState } from './feedback.ts'
import { sessionOf } from './rig.cases.ts'

test('a state is set in the name of the caller', async () => {
  const set: unknown[] = []
  const meta = { feedback: { setFeedbackState: async (...words: unknown[]) => void set.push(words) } }
  await setFeedbackState({ meta, clock: { now: () => 5 } }, sessionOf('ann'), 3, 'spam')
  expect(set).toEqual([[3, 'spam', 'ann', 5]])
})

test('a feedback goes before its screenshots, all of them', async () => {
  const log: unknown[] = []
  const meta = {
    feedback: {
      deleteFeedback: async (id: number) => {
        log.push(id)
        return ['a', 'b']
      },
    },
  }
  const blobs = { delete: async (key: string) => void log.push(key), ping: async () => undefined }
  await deleteFeedback({ meta, blobs }, 3)
  expect(log).toEqual([3, 'a', 'b'])
  const away = { ...blobs, ping: () => Promise.reject(new Error('away')) }
  await expect(deleteFeedback({ meta, blobs: away }, 4)).rejects.toThrow('away')
  expect(log).toEqual([3, 'a', 'b'])
})
