import type { RestArrivals } from '../../../../../../../contract/projects.ts'

export type Step = { id: 'connection' | 'accepted' | 'grouped'; state: 'waiting' | 'done' | 'refused' }
export type ArrivalRow = { key: string; itemType: string; category: string; quantity: number; sentence: string }

const badOutcomes = new Set(['invalid', 'rate_limited', 'dead', 'filtered'])

/** The three steps to the first event: connection seen, envelope accepted, event grouped. */
export function stepsOf(arrivals: RestArrivals | undefined): Step[] {
  const items = arrivals?.items ?? []
  const stored = arrivals?.firstEvent != null || items.some((item) => item.outcome === 'stored')
  const counted = items.some((item) => item.reason === 'not_stored_yet' || item.outcome === 'duplicate')
  const refused = items.some((item) => badOutcomes.has(item.outcome) && item.reason !== 'not_stored_yet')
  const seen = arrivals?.connection != null || items.length > 0 || stored
  const accepted = stored || counted
  return [
    { id: 'connection', state: seen ? 'done' : 'waiting' },
    { id: 'accepted', state: accepted ? 'done' : refused ? 'refused' : 'waiting' },
    { id: 'grouped', state: arrivals?.newestIssue || arrivals?.firstEvent ? 'done' : 'waiting' },
  ]
}

/** Rejected items, and items without storage support. Stored items have no row. */
export function arrivalRows(arrivals: RestArrivals | undefined): { refused: ArrivalRow[]; notStored: ArrivalRow[] } {
  const refused: ArrivalRow[] = []
  const notStored: ArrivalRow[] = []
  for (const item of arrivals?.items ?? []) {
    const row = {
      key: `${item.itemType}:${item.category}:${item.outcome}:${item.reason}`,
      itemType: item.itemType || item.category,
      category: item.category,
      quantity: item.quantity,
      sentence: item.sentence,
    }
    if (item.reason === 'not_stored_yet') notStored.push(row)
    else if (badOutcomes.has(item.outcome)) refused.push(row)
  }
  return { refused, notStored }
}
