import * as Sentry from '@sentry/nextjs'
import { begin, sendRest, sent } from './send.js'

const asked = new URLSearchParams(location.search)
const client = asked.get('client')
Sentry.init({
  dsn: asked.get('dsn'),
  release: 'clients@1.0.0',
  tracesSampleRate: 1,
  enableLogs: true,
  // The page closes soon.
  integrations: [Sentry.browserTracingIntegration({ idleTimeout: 100 })],
})
begin(Sentry, client)
window.sendRest = () => {
  sendRest(Sentry, client)
  return sent(Sentry)
}

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart
