const slotsMax = 2 ** 16
const probesMax = 16
/** A slot: the fingerprint as a 32-bit number, and the time and the value of the last point. */
const slotFloats = 3
/** Header: the time from which on streams are known, and the newest time of a stream that was forgotten. */
const headFloats = 2

/** Memory of `createStreams`: 1.5 MiB, shared by all workers. */
export const streamsBytes = (headFloats + slotsMax * slotFloats) * 8

/**
 * A point of a cumulative stream: 16 hex digits name the stream. `timeMs`: ms with microseconds, because one record can
 * have two points of a millisecond. `startMs`: whole ms, 0 if unknown.
 */
type CumulativePoint = { stream: string; timeMs: number; startMs: number; total: number }

/** What a point adds, and whether a point of the stream was known before. */
type Added = { added: number; isKnown: boolean }

type Last = Omit<CumulativePoint, 'stream' | 'startMs'>

/**
 * The last totals of a range, as a worker sends them: the time (ms) up to which it forgot streams, then for each stream both
 * halves of its name, time and total.
 */
export type RangeTotals = Float64Array<ArrayBuffer>
const totalFloats = 4

/** The streams of one range. What it finds becomes known to other ranges by `learn`. */
export type RangeStreams = {
  /**
   * Returns what was added since the point before. The first point of a stream adds its whole value if the stream began
   * after all streams that are forgotten or were never seen, else nothing: it is unknown how much of it was counted before.
   */
  advance(point: CumulativePoint): Added
  /** Ends a record. Its points are forgotten unless its rows are kept. */
  endRecord(isKept: boolean): void
  /** The last totals of the range; undefined if there are none. */
  totals(): RangeTotals | undefined
}

/** The last points of cumulative streams. */
export type Streams = {
  beginRange(): RangeStreams
  /** Remembers the last totals of a range. No other range with totals may be refined at that time. */
  learn(totals: RangeTotals): void
  /** Remembers a stored point, whose time is cut to ms. */
  restore(point: Omit<CumulativePoint, 'startMs'>): void
  /** Sets the time (ms) from which on all streams are known. It only becomes later. */
  knowSince(sinceMs: number): void
}

const highOf = (stream: string): number => Number.parseInt(stream.slice(0, 8), 16)
const lowOf = (stream: string): number => Number.parseInt(stream.slice(8, 16), 16)

/** Points from the store get the end of their millisecond. Otherwise one that is sent again looks newer than itself. */
const endOfMs = 0.999

/** The slots of the shared memory. `high` and `low`: both halves of a stream's name. */
function openSlots(memory: SharedArrayBuffer) {
  const whole = new Int32Array(memory)
  const floats = new Float64Array(memory)
  const fingerprintOf = (high: number) => high | 0 || 1
  const probed = (low: number, probe: number) => headFloats + ((low + probe) % slotsMax) * slotFloats
  const timeAt = (slot: number) => floats[slot + 1] ?? 0
  const totalAt = (slot: number) => floats[slot + 2] ?? 0
  const found = (high: number, low: number): number | undefined => {
    for (let probe = 0; probe < probesMax; probe++)
      if (whole[probed(low, probe) * 2] === fingerprintOf(high)) return probed(low, probe)
    return undefined
  }
  const since = () => floats[0] ?? 0
  /** A stream without a slot that began up to this time adds nothing with its first total. */
  const forget = (ms: number) => {
    floats[0] = Math.max(since(), Math.floor(ms) + 1)
    floats[1] = Math.max(floats[1] ?? 0, ms)
  }
  const oldestOf = (low: number): number => {
    let oldest = probed(low, 0)
    for (let probe = 1; probe < probesMax; probe++)
      if (timeAt(probed(low, probe)) < timeAt(oldest)) oldest = probed(low, probe)
    return oldest
  }
  return {
    since,
    forgottenMs: () => floats[1] ?? 0,
    knowSince: (ms: number) => {
      floats[0] = Math.max(since(), ms)
    },
    /**
     * Forgets all streams whose last point is older, of all projects. A range has forgotten newer points of some of them, and
     * nobody knows of which.
     */
    forgetBefore: (ms: number) => {
      for (let slot = headFloats; slot < floats.length; slot += slotFloats)
        if (timeAt(slot) < ms) floats.fill(0, slot, slot + slotFloats)
      forget(ms)
    },
    read: (high: number, low: number): Last | undefined => {
      const slot = found(high, low)
      return slot === undefined ? undefined : { timeMs: timeAt(slot), total: totalAt(slot) }
    },
    /**
     * Writes a point, unless a newer one is known. A new stream takes a free slot, or that of the stream that is silent for
     * the longest time, if that one is older.
     */
    write: (high: number, low: number, { timeMs, total }: Last) => {
      const slot = found(high, low) ?? oldestOf(low)
      const isOwn = whole[slot * 2] === fingerprintOf(high)
      // What has no room is forgotten: this point if it is older than all that are here.
      if (!isOwn && timeAt(slot) > 0) forget(Math.min(timeAt(slot), timeMs))
      if (timeAt(slot) > timeMs || (isOwn && timeAt(slot) === timeMs && totalAt(slot) >= total)) return
      whole[slot * 2] = fingerprintOf(high)
      floats[slot + 1] = timeMs
      floats[slot + 2] = total
    },
  }
}

