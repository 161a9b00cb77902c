import { expect, test } from 'vitest'
import { createSeriesLimit, seriesBytes } from './series.ts'
import { createStreams, type RangeStreams, streamsBytes } from './streams.ts'

const hourMs = 3_600_000
const noon = Date.UTC(2026, 10, 21, 12)

const stream = 'a1b2c3d4e5f60718'

function opened() {
  const memory = new SharedArrayBuffer(streamsBytes)
  const streams = createStreams(memory)
  streams.knowSince(noon - hourMs)
  let range = streams.beginRange()
  const advance: RangeStreams['advance'] = (point) => range.advance(point)
  /** A point of a stream that began before it was known, `minute` after noon. */
  const add = (minute: number, total: number, more: object = {}) =>
    advance({ stream, timeMs: noon + minute * 60_000, startMs: noon - 48 * hourMs, total, ...more }).added
  const endRecord = (isKept = true) => range.endRecord(isKept)
  /** Ends a record and its range. */
  const learn = () => {
    endRecord()
    const totals = range.totals()
    if (totals) streams.learn(totals)
    range = streams.beginRange()
  }
  return { memory, streams, advance, add, endRecord, learn, totals: () => range.totals() }
}

test('a total becomes what was added', () => {
  const { add } = opened()
  expect([add(0, 100), add(1, 103), add(2, 103), add(3, 110)]).toEqual([0, 3, 0, 7])
})

test('the first total counts if the stream began while it could be seen', () => {
  const { add } = opened()
  const began = (startMs: number) => add(0, 5, { stream: `${startMs}`.padStart(16, '0').slice(-16), startMs })
  expect([began(noon - 30 * 60_000), began(noon - 2 * hourMs), began(0)]).toEqual([5, 0, 0])
  expect([began(noon), began(noon + 1)]).toEqual([5, 0])
})

test('a total that shrinks began again at zero', () => {
  const { add } = opened()
  add(0, 100)
  expect([add(1, 4), add(2, 6)]).toEqual([4, 2])
})

test.each([1, 3, 50])('a range of %d totals that is refined again finds what it found before', (count) => {
  const { memory, add, learn } = opened()
  add(-1, 90)
  learn()
  /** Refines the range in a worker of its own. */
  const refined = () => {
    const range = createStreams(memory).beginRange()
    const found = Array.from({ length: count }, (_, n) => {
      const { added } = range.advance({ stream, timeMs: noon + n * 60_000, startMs: 0, total: 100 + n })
      range.endRecord(true)
      return added
    })
    return { found, totals: range.totals() }
  }
  const expected = [10, ...Array(count - 1).fill(1)]
  expect(refined().found).toEqual(expected)
  const { found, totals } = refined()
  expect(found).toEqual(expected)
  if (totals) createStreams(memory).learn(totals)
  expect(add(count, 100 + count)).toBe(1)
})

test('the points of a record that fails to be refined are forgotten', () => {
  const { add, endRecord, learn, totals } = opened()
  add(0, 100)
  learn()
  add(1, 105)
  endRecord(false)
  expect(totals()).toBe(undefined)
  expect(add(2, 107)).toBe(7)
})

test('a point that arrives in another record again, or late, adds nothing', () => {
  const { add, learn } = opened()
  add(0, 100)
  add(2, 120)
  learn()
  expect([add(2, 120), add(1, 110), add(3, 121)]).toEqual([0, 0, 1])
})

test('points of one millisecond each add their part, also with equal times', () => {
  const { add } = opened()
  const at = (us: number) => ({ startMs: noon, timeMs: noon + us / 1000 })
  expect([add(0, 5, at(300)), add(0, 7, at(900)), add(0, 9, at(900)), add(0, 7, at(900))]).toEqual([5, 2, 2, 0])
  expect(add(1, 10)).toBe(1)
})

test('a stored total goes on within its millisecond, and what is sent again adds nothing', () => {
  const { add, streams, learn } = opened()
  streams.restore({ stream, timeMs: noon, total: 50 })
  const at = (us: number) => ({ timeMs: noon + us / 1000 })
  expect([add(0, 48, at(100)), add(0, 50, at(200)), add(0, 55, at(900))]).toEqual([0, 0, 5])
  learn()
  expect([add(0, 55, at(900)), add(1, 60)]).toEqual([0, 5])
})

test('other threads and a restart go on where a stream was', () => {
  const { memory, add, streams, learn } = opened()
  add(0, 100)
  learn()
  const other = createStreams(memory).beginRange()
  const point = { stream, timeMs: noon + 60_000, startMs: 0, total: 104 }
  expect(other.advance(point)).toEqual({ added: 4, isKnown: true })
  streams.restore({ ...point, stream: 'ffffffffffffffff', total: 50 })
  expect(add(2, 51, { stream: 'ffffffffffffffff' })).toBe(1)
})

/** So many streams with a total of 1, one in each ms from noon on. */
function addMany({ advance, endRecord }: ReturnType<typeof opened>, count: number, each: (n: number) => void) {
  const found = new Set<number>()
  for (let n = 0; n < count; n++) {
    const name = `${(n * 2_654_435_761) % 2 ** 32}`.padStart(8, '0').slice(-8).padEnd(16, `${n}`.padStart(8, '0'))
    found.add(advance({ stream: name, timeMs: noon + n, startMs: noon + n - 1, total: 1 }).added)
    endRecord()
    each(n)
  }
  return [...found]
}

