import { withSentryConfig } from '@sentry/nextjs/config'

export default withSentryConfig(
  {
    typescript: { ignoreBuildErrors: true },
    // a build for one run: what only pays for the next one is left out
    experimental: { turbopackFileSystemCacheForBuild: false },
    outputFileTracingExcludes: { '*': ['**/*'] },
  },
  { telemetry: false, sourcemaps: { disable: true }, release: { create: false } },
)
