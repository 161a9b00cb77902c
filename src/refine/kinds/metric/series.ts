import { hash } from 'node:crypto'

const slotsMax = 2 ** 19
/** Above this share of used slots, probing gets long. The rest of the hour, new series are refused. */
const usedMax = slotsMax * 0.75
const projectsMax = 8192
const probesMax = 64
/** Header: the hour and the number of used slots. Then a number and a count for each project, then the slots. */
const [hourAt, usedAt, projectsAt] = [0, 1, 2]
const slotsAt = projectsAt + projectsMax * 2
const hourMs = 3_600_000

/** Memory of `createSeriesLimit`: 2 MiB, shared by all workers. */
export const seriesBytes = (slotsAt + slotsMax) * 4

/** Series that a worker remembers. Nearly all points are of one that came before: a hash took a seventh of a point's time. */
const knownMax = 20_000
/** Longer names of series are hashed each time: 20,000 of 4 kB would take 80 MB of each worker. */
const knownCharactersMax = 500

/** Counts the distinct series of each project in an hour. */
export type SeriesLimit = {
  /**
   * Whether a series may be stored: it is already known in this hour, or the project has fewer than `max`. `group`
   * separates counts of one project (0 or 1).
   */
  admit(series: { projectId: number; group: 0 | 1; key: string; receivedMs: number; max: number }): boolean
}

/**
 * Limits series with a hash table of 32-bit fingerprints in memory that all refine workers share. One worker alone would
 * admit `max` each. Two workers that add the same series at the same moment can count it twice; that is harmless. A new
 * hour empties the table. A restart does too, so such an hour can have twice the series.
 */
export function createSeriesLimit(memory: SharedArrayBuffer): SeriesLimit {
  const cells = new Int32Array(memory)
  const known = new Set<string>()
  let knownHour = -1

  function enterHour(receivedMs: number): void {
    const hour = Math.floor(receivedMs / hourMs)
    const current = Atomics.load(cells, hourAt)
    // Late records of the hour before count in this hour.
    if (hour <= current || Atomics.compareExchange(cells, hourAt, current, hour) !== current) return
    if (Atomics.exchange(cells, usedAt, 0) > 0) cells.fill(0, slotsAt)
    cells.fill(0, projectsAt, slotsAt)
  }

  /** Where the count of a project is; -1 if there are too many projects. */
  function countAt(id: number): number {
    for (let probe = 0; probe < probesMax; probe++) {
      const at = projectsAt + ((id + probe) % projectsMax) * 2
      const found = Atomics.compareExchange(cells, at, 0, id)
      if (found === 0 || found === id) return at + 1
    }
    return -1
  }

  return {
    admit: ({ projectId, group, key, receivedMs, max }) => {
      enterHour(receivedMs)
      const hour = Atomics.load(cells, hourAt)
      if (hour !== knownHour || known.size >= knownMax) known.clear()
      knownHour = hour
      const whole = `${projectId} ${group} ${key}`
      if (known.has(whole)) return true
      const digest = hash('md5', whole, 'buffer')
      const fingerprint = digest.readInt32LE(0) || 1
      const start = digest.readUInt32LE(4)
      let free = -1
      for (let probe = 0; probe < probesMax && free === -1; probe++) {
        const at = slotsAt + ((start + probe) % slotsMax)
        const found = Atomics.load(cells, at)
        if (found === fingerprint) {
          if (whole.length <= knownCharactersMax) known.add(whole)
          return true
        }
        if (found === 0) free = at
      }
      // Project numbers are small. The group doubles them, so that both fit into one cell.
      const count = countAt((projectId * 2 + group) % 2 ** 30 || 1)
      if (free === -1 || count === -1 || Atomics.load(cells, usedAt) >= usedMax) return false
      if (Atomics.load(cells, count) >= max) return false
      Atomics.store(cells, free, fingerprint)
      Atomics.add(cells, count, 1)
      Atomics.add(cells, usedAt, 1)
      return true
    },
  }
}
