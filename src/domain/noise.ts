import { type NoiseKind, noiseKinds } from './diagnostics.ts'
import type { InboundFilter } from './filters.ts'

/**
 * Counters of an issue and of each of its hashes. Noise counts by kind. `unfiltered` is noise that the filter of its
 * kind would let through. `skew` is skew of old tabs.
 */
export type SignKey = NoiseKind | 'unfiltered' | 'skew'
export type SignCounts = Partial<Record<SignKey, number>>

/** The inbound filter for each kind of noise. Other kinds have none: only the event with its frames shows them. */
export const noiseFilters = {
  bot: 'web-crawlers',
  localhost: 'localhost',
  extension: 'browser-extensions',
} as const satisfies Partial<Record<NoiseKind, InboundFilter['id']>>

/**
 * Minimum events for a noise verdict. The client says less about an error than its source: a crawler or colleague can
 * be the first to hit a bug of the team.
 */
const leastEvents: Readonly<Record<NoiseKind, number>> = {
  bot: 5,
  localhost: 5,
  extension: 1,
  translator: 1,
  'web-view': 1,
  'ad-blocker': 1,
  'third-party': 1,
}

const kinds = Object.keys(noiseKinds) as NoiseKind[]

/**
 * Returns the noise verdict on an issue: the most frequent kind (at a tie, the first of the table). All events of the
 * issue must be noise, and there must be enough. A single ordinary event removes the verdict. Counts that do not add up
 * give no verdict: some events predate the counters, or their counts are gone.
 */
export function verdictOf(counts: SignCounts, events: number): NoiseKind | undefined {
  let sum = 0
  let most: NoiseKind | undefined
  for (const kind of kinds) {
    const count = counts[kind] ?? 0
    sum += count
    if (count > (most === undefined ? 0 : (counts[most] ?? 0))) most = kind
  }
  return most !== undefined && sum === events && events >= leastEvents[most] ? most : undefined
}

/** Returns the inbound filter that drops such events; undefined if there is none or it would let some through. */
export function filterFor(kind: NoiseKind, counts: SignCounts): InboundFilter['id'] | undefined {
  if (counts.unfiltered) return undefined
  return kind === 'bot' || kind === 'localhost' || kind === 'extension' ? noiseFilters[kind] : undefined
}
