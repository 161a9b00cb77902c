import type { OtlpExemplar, OtlpPoint } from './metric-message.ts'

/** Measurements between two limits. `value` is the middle. */
export type Bucket = { low: number; high: number; value: number; count: number }

const whole = (count: number): number => (Number.isFinite(count) && count > 0 ? Math.floor(count) : 0)

/** The limits of a bucket, within the least and the greatest measurement. */
function bucketOf(low: number, high: number, count: number, { min, max }: Pick<OtlpPoint, 'min' | 'max'>): Bucket {
  const [from, to] = [Math.max(low, min ?? low), Math.min(high, max ?? high)]
  // Limits that exclude each other are the sender's mistake: the bucket wins.
  const [least, most] = from <= to ? [from, to] : [low, high]
  return { low: least, high: most, value: (least + most) / 2, count }
}

/** The buckets of a histogram with explicit bounds. Those at the ends are as wide as `min`, `max`, zero or a bound. */
function explicitBuckets(point: OtlpPoint): Bucket[] {
  const { counts, bounds, count, sum } = point
  if (counts.length === 0) {
    // Without buckets, only the mean is known.
    const mean = sum !== undefined && count > 0 ? sum / count : 0
    const [low, high] = [point.min ?? mean, point.max ?? mean]
    return whole(count) > 0 ? [{ low, high, value: Math.min(Math.max(mean, low), high), count: whole(count) }] : []
  }
  const first = bounds[0] ?? 0
  const last = bounds.at(-1) ?? first
  return counts.flatMap((sent, at) => {
    const own = whole(sent)
    if (own === 0) return []
    const low = at === 0 ? (point.min ?? Math.min(0, first)) : (bounds[at - 1] ?? last)
    const high = at < bounds.length ? (bounds[at] ?? last) : Math.max(point.max ?? last, low)
    return [bucketOf(Math.min(low, high), Math.max(low, high), own, point)]
  })
}

/** Buckets are (base^index, base^(index + 1)] with base = 2^(2^-scale), mirrored for negative measurements. */
function exponentialBuckets(point: OtlpPoint): Bucket[] {
  const { scale, zeroCount, positive, negative } = point
  // Scales beyond these limits have no use: a bucket is all numbers, or less than what a double tells apart.
  const step = 2 ** -Math.max(-11, Math.min(20, scale))
  const limit = (index: number) => {
    const found = 2 ** (index * step)
    return Number.isFinite(found) ? found : Number.MAX_VALUE
  }
  const side = ({ offset, counts }: OtlpPoint['positive'], sign: 1 | -1): Bucket[] =>
    counts.flatMap((sent, at) => {
      const count = whole(sent)
      if (count === 0) return []
      const [near, far] = [limit(offset + at), limit(offset + at + 1)]
      return [sign > 0 ? bucketOf(near, far, count, point) : bucketOf(-far, -near, count, point)]
    })
  const zeros = whole(zeroCount)
  return [
    ...side(negative, -1).reverse(),
    ...(zeros > 0 ? [{ low: 0, high: 0, value: 0, count: zeros }] : []),
    ...side(positive, 1),
  ]
}

/** The buckets of a histogram that have measurements, from the lowest up. */
export const bucketsOf = (point: OtlpPoint, isExponential: boolean): Bucket[] =>
  isExponential ? exponentialBuckets(point) : explicitBuckets(point)

/** The sums of buckets: their middles times their counts, scaled so that all together have the sent sum. */
export function sumsOf(buckets: readonly Bucket[], sum: number | undefined): number[] {
  const guessed = buckets.map(({ value, count }) => value * count)
  const total = guessed.reduce((all, own) => all + own, 0)
  if (sum === undefined || !Number.isFinite(sum)) return guessed
  if (total !== 0 && Math.sign(total) === Math.sign(sum)) return guessed.map((own) => (own / total) * sum)
  const count = buckets.reduce((all, bucket) => all + bucket.count, 0)
  return buckets.map((bucket) => (bucket.count / count) * sum)
}

/** The first exemplar between two limits that names a trace. */
export const exemplarIn = (exemplars: readonly OtlpExemplar[], low: number, high: number): OtlpExemplar | undefined =>
  exemplars.find(({ value, traceId }) => traceId !== undefined && value >= low && value <= high)
