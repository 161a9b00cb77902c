/** What a loader script would switch on. This server has none and only keeps the options (docs/sdk.md). */
export const loaderOptionNames = [
  'hasReplay',
  'hasPerformance',
  'hasDebug',
  'hasFeedback',
  'hasLogsAndMetrics',
] as const
export type RestLoaderOptions = Record<(typeof loaderOptionNames)[number], boolean>

export type RestKey = {
  id: string
  name: string
  label: string
  public: string
  secret: string
  projectId: number
  isActive: boolean
  rateLimit: { window: number; count: number } | null
  revision: number
  dateCreated: string
  lastUsed: string | null
  dsn: {
    public: string
    secret: string
    csp: string
    security: string
    minidump: string
    nel: string
    unreal: string
    playstation: string
    crons: string
    cdn: string
    otlp_traces: string
    otlp_logs: string
    integration: string
  }
  browserSdkVersion: string
  dynamicSdkLoaderOptions: RestLoaderOptions
}
