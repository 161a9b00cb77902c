import * as Sentry from '@sentry/node'
import { begin, sendRest } from '../browser/send.js'

const { DSN: dsn, CLIENT: client } = process.env
Sentry.init({ dsn, release: 'clients@1.0.0', tracesSampleRate: 1, enableLogs: true })
Sentry.startSession()
begin(Sentry, client)

function total(cart) {
  if (cart.length === 0) throw new RangeError('plain failure')
}
try {
  total([])
} catch (error) {
  Sentry.captureException(error)
}
sendRest(Sentry, client)
Sentry.endSession()
await Sentry.close(5000)
