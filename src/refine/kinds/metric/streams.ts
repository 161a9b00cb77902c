/** Points of a stream that are remembered. A batch that is refined again must find what it found before. */
const ringMax = 3
const slotsMax = 2 ** 16
const probesMax = 16
/** A slot: fingerprint and spare as 32-bit numbers, then time, value and position of each remembered point. */
const slotFloats = 1 + ringMax * 3
/** Header: the lock as a 32-bit number, and the time from which on streams are known. */
const headFloats = 2
/** A thread that ended while it held the lock must not stop the others. */
const lockMs = 50

/** Memory of `createStreams`: 5 MiB, shared by all workers. */
export const streamsBytes = (headFloats + slotsMax * slotFloats) * 8

/**
 * A point of a cumulative stream: 16 hex digits name the stream. `timeMs`: ms with microseconds, because one record can
 * have two points of a millisecond; ms alone if it comes from the store. `startMs`: whole ms, 0 if unknown.
 */
type CumulativePoint = { stream: string; timeMs: number; startMs: number; total: number; jpos: number }

/** What a point adds, and whether a point of the stream was known before. */
type Added = { added: number; isKnown: boolean }

/** The last points of cumulative streams. */
export type Streams = {
  /**
   * Returns what was added since the point before. The first point of a stream adds its whole value if the stream began
   * after `since`, else nothing: it is unknown how much of it was counted before.
   */
  advance(point: CumulativePoint): Added
  /** Remembers a stored point, at a start. */
  restore(point: Omit<CumulativePoint, 'startMs'>): void
  /** Sets the time (ms) from which on all streams are known. */
  knowSince(sinceMs: number): void
}

/** The slots of the memory. Only the holder of the lock reads and writes them. */
function openSlots(memory: SharedArrayBuffer) {
  const whole = new Int32Array(memory)
  const floats = new Float64Array(memory)
  const timeAt = (slot: number, n: number) => slot + 1 + n * 3
  const read = (slot: number, n: number) => ({
    timeMs: floats[timeAt(slot, n)] ?? 0,
    total: floats[timeAt(slot, n) + 1] ?? 0,
    jpos: floats[timeAt(slot, n) + 2] ?? 0,
  })
  return {
    read,
    since: () => floats[1] ?? 0,
    setSince: (ms: number) => {
      floats[1] = ms
    },
    locked: <T>(run: () => T): T => {
      // Held for less than a microsecond. After the time, its holder is gone and the lock is taken over.
      while (Atomics.compareExchange(whole, 0, 0, 1) !== 0) if (Atomics.wait(whole, 0, 1, lockMs) === 'timed-out') break
      try {
        return run()
      } finally {
        Atomics.store(whole, 0, 0)
        Atomics.notify(whole, 0, 1)
      }
    },
    /**
     * The slot of a stream. A new one takes a free slot, or that of the stream that is silent for the longest time. When
     * that one comes again, its total was counted before: so streams that began up to the millisecond of its last point are
     * unknown from then on, and a first total of theirs adds nothing.
     */
    slotOf: (stream: string): number => {
      const fingerprint = Number.parseInt(stream.slice(0, 8), 16) | 0 || 1
      const start = Number.parseInt(stream.slice(8, 16), 16)
      let [oldest, oldestMs] = [-1, Number.POSITIVE_INFINITY]
      for (let probe = 0; probe < probesMax; probe++) {
        const slot = headFloats + ((start + probe) % slotsMax) * slotFloats
        if (whole[slot * 2] === fingerprint) return slot
        const { timeMs } = read(slot, 0)
        if (timeMs < oldestMs) [oldest, oldestMs] = [slot, timeMs]
      }
      floats[1] = Math.max(floats[1] ?? 0, Math.floor(oldestMs) + 1)
      floats.fill(0, oldest, oldest + slotFloats)
      whole[oldest * 2] = fingerprint
      return oldest
    },
    remember: (slot: number, { timeMs, total, jpos }: Omit<CumulativePoint, 'stream' | 'startMs'>) => {
      floats.copyWithin(timeAt(slot, 1), timeAt(slot, 0), timeAt(slot, ringMax - 1))
      floats.set([timeMs, total, jpos], timeAt(slot, 0))
    },
  }
}

/**
 * Cumulative sums become what was added, so that every question is a plain sum. The last values are in memory that all
 * refine workers share, because points of a stream are refined by any of them. The alternative, differences at query
 * time, sorts each series in every question (decision 38).
 */
export function createStreams(memory: SharedArrayBuffer): Streams {
  const slots = openSlots(memory)

  function advance(point: CumulativePoint): Added {
    const { stream, timeMs, startMs, total, jpos } = point
    const slot = slots.slotOf(stream)
    const first = (): Added => {
      const isWhole = startMs > 0 && startMs <= timeMs && startMs >= slots.since()
      return { added: isWhole ? total : 0, isKnown: false }
    }
    const since = (n: number): Added => {
      // The point before was forgotten. Only a repeat of the oldest remembered point gets here.
      if (n === ringMax) return { added: 0, isKnown: true }
      const before = slots.read(slot, n)
      if (before.timeMs === 0) return first()
      // A total that shrinks began again at zero.
      return { added: total >= before.total ? total - before.total : total, isKnown: true }
    }
    const newest = slots.read(slot, 0)
    if (timeMs > newest.timeMs) {
      const answer = since(0)
      slots.remember(slot, point)
      return answer
    }
    for (let n = 0; n < ringMax; n++) {
      const known = slots.read(slot, n)
      if (known.timeMs !== timeMs) continue
      // The same record is refined again: the answer is the same. Another point of that time, in this record or another:
      // nothing is added, and the next total has it.
      return known.jpos === jpos && known.total === total ? since(n + 1) : { added: 0, isKnown: true }
    }
    // Late: the point after it already added what this one would.
    return { added: 0, isKnown: true }
  }

  return {
    advance: (point) => slots.locked(() => advance(point)),
    restore: (point) =>
      slots.locked(() => {
        const slot = slots.slotOf(point.stream)
        if (point.timeMs > slots.read(slot, 0).timeMs) slots.remember(slot, point)
      }),
    knowSince: slots.setSince,
  }
}
