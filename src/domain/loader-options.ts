/** What a loader script would switch on. This server has no such script and only keeps the options (docs/sdk.md). */
export const loaderOptionNames = [
  'hasReplay',
  'hasPerformance',
  'hasDebug',
  'hasFeedback',
  'hasLogsAndMetrics',
] as const
