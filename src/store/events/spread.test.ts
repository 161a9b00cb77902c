import { expect, test } from 'vitest'
import { bucketsOf, type SpreadBucket, spreadOf } from './spread.ts'

/** Buckets of events at these hundredths of the time, at most `eachMax` per bucket. */
function bucketsAt(places: number[]): SpreadBucket[] {
  const found = Map.groupBy(
    places.map((bucket, at) => ({ bucket, us: at, id: `e${at}` })),
    (item) => item.bucket,
  )
  return [...found].map(([bucket, events]) => ({ bucket, events: events.slice(0, bucketsOf.eachMax) }))
}
const evenly = (count: number) =>
  Array.from({ length: count }, (_, at) => Math.floor((at * bucketsOf.count) / (count - 1 || 1) - (at ? 1e-9 : 0)))

test.each<[string, number[], number]>([
  ['nothing', [], 0],
  ['one event', [0], 1],
  ['two', [0, 99], 2],
  ['twenty-two', evenly(22), 22],
  ['many, evenly', evenly(1000), 22],
  ['many, all in one burst', Array.from({ length: 500 }, () => 0), 22],
  ['two bursts', Array.from({ length: 500 }, (_, at) => (at < 480 ? 0 : 99)), 22],
  ['twenty-one in a burst, one late', [...Array.from({ length: 21 }, () => 0), 99], 22],
])('%s: the first, the latest, 20 between', (_name, places, expected) => {
  const last = `e${places.length - 1}`
  const retained = spreadOf(bucketsAt(places), places.length === 0 ? '' : last)
  expect(new Set(retained).size).toBe(retained.length)
  expect(retained).toHaveLength(expected)
  if (expected > 0) expect(retained).toContain('e0')
  if (expected > 1) expect(retained).toContain(last)
})

test('spread over the time, not over the numbers: a late flood does not push out what came before it', () => {
  const places = [...Array.from({ length: 90 }, (_, at) => at), ...Array.from({ length: 5000 }, () => 95)]
  const retained = spreadOf(bucketsAt(places), 'e5089').map((id) => Number(id.slice(1)))
  const early = retained.filter((at) => at < 90)
  expect(early.length).toBeGreaterThanOrEqual(18)
  expect(Math.max(...early) - Math.min(...early)).toBeGreaterThan(80)
})

test('thinned once more, it keeps as many of what stands', () => {
  const places = evenly(400)
  const once = new Set(spreadOf(bucketsAt(places), 'e399'))
  const standing = bucketsAt(places).map(({ bucket, events }) => ({
    bucket,
    events: events.filter(({ id }) => once.has(id)),
  }))
  expect(new Set(spreadOf(standing, 'e399'))).toEqual(once)
})
