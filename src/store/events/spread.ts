/** Candidates for the kept events of an issue: a few from each hundredth of its time. */
export type SpreadEvent = { us: number; id: string }
export type SpreadBucket = { bucket: number; events: SpreadEvent[] }

/** Events between first and latest that an issue always keeps (docs/specification.md 9). */
const spreadCount = 20
/** Limit of events that an issue keeps: its first, its latest and those between. */
export const retainedMax = spreadCount + 2
/** Five buckets per twentieth of the time. 22 events per bucket give 22 in total whenever the issue has 22. */
export const bucketsOf = { count: 5 * spreadCount, eachMax: retainedMax } as const

/**
 * Returns the ids of the kept events: the first, the latest (`lastId`) and 20 between. The earliest of each twentieth
 * of the time is taken. If some are missing (an issue with bursts), the rest is taken evenly from the others. `buckets`
 * and their events are in time order.
 */
export function spreadOf(buckets: readonly SpreadBucket[], lastId: string): string[] {
  const all = buckets.flatMap(({ bucket, events }) =>
    events.map(({ id }) => ({ id, twentieth: Math.floor((bucket * spreadCount) / bucketsOf.count) })),
  )
  const firstId = all[0]?.id
  if (firstId === undefined) return []
  const retained = new Set([firstId, lastId])
  const between = all.filter(({ id }) => !retained.has(id))
  const chosen = new Set<string>()
  const chosenIds = new Set<number>()
  for (const { id, twentieth } of between) {
    if (chosenIds.has(twentieth) || chosen.size >= spreadCount) continue
    chosenIds.add(twentieth)
    chosen.add(id)
  }
  const rest = between.filter(({ id }) => !chosen.has(id))
  const missing = Math.min(spreadCount - chosen.size, rest.length)
  for (let at = 0; at < missing; at++) {
    const item = rest[Math.floor((at * rest.length) / missing)]
    if (item) chosen.add(item.id)
  }
  return [...retained, ...chosen]
}
