/** The lists that have saved views. */
export const viewScopes = ['issues', 'traces', 'logs'] as const
export type ViewScope = (typeof viewScopes)[number]

/** Orders of the list of traces; the list of spans has the same with `spans.` before them. */
const traceSorts = ['newest', 'slowest', 'fastest'] as const
export const viewSorts: Readonly<Record<ViewScope, readonly string[]>> = {
  issues: ['date', 'new', 'freq', 'user'],
  /** What the screen of logs shows. */
  logs: ['lines', 'patterns'],
  traces: [...traceSorts, ...traceSorts.map((sort) => `spans.${sort}`)],
}

/** Columns and facets of a view, and characters of one. They are in the address of the list, so a name has no comma. */
export const viewColumnsMax = 6
export const viewFacetsMax = 5
export const columnCharactersMax = 200
export const isColumnName = (name: string): boolean =>
  name !== '' && name.length <= columnCharactersMax && !name.includes(',')

/** Lists whose readers choose columns and facets. */
export const hasColumns = (scope: ViewScope): boolean => scope === 'logs'

/** Lists that a reader's default view opens. The list of issues opens with no view. */
export const opensWithView = (scope: ViewScope): boolean => scope !== 'issues'
