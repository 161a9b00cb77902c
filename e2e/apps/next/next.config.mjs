import { withSentryConfig } from '@sentry/nextjs/config'

export default withSentryConfig(
  {},
  {
    telemetry: false,
    buildTimeInstrumentation: false,
    release: { setCommits: false },
    sourcemaps: { deleteSourcemapsAfterUpload: true },
  },
)
