import type { RestArrivals } from '../../../../../../../contract/projects.ts'
import type { PlatformSetup } from '../../../../../../platforms/snippet.ts'

type Item = RestArrivals['items'][number]
type Readable = PlatformSetup['readable']

/** A kind of data, and whether it arrives. `text` names the sentence for it, in the messages `arrivals.<id>`. */
export type Kind = {
  id: 'connection' | 'errors' | 'stack' | 'sessions' | 'traces' | 'logs' | 'metrics' | 'release'
  state: 'waiting' | 'ok' | 'warning' | 'rejected'
  text: 'waiting' | 'ok' | 'rejected' | 'minified' | 'native'
  /** Items of the last one to two hours that the state is about. */
  quantity?: number
}
export type ArrivalRow = { key: string; itemType: string; category: string; quantity: number; sentence: string }

const badOutcomes = new Set(['invalid', 'rate_limited', 'dead', 'filtered'])

/** Reasons of items that this version does not store, however well they are formed. */
const notStoredReasons: ReadonlySet<string> = new Set(['not_stored_yet', 'unsupported'])

const isRefused = (item: Item): boolean => badOutcomes.has(item.outcome) && !notStoredReasons.has(item.reason)

const sumOf = (items: readonly Item[]): number => items.reduce((sum, item) => sum + item.quantity, 0)

/** Items of a kind: refused ones are more urgent than stored ones, because they can be mended. */
function itemsKind(
  id: 'errors' | 'sessions' | 'traces' | 'logs' | 'metrics',
  items: readonly Item[],
  hasOlder: boolean,
): Kind {
  const refused = sumOf(items.filter(isRefused))
  const stored = sumOf(items.filter((item) => item.outcome === 'stored' || item.outcome === 'duplicate'))
  if (refused > 0) return { id, state: stored > 0 ? 'warning' : 'rejected', text: 'rejected', quantity: refused }
  if (stored > 0) return { id, state: 'ok', text: 'ok', quantity: stored }
  return hasOlder ? { id, state: 'ok', text: 'ok' } : { id, state: 'waiting', text: 'waiting' }
}

function stackKind(arrivals: RestArrivals | undefined, readable: Readable): Kind {
  const id = 'stack'
  if (!arrivals?.firstEvent) return { id, state: 'waiting', text: 'waiting' }
  if (readable === 'native') return { id, state: 'warning', text: 'native' }
  if (readable === 'source-maps' && arrivals.missesMaps) return { id, state: 'warning', text: 'minified' }
  return { id, state: 'ok', text: 'ok' }
}

/** The kinds of data that Mishap stores, with their true state. */
export function kindsOf(arrivals: RestArrivals | undefined, readable: Readable): Kind[] {
  const items = arrivals?.items ?? []
  const isSeen = arrivals?.connection != null || arrivals?.firstEvent != null || items.length > 0
  const flag = (id: 'connection' | 'release', is: boolean): Kind =>
    is ? { id, state: 'ok', text: 'ok' } : { id, state: 'waiting', text: 'waiting' }
  return [
    flag('connection', isSeen),
    itemsKind(
      'errors',
      items.filter((item) => item.category === 'error' || item.category === 'default'),
      arrivals?.firstEvent != null,
    ),
    stackKind(arrivals, readable),
    itemsKind(
      'sessions',
      items.filter((item) => item.category === 'session'),
      false,
    ),
    itemsKind(
      'traces',
      items.filter((item) => item.category === 'span' || item.category === 'transaction'),
      false,
    ),
    itemsKind(
      'logs',
      items.filter((item) => item.category === 'log_item'),
      false,
    ),
    itemsKind(
      'metrics',
      items.filter((item) => item.category === 'trace_metric'),
      false,
    ),
    flag('release', arrivals?.newestRelease != null),
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
    if (notStoredReasons.has(item.reason)) notStored.push(row)
    else if (isRefused(item)) refused.push(row)
  }
  return { refused, notStored }
}
