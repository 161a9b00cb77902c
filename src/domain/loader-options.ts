/** Options of a loader script. This server has no such script and only stores the options (docs/sdk.md). */
export const loaderOptionNames = [
  'hasReplay',
  'hasPerformance',
  'hasDebug',
  'hasFeedback',
  'hasLogsAndMetrics',
] as const
