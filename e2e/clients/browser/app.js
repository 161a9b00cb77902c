// One program for all versions of the browser SDK. The test decides which version `@sentry/browser` resolves to.
import * as Sentry from '@sentry/browser'
import { begin, sendRest, sent } from './send.js'

const asked = new URLSearchParams(location.search)
const client = asked.get('client')
Sentry.addTracingExtensions?.() // version 7 only
Sentry.init({
  dsn: asked.get('dsn'),
  release: 'clients@1.0.0',
  tracesSampleRate: 1,
  integrations: [Sentry.browserTracingIntegration({ idleTimeout: 100 })],
  enableLogs: true,
  _experiments: { enableLogs: true }, // version 9
})
begin(Sentry, client)
document.querySelector('#go').addEventListener('click', () => {
  throw new RangeError('plain failure')
})
window.sendRest = () => {
  sendRest(Sentry, client)
  return sent(Sentry)
}
