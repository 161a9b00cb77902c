import * as Sentry from '@sentry/nextjs'
import { withDigest } from './digest'

export function register() {
  Sentry.init({
    dsn: process.env.NEXT_PUBLIC_SENTRY_DSN,
    beforeSend: withDigest,
  })
}

export const onRequestError = Sentry.captureRequestError
