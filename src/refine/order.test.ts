import { expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { type Bench, bench, outcome, send, settled, stored, until } from './rig.cases.ts'

/** Stores rows without a commit, like a process that ends in between. */
async function endBeforeCommit(entry: Bench): Promise<void> {
  const { commitBatch } = entry.meta.batches
  entry.meta.batches.commitBatch = async () => {
    throw new Error('power cut')
  }
  const refine = entry.open()
  await refine.start()
  refine.advance(entry.writer.durable())
  await until(async () => entry.failures.length > 0, 'failure')
  await refine.stop(0)
  entry.meta.batches.commitBatch = commitBatch
  entry.failures.splice(0)
}

test('the journal is trimmed to what is committed, never beyond', async () => {
  const entry = await bench()
  const refine = entry.open()
  await refine.start()
  for (const count of [3, 4, 5]) {
    await send(entry, count)
    refine.advance(entry.writer.durable())
  }
  await settled(entry, 12)
  expect(entry.trims.length).toBeGreaterThan(1)
  expect(entry.trims.filter(({ before, cursor }) => before > cursor)).toEqual([])
  expect(entry.trims.at(-1)?.before).toBe(await entry.meta.batches.cursor())
})

test('where the second insert ends first, the commits keep the order of the journal', async () => {
  const entry = await bench()
  const first = Promise.withResolvers<void>()
  const tokens: string[] = []
  entry.events.state.gate = async (token) => {
    tokens.push(token)
    if (tokens.length === 1) await first.promise
  }
  const refine = entry.open()
  await refine.start()
  const begin = await entry.meta.batches.cursor()
  await send(entry, 2)
  refine.advance(entry.writer.durable())
  await until(async () => tokens.length === 1, 'the first insert')
  const middle = entry.writer.durable()
  await send(entry, 3)
  refine.advance(entry.writer.durable())
  await until(async () => entry.events.rows.length === 3, 'the second insert')
  await systemClock.sleep(100)
  // The second batch is stored, but committing it would leave a gap.
  expect([await entry.meta.batches.cursor(), await stored(entry), entry.commits.length]).toEqual([begin, 0, 0])
  first.resolve()
  await settled(entry, 5)
  expect(entry.trims.map(({ before }) => before).filter((before) => before > begin)).toEqual([
    middle,
    await entry.meta.batches.cursor(),
  ])
  expect(entry.events.rows).toHaveLength(5)
})

test('rows that recovery inserts once more are settled once more: their rollups may have outlived them', async () => {
  const entry = await bench()
  await send(entry, 6)
  await endBeforeCommit(entry)
  entry.events.rows.splice(0, 2)
  entry.events.state.calls.splice(0)
  await entry.open().start()
  const calls = entry.events.state.calls.map(({ what }) => what)
  expect(calls).toEqual(['settle', 'insert', 'settle'])
  expect(entry.events.rows).toHaveLength(6)
})

test('rows that all stand are settled once', async () => {
  const entry = await bench()
  await send(entry, 6)
  await endBeforeCommit(entry)
  entry.events.state.calls.splice(0)
  await entry.open().start()
  expect(entry.events.state.calls.map(({ what }) => what)).toEqual(['settle'])
})

test('a retry goes under a name of its own: the old one drops what comes under it', async () => {
  const entry = await bench()
  entry.events.state.fail.push('before', 'before')
  const refine = entry.open()
  await refine.start()
  await send(entry, 4)
  refine.advance(entry.writer.durable())
  await settled(entry, 4)
  expect(entry.events.rows).toHaveLength(4)
  expect(new Set(entry.events.rows.map(({ token }) => token)).size).toBe(1)
  expect(entry.events.rows[0]?.token).toMatch(/^journal:\d+-\d+:[0-9a-f-]{36}$/)
})

test('rows that stand are not inserted again beside one that the store refuses', async () => {
  const entry = await bench()
  await send(entry, 3)
  await send(entry, 1, 'PoisonError')
  await send(entry, 2)
  await endBeforeCommit(entry)
  // The power cut lost one row, which the store refuses now.
  const lost = entry.events.rows.findIndex(({ line }) => line.includes('PoisonError'))
  entry.events.rows.splice(lost, 1)
  entry.events.state.bad = 'PoisonError'
  await entry.open().start()
  const positions = entry.events.rows.map(({ jpos }) => jpos)
  expect([positions.length, new Set(positions).size]).toEqual([5, 5])
  expect([await stored(entry), await outcome(entry, 'dead')]).toEqual([5, 1])
})

test('a store that goes away while rows are tried one by one is waited for', async () => {
  const entry = await bench()
  entry.events.state.bad = 'PoisonError'
  const refine = entry.open()
  await refine.start()
  await send(entry, 3)
  await send(entry, 1, 'PoisonError')
  await send(entry, 3)
  let batches = 0
  entry.events.state.gate = async () => {
    // Five tries of the whole batch, then row by row.
    if (++batches === 6) entry.events.state.fail.push('after', 'before')
  }
  refine.advance(entry.writer.durable())
  await settled(entry, 6)
  expect([entry.events.rows.length, await stored(entry), await outcome(entry, 'dead'), entry.failures]).toEqual([
    6,
    6,
    1,
    [],
  ])
})
