/** The lists that have saved views. */
export const viewScopes = ['issues', 'traces'] as const
export type ViewScope = (typeof viewScopes)[number]

/** Orders of the list of traces; the list of spans has the same with `spans.` before them. */
const traceSorts = ['newest', 'slowest', 'fastest'] as const
export const viewSorts: Readonly<Record<ViewScope, readonly string[]>> = {
  issues: ['date', 'new', 'freq', 'user'],
  traces: [...traceSorts, ...traceSorts.map((sort) => `spans.${sort}`)],
}
