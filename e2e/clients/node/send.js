import { begin, sendRest } from '../browser/send.js'

export const options = { dsn: process.env.DSN, release: 'clients@1.0.0', tracesSampleRate: 1, enableLogs: true }

function total(cart) {
  if (cart.length === 0) throw new RangeError('plain failure')
}

/** What a program sends beside the request that it answers. `Sentry` is the SDK, after `init`; `createServer` of node:http. */
export async function send(Sentry, createServer) {
  const { CLIENT: client } = process.env
  Sentry.startSession()
  begin(Sentry, client)
  // The SDK instruments node:http itself: a request is a segment.
  const server = createServer((_request, response) => response.end('a cart'))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  await (await fetch(`http://127.0.0.1:${server.address().port}/cart`)).text()
  server.close()
  try {
    total([])
  } catch (error) {
    Sentry.captureException(error)
  }
  sendRest(Sentry, client)
  Sentry.endSession()
  await Sentry.close(5000)
}
