/** What of an issue's events is looked at to choose those that are kept: hundredths of its time, a few of each. */
export type SpreadEvent = { us: number; id: string }
export type SpreadBucket = { bucket: number; events: SpreadEvent[] }

/** Events between the first and the latest that an issue always keeps (docs/specification.md 9). */
const spreadCount = 20
/** Events that an issue keeps at most: its first, its latest and those between. */
export const keptMax = spreadCount + 2
/** Five looks into each twentieth of the time; with 22 of each bucket, 22 in all are found wherever there are as many. */
export const bucketsOf = { count: 5 * spreadCount, eachMax: keptMax } as const

/**
 * Ids of the events that are kept: the first, the latest (`lastId`) and 20 between them. Of each twentieth of the time
 * the earliest is taken; what is missing then (an issue that came in bursts) is taken evenly from the others. `buckets`
 * stand in the order of time, and so do their events.
 */
export function spreadOf(buckets: readonly SpreadBucket[], lastId: string): string[] {
  const all = buckets.flatMap(({ bucket, events }) =>
    events.map(({ id }) => ({ id, twentieth: Math.floor((bucket * spreadCount) / bucketsOf.count) })),
  )
  const firstId = all[0]?.id
  if (firstId === undefined) return []
  const kept = new Set([firstId, lastId])
  const between = all.filter(({ id }) => !kept.has(id))
  const chosen = new Set<string>()
  const taken = new Set<number>()
  for (const { id, twentieth } of between) {
    if (taken.has(twentieth) || chosen.size >= spreadCount) continue
    taken.add(twentieth)
    chosen.add(id)
  }
  const rest = between.filter(({ id }) => !chosen.has(id))
  const missing = Math.min(spreadCount - chosen.size, rest.length)
  for (let at = 0; at < missing; at++) {
    const item = rest[Math.floor((at * rest.length) / missing)]
    if (item) chosen.add(item.id)
  }
  return [...kept, ...chosen]
}
