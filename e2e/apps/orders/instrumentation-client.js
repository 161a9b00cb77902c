import * as Sentry from '@sentry/nextjs'

Sentry.init({
  dsn: process.env.NEXT_PUBLIC_DSN,
  release: 'orders@2.0.0',
  environment: 'production',
  tracesSampleRate: 1,
})

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart
