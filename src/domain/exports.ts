/** Formats and states of exports, also for the browser. */
export const exportFormats = ['csv', 'jsonl', 'parquet'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const exportStates = ['waiting', 'running', 'done', 'failed', 'canceled', 'expired'] as const
export type ExportState = (typeof exportStates)[number]