test.each([1, 1000, 150_000])('more streams than fit, in ranges of %d, forget the silent ones', (size) => {
  const own = opened()
  const found = addMany(own, 150_000, (n) => {
    if (n % size === size - 1) own.learn()
  })
  expect(found).toEqual([1])
  // The first is forgotten: how much of it was counted is unknown.
  const first = own.advance({ stream: '0'.repeat(16), timeMs: noon + 150_000, startMs: noon - 1, total: 9 })
  expect(first).toEqual({ added: 0, isKnown: false })
})

test.each(['in the same range', 'in the next range'])(
  'a known stream that its range forgets is not counted twice, %s',
  (when) => {
    const own = opened()
    const startMs = noon - 1000
    own.add(-5, 10, { startMs })
    own.learn()
    expect(own.add(-4, 20, { startMs })).toBe(10)
    own.endRecord()
    addMany(own, 140_000, () => undefined)
    if (when === 'in the next range') own.learn()
    expect([own.add(3, 30, { startMs }), own.add(4, 31, { startMs })]).toEqual([0, 1])
  },
)

test.each(['in the same range', 'in the next range'])(
  'a late point of a forgotten stream is no base for the next, %s',
  (when) => {
    const own = opened()
    own.add(-4, 50)
    own.learn()
    own.add(-3, 51)
    own.endRecord()
    addMany(own, 140_000, () => undefined)
    if (when === 'in the next range') own.learn()
    expect([own.add(-5, 40), own.add(3, 60), own.add(4, 61)]).toEqual([0, 0, 1])
  },
)

test('what a range has forgotten is unknown to all ranges after it, and newer totals are not', () => {
  const { add, streams, learn } = opened()
  const other = { stream: 'ffffffffffffffff' }
  add(0, 10)
  add(2, 40, other)
  learn()
  streams.learn(Float64Array.of(noon + 60_000))
  expect([add(3, 30), add(4, 31), add(3, 42, other)]).toEqual([0, 1, 2])
})

/** Streams that begin their search at one slot, so the 17th has no room. */
const crowded = (n: number) => `${(n + 1).toString(16).padStart(8, '0')}00000000`

test('a stream that was forgotten does not count its total again, and new streams still count', () => {
  const { advance, learn } = opened()
  const added = (n: number, timeMs: number, total: number, startMs = noon + 999 + n) => {
    const answer = advance({ stream: crowded(n), timeMs, startMs, total })
    learn()
    return answer.added
  }
  const first = Array.from({ length: 17 }, (_, n) => added(n, noon + 1000 + n, 5))
  expect(first).toEqual(Array(17).fill(5))
  expect(added(0, noon + 5000, 8)).toBe(0)
  expect(added(0, noon + 6000, 9)).toBe(1)
  expect(added(20, noon + 7000, 3, noon + 6500)).toBe(3)
})

test('a stream that was forgotten in the millisecond of its start does not count its total again', () => {
  const { advance, learn } = opened()
  const added = (n: number, timeMs: number, total: number) => {
    const answer = advance({ stream: crowded(n), timeMs, startMs: noon + 1000, total })
    learn()
    return answer.added
  }
  for (let n = 0; n < 17; n++) added(n, noon + 1000, 5)
  expect(added(0, noon + 5000, 8)).toBe(0)
})

test('an older point does not take the place of newer ones', () => {
  const { streams, advance } = opened()
  for (let n = 0; n < 17; n++) streams.restore({ stream: crowded(n), timeMs: noon - n * 1000, total: 5 })
  const added = Array.from(
    { length: 17 },
    (_, n) => advance({ stream: crowded(n), timeMs: noon + 1000, startMs: noon - 20_000, total: 6 }).added,
  )
  expect(added).toEqual([...Array(16).fill(1), 0])
  // Streams that began after the forgotten one are still new.
  expect(advance({ stream: crowded(30), timeMs: noon, startMs: noon - 15_000, total: 5 }).added).toBe(5)
})

test('series count by project and hour', () => {
  const limit = createSeriesLimit(new SharedArrayBuffer(seriesBytes))
  const admitted = (projectId: number, receivedMs: number) =>
    Array.from({ length: 30 }, (_, n) =>
      limit.admit({ projectId, group: 0, key: `k${n}`, receivedMs, max: 20 }),
    ).filter(Boolean).length
  expect([admitted(1, noon), admitted(1, noon), admitted(2, noon)]).toEqual([20, 20, 20])
  expect([admitted(1, noon + hourMs), admitted(1, noon)]).toEqual([20, 20])
})

test('a series that came in the hour before is counted anew', () => {
  const limit = createSeriesLimit(new SharedArrayBuffer(seriesBytes))
  const admit = (key: string, receivedMs: number) => limit.admit({ projectId: 1, group: 0, key, receivedMs, max: 1 })
  expect([admit('a', noon), admit('a', noon), admit('b', noon)]).toEqual([true, true, false])
  const long = 'l'.repeat(600)
  expect([admit(long, noon), admit('a', noon)]).toEqual([false, true])
  expect([admit('b', noon + hourMs), admit('a', noon + hourMs)]).toEqual([true, false])
  expect([admit(long, noon + 2 * hourMs), admit(long, noon + 2 * hourMs)]).toEqual([true, true])
})
