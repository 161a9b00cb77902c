import { withSentryConfig } from '@sentry/nextjs/config'

export default withSentryConfig(
  { typescript: { ignoreBuildErrors: true } },
  {
    telemetry: false,
    buildTimeInstrumentation: false,
    release: { setCommits: false },
    sourcemaps: { deleteSourcemapsAfterUpload: true },
    _experimental: { thirdPartyOriginStackFrames: true },
  },
)
