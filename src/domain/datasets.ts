/** What a plan can ask about. Constants of plans, also for the browser. */
export const datasets = ['errors', 'spans', 'logs', 'metrics', 'outcomes'] as const
export type Dataset = (typeof datasets)[number]

/** Limits of one plan. Each column and series is read in one pass, so they are few. */
export const planLimits = { columns: 40, groups: 5, series: 10, formulas: 10, rows: 10_000, buckets: 2000 } as const
