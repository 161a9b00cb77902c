import { createServer } from 'node:http'
import * as Sentry from '@sentry/node'
import { begin, sendRest } from '../browser/send.js'

const { DSN: dsn, CLIENT: client } = process.env
Sentry.init({ dsn, release: 'clients@1.0.0', tracesSampleRate: 1, enableLogs: true })
Sentry.startSession()
begin(Sentry, client)

// The SDK instruments node:http itself: a request is a segment.
const server = createServer((_request, response) => response.end('a cart'))
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
await (await fetch(`http://127.0.0.1:${server.address().port}/cart`)).text()
server.close()

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
