import { type NoiseKind, noiseKinds } from './diagnostics.ts'
import type { InboundFilter } from './filters.ts'

/**
 * What is counted of the events of an issue and of each of its hashes: noise by its kind, those of it that the filter of
 * their kind would let through (`unfiltered`), and what an old tab ran into (`skew`).
 */
export type SignKey = NoiseKind | 'unfiltered' | 'skew'
export type SignCounts = Partial<Record<SignKey, number>>

/** The inbound filter that drops noise of a kind; the others have none, as only the event with its frames says what they are. */
export const noiseFilters = {
  bot: 'web-crawlers',
  localhost: 'localhost',
  extension: 'browser-extensions',
} as const satisfies Partial<Record<NoiseKind, InboundFilter['id']>>

/**
 * Events from which on an issue is said to be noise. Who ran the page says less of an error than what threw it: a mistake of
 * the team's own may be met by a crawler, or by a colleague, before anybody else.
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
 * What an issue is as a whole: noise of the kind that most of its events have (of two the first of the table), if each event
 * that it ever had is noise and there are enough of them. One of the team's own takes it away. Numbers that do not agree to
 * the event give no verdict: then some were counted before signs were, or their counts have gone.
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

/** The inbound filter that drops events like those of an issue; undefined where none does, or it would let some through. */
export function filterFor(kind: NoiseKind, counts: SignCounts): InboundFilter['id'] | undefined {
  if (counts.unfiltered) return undefined
  return kind === 'bot' || kind === 'localhost' || kind === 'extension' ? noiseFilters[kind] : undefined
}
