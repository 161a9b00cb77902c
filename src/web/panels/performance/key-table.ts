import { routeKeyOf, routeKeys, routeMistakes } from '../../../query/performance/route-search.ts'
import type { KeyTable } from '../search/complete.ts'

/** The keys of the search box over routes. Routes have no tags, so every other name is a mistake. */
export const routeKeyTable: KeyTable = {
  offered: routeKeys,
  keyOf: routeKeyOf,
  dataset: 'routes',
  words: 'performance',
  closed: { mistakesOf: routeMistakes },
}
