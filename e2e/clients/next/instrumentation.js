import * as Sentry from '@sentry/nextjs'

export function register() {
  Sentry.init({ dsn: process.env.DSN, release: 'clients@1.0.0', tracesSampleRate: 1 })
}

export const onRequestError = Sentry.captureRequestError
