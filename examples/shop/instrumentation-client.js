import * as Sentry from '@sentry/nextjs'
import { withDigest } from './digest'

Sentry.init({
  dsn: process.env.NEXT_PUBLIC_SENTRY_DSN,
  tunnel: process.env.NEXT_PUBLIC_TUNNEL,
  beforeSend: withDigest,
})

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart
