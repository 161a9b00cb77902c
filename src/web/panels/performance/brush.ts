import type { RestRoutePage } from '../../../contract/explore/performance.ts'

/** Selected buckets of a distribution, both included. */
export type Brush = { from: number; to: number }
export type Bucket = { fromMs: number; toMs: number; samples: number; count: number }

const perDecade = 20
/** Fewer bars are too wide to compare. */
const bucketsMin = 20

/** The buckets of a distribution without gaps, at least a power of ten. */
export function bucketsOf(distribution: RestRoutePage['distribution']): Bucket[] {
  const [first] = distribution
  const last = distribution.at(-1)
  if (!first || !last) return []
  const placeOf = (ms: number) => Math.round(Math.log10(Math.max(ms, 0.001) * 1000) * perDecade)
  const known = new Map(distribution.map((bucket) => [placeOf(bucket.from), bucket]))
  let [from, to] = [placeOf(first.from), placeOf(last.from)]
  while (to - from + 1 < bucketsMin) {
    from -= 1
    to += 1
  }
  const edge = (place: number) => 10 ** (place / perDecade) / 1000
  return Array.from({ length: to - from + 1 }, (_, at) => {
    const found = known.get(from + at)
    return {
      fromMs: found?.from ?? edge(from + at),
      toMs: found?.to ?? edge(from + at + 1),
      samples: found?.samples ?? 0,
      count: found?.count ?? 0,
    }
  })
}

/** A selection between two buckets, in either order and within the chart. */
export function brushOf(a: number, b: number, count: number): Brush {
  const clamp = (at: number) => Math.max(0, Math.min(count - 1, at))
  return { from: Math.min(clamp(a), clamp(b)), to: Math.max(clamp(a), clamp(b)) }
}

/** One end of a selection moved by some buckets. It stops at the other end. */
export function movedBrush(brush: Brush, side: keyof Brush, step: number, count: number): Brush {
  if (side === 'from') return { ...brush, from: Math.max(0, Math.min(brush.to, brush.from + step)) }
  return { ...brush, to: Math.max(brush.from, Math.min(count - 1, brush.to + step)) }
}

/** The buckets of selected durations. Undefined if none of them is selected. */
export function brushOfDurations(buckets: readonly Bucket[], fromMs: number, toMs: number): Brush | undefined {
  const inside = buckets.flatMap((bucket, at) =>
    bucket.fromMs >= fromMs * 0.999 && bucket.toMs <= toMs * 1.001 ? [at] : [],
  )
  const [first] = inside
  const last = inside.at(-1)
  return first === undefined || last === undefined ? undefined : { from: first, to: last }
}

/** The slowest part if nothing is selected: the buckets from the p75 on. */
export function slowestPart(buckets: readonly Bucket[], p75: number | null): Brush | undefined {
  if (p75 === null || buckets.length === 0) return undefined
  const at = buckets.findIndex((bucket) => bucket.fromMs >= p75 * 0.9)
  return at < 0 ? undefined : { from: at, to: buckets.length - 1 }
}