/**
 * The totals of a range so far: at least the last `slotsMax` streams, and at most twice as many. Then the older half is
 * forgotten. Forgetting one at a time was rejected: a map walks over all that was deleted to find its oldest entry.
 */
function createRangeMemory() {
  let young = new Map<string, Last>()
  let old = new Map<string, Last>()
  let forgottenMs = 0
  return {
    get: (stream: string) => young.get(stream) ?? old.get(stream),
    /** The time of the newest total that was forgotten, 0 if none was. */
    forgottenMs: () => forgottenMs,
    set: (stream: string, last: Last) => {
      young.set(stream, last)
      if (young.size < slotsMax) return
      for (const [name, { timeMs }] of old) if (!young.has(name)) forgottenMs = Math.max(forgottenMs, timeMs)
      old = young
      young = new Map()
    },
    all: () => new Map([...old, ...young]),
  }
}

/**
 * Whether a point that is not newer still counts: it has a larger total and is of the same millisecond. The store keeps no
 * microseconds, so its order within a millisecond is that of the totals. All other points are late or sent again.
 */
const isNext = (known: Last, timeMs: number, total: number): boolean =>
  Math.floor(timeMs) === Math.floor(known.timeMs) && total > known.total

/**
 * Cumulative sums become what was added, so that every question is a plain sum. The alternative, differences at query time,
 * sorts each series in every question (decision 38).
 *
 * A range keeps its totals to itself, and the main thread writes them to the shared memory once the range is refined. So a
 * range that crashes its worker is refined again from what it found at first. A worker that wrote each point at once lost
 * what the points of such a range had added.
 */
export function createStreams(memory: SharedArrayBuffer): Streams {
  const slots = openSlots(memory)

  function beginRange(): RangeStreams {
    const range = createRangeMemory()
    let record = new Map<string, Last>()
    /** The last point of a stream. Of one that may be forgotten, it is known only that its last point is not newer. */
    const lastOf = (stream: string): { known?: Last; notBeforeMs: number } => {
      const own = record.get(stream) ?? range.get(stream)
      if (own) return { known: own, notBeforeMs: own.timeMs }
      const shared = slots.read(highOf(stream), lowOf(stream))
      // The range can have forgotten a newer point of it.
      if (shared && shared.timeMs >= range.forgottenMs()) return { known: shared, notBeforeMs: shared.timeMs }
      return { notBeforeMs: Math.max(range.forgottenMs(), slots.forgottenMs()) }
    }
    return {
      advance: ({ stream, timeMs, startMs, total }) => {
        const { known, notBeforeMs } = lastOf(stream)
        if (timeMs <= notBeforeMs && !(known && isNext(known, timeMs, total))) return { added: 0, isKnown: true }
        record.set(stream, { timeMs: Math.max(timeMs, notBeforeMs), total })
        if (!known) {
          const isWhole = startMs > 0 && startMs <= timeMs && startMs >= slots.since() && startMs > notBeforeMs
          return { added: isWhole ? total : 0, isKnown: false }
        }
        // A total that shrinks began again at zero.
        return { added: total >= known.total ? total - known.total : total, isKnown: true }
      },
      endRecord: (isKept) => {
        if (record.size === 0) return
        if (isKept) for (const [stream, last] of record) range.set(stream, last)
        record = new Map()
      },
      totals: () => {
        const all = range.all()
        if (all.size === 0) return undefined
        const totals = new Float64Array(1 + all.size * totalFloats)
        totals[0] = range.forgottenMs()
        let at = 1
        for (const [stream, { timeMs, total }] of all) {
          totals.set([highOf(stream), lowOf(stream), timeMs, total], at)
          at += totalFloats
        }
        return totals
      },
    }
  }

  return {
    beginRange,
    learn: (totals) => {
      const [forgottenMs = 0] = totals
      if (forgottenMs > 0) slots.forgetBefore(forgottenMs)
      for (let at = 1; at < totals.length; at += totalFloats) {
        const last = { timeMs: totals[at + 2] ?? 0, total: totals[at + 3] ?? 0 }
        slots.write(totals[at] ?? 0, totals[at + 1] ?? 0, last)
      }
    },
    restore: ({ stream, timeMs, total }) =>
      slots.write(highOf(stream), lowOf(stream), { timeMs: Math.floor(timeMs) + endOfMs, total }),
    knowSince: slots.knowSince,
  }
}
