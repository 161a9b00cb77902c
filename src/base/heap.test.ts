import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { testClock } from './clock.ts'
import { keepHeapSmall } from './heap.ts'

const mebibyte = 1024 * 1024
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A heap whose collection leaves 70 MiB. `load` is what the program takes next. */
function fakeHeap() {
  const state = { bytes: 100 * mebibyte, busy: 0, collections: 0 }
  return {
    state,
    bytes: () => state.bytes,
    busy: () => state.busy,
    collect: async () => {
      state.collections++
      state.bytes = 70 * mebibyte
    },
  }
}

test('the garbage of the start is collected once, a second after it', async () => {
  const clock = testClock()
  const heap = fakeHeap()
  keepHeapSmall(clock, heap)
  clock.advance(999)
  expect(heap.state.collections).toBe(0)
  clock.advance(1)
  await settled()
  expect(heap.state.collections).toBe(1)
  clock.advance(3_600_000)
  expect(heap.state.collections).toBe(1)
})

test.each([
  ['8 MiB more, quiet', 78, 0.1, 2],
  ['less than 8 MiB more', 77, 0.1, 1],
  ['8 MiB more while the thread is busy', 78, 0.5, 1],
])('%s a minute later', async (_, mebibytes, busy, collections) => {
  const clock = testClock()
  const heap = fakeHeap()
  keepHeapSmall(clock, heap)
  clock.advance(1000)
  await settled()
  Object.assign(heap.state, { bytes: mebibytes * mebibyte, busy })
  clock.advance(50_000)
  expect(heap.state.collections).toBe(1)
  clock.advance(20_000)
  expect(heap.state.collections).toBe(collections)
})

test('collections are at least a minute apart, and end with the program', async () => {
  const clock = testClock()
  const heap = fakeHeap()
  const stop = keepHeapSmall(clock, heap)
  clock.advance(1000)
  await settled()
  for (let seconds = 0; seconds < 600; seconds += 10) {
    heap.state.bytes = 200 * mebibyte
    clock.advance(10_000)
    await settled()
  }
  expect(heap.state.collections).toBe(11)
  stop()
  heap.state.bytes = 200 * mebibyte
  clock.advance(600_000)
  expect(heap.state.collections).toBe(11)
})

test('a real heap becomes smaller, and compiled code still fits', () => {
  const program = `
    import { setTimeout as pause } from 'node:timers/promises'
    import { cachedDataVersionTag, getHeapStatistics } from 'node:v8'
    const { keepHeapSmall } = await import(${JSON.stringify(new URL('./heap.ts', import.meta.url).href)})
    const tag = cachedDataVersionTag()
    const kept = () => getHeapStatistics().total_heap_size
    const fill = () => Array.from({ length: 1_000_000 }, (_, index) => ({ index, text: 'row ' + index })).length && kept()
    const clock = {}
    const add = (name) => (_, run) => ((clock[name] = run), () => {})
    keepHeapSmall({ after: add('first'), every: add('check') })
    const found = [fill()]
    clock.first()
    await pause(50)
    found.push(kept(), fill())
    clock.check() // busy since the start
    await pause(300)
    for (let times = 0; times < 5; times++) clock.check()
    await pause(50)
    found.push(kept())
    console.log(JSON.stringify({ found, fits: cachedDataVersionTag() === tag, gc: typeof globalThis.gc }))
  `
  const words = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program]
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  expect(stderr).toBe('')
  const { found, fits, gc } = JSON.parse(stdout)
  const [full, collected, again, last] = found.map((bytes: number) => bytes / mebibyte)
  expect(full - collected).toBeGreaterThan(20)
  expect(again - last).toBeGreaterThan(20)
  expect({ fits, gc }).toEqual({ fits: true, gc: 'undefined' })
})
