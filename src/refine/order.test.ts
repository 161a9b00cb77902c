import { expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { type Bench, bench, outcome, send, settled, stored, until } from './rig.cases.ts'

/** Rows stand, the commit never came: what a process leaves that ends in between. */
async function endBeforeCommit(one: Bench): Promise<void> {
  const { commitBatch } = one.meta
  one.meta.commitBatch = () => {
    throw new Error('power cut')
  }
  const refine = one.open()
  await refine.start()
  refine.advance(one.writer.durable())
  await until(() => one.failures.length > 0, 'failure')
  await refine.stop(0)
  one.meta.commitBatch = commitBatch
  one.failures.splice(0)
}

test('the journal is trimmed to what is committed, never beyond', async () => {
  const one = await bench()
  const refine = one.open()
  await refine.start()
  for (const count of [3, 4, 5]) {
    await send(one, count)
    refine.advance(one.writer.durable())
  }
  await settled(one, 12)
  expect(one.trims.length).toBeGreaterThan(1)
  expect(one.trims.filter(({ before, cursor }) => before > cursor)).toEqual([])
  expect(one.trims.at(-1)?.before).toBe(one.meta.cursor())
})

test('where the second insert ends first, the commits keep the order of the journal', async () => {
  const one = await bench()
  const first = Promise.withResolvers<void>()
  const tokens: string[] = []
  one.events.state.gate = async (token) => {
    tokens.push(token)
    if (tokens.length === 1) await first.promise
  }
  const refine = one.open()
  await refine.start()
  const begin = one.meta.cursor()
  await send(one, 2)
  refine.advance(one.writer.durable())
  await until(() => tokens.length === 1, 'the first insert')
  const middle = one.writer.durable()
  await send(one, 3)
  refine.advance(one.writer.durable())
  await until(() => one.events.rows.length === 3, 'the second insert')
  await systemClock.sleep(100)
  // the second stands, but a commit of it would leave a hole
  expect([one.meta.cursor(), stored(one), one.commits.length]).toEqual([begin, 0, 0])
  first.resolve()
  await settled(one, 5)
  expect(one.trims.map(({ before }) => before).filter((before) => before > begin)).toEqual([middle, one.meta.cursor()])
  expect(one.events.rows).toHaveLength(5)
})

test('rows that recovery inserts once more are settled once more: their rollups may have outlived them', async () => {
  const one = await bench()
  await send(one, 6)
  await endBeforeCommit(one)
  one.events.rows.splice(0, 2)
  one.events.state.calls.splice(0)
  await one.open().start()
  const calls = one.events.state.calls.map(({ what }) => what)
  expect(calls).toEqual(['settle', 'insert', 'settle'])
  expect(one.events.rows).toHaveLength(6)
})

test('rows that all stand are settled once', async () => {
  const one = await bench()
  await send(one, 6)
  await endBeforeCommit(one)
  one.events.state.calls.splice(0)
  await one.open().start()
  expect(one.events.state.calls.map(({ what }) => what)).toEqual(['settle'])
})

test('a retry goes under a name of its own: the old one drops what comes under it', async () => {
  const one = await bench()
  one.events.state.fail.push('before', 'before')
  const refine = one.open()
  await refine.start()
  await send(one, 4)
  refine.advance(one.writer.durable())
  await settled(one, 4)
  expect(one.events.rows).toHaveLength(4)
  expect(new Set(one.events.rows.map(({ token }) => token)).size).toBe(1)
  expect(one.events.rows[0]?.token).toMatch(/^journal:\d+-\d+:[0-9a-f-]{36}$/)
})

test('rows that stand are not inserted again beside one that the store refuses', async () => {
  const one = await bench()
  await send(one, 3)
  await send(one, 1, 'PoisonError')
  await send(one, 2)
  await endBeforeCommit(one)
  // the power took one row, which the store no longer takes
  const lost = one.events.rows.findIndex(({ line }) => line.includes('PoisonError'))
  one.events.rows.splice(lost, 1)
  one.events.state.bad = 'PoisonError'
  await one.open().start()
  const positions = one.events.rows.map(({ jpos }) => jpos)
  expect([positions.length, new Set(positions).size]).toEqual([5, 5])
  expect([stored(one), outcome(one, 'dead')]).toEqual([5, 1])
})

test('a store that goes away while rows are tried one by one is waited for', async () => {
  const one = await bench()
  one.events.state.bad = 'PoisonError'
  const refine = one.open()
  await refine.start()
  await send(one, 3)
  await send(one, 1, 'PoisonError')
  await send(one, 3)
  let batches = 0
  one.events.state.gate = async () => {
    // five tries of the whole, then one row after the other
    if (++batches === 6) one.events.state.fail.push('after', 'before')
  }
  refine.advance(one.writer.durable())
  await settled(one, 6)
  expect([one.events.rows.length, stored(one), outcome(one, 'dead'), one.failures]).toEqual([6, 6, 1, []])
})
