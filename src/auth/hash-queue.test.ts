import { expect, test } from 'vitest'
import { createHashQueue, hashesWaitingMax } from './hash-queue.ts'

/** Hashing whose steps the test completes one by one. */
function manual() {
  const open: (() => void)[] = []
  const step = <Value>(value: Value) => new Promise<Value>((resolve) => open.push(() => resolve(value)))
  const queue = createHashQueue({ hash: (text) => step(`#${text}`), verify: ({ hash }) => step(hash === '#a') })
  return { queue, open }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('one at a time, in their order', async () => {
  const { queue, open } = manual()
  const results = [queue.hash('a'), queue.verify({ hash: '#a', password: 'a' }), queue.hash('b')]
  for (let done = 0; done < results.length; done++) {
    await settle()
    expect(open).toHaveLength(1)
    open.shift()?.()
  }
  expect(await Promise.all(results)).toEqual(['#a', true, '#b'])
})

test('a hash that fails does not stop the next one', async () => {
  const queue = createHashQueue({
    hash: async (text) => {
      if (text === 'bad') throw new Error('no memory')
      return `#${text}`
    },
    verify: async () => false,
  })
  const failed = queue.hash('bad')
  await expect(failed).rejects.toThrow('no memory')
  expect(await queue.hash('good')).toBe('#good')
})

test('too many that wait are refused until some are done', async () => {
  const { queue, open } = manual()
  const waiting = Array.from({ length: hashesWaitingMax }, () => queue.hash('x'))
  expect(() => queue.demandCapacity()).toThrow(
    expect.objectContaining({ code: 'AUTH_BUSY', status: 503, retryAfterS: 5 }),
  )
  await settle()
  open.shift()?.()
  await waiting[0]
  expect(() => queue.demandCapacity()).not.toThrow()
})
