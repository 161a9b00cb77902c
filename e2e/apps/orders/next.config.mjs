import { withSentryConfig } from '@sentry/nextjs/config'

export default withSentryConfig(
  {
    typescript: { ignoreBuildErrors: true },
    // This build runs once, so skip work that only speeds up later builds.
    experimental: { turbopackFileSystemCacheForBuild: false },
    outputFileTracingExcludes: { '*': ['**/*'] },
  },
  { telemetry: false, sourcemaps: { disable: true }, release: { create: false } },
)
