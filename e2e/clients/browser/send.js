/** What every client in JavaScript sends beside an error that nobody catches. `Sentry` is the SDK's own module. */
export function begin(Sentry, client) {
  Sentry.setUser({ id: 'u-7' })
  Sentry.setTag('client', client)
  Sentry.addBreadcrumb({ category: 'cart', message: 'added to cart' })
}

function inner() {
  throw new TypeError('inner failure')
}

/** Chain, message, span, log and check-in, as far as this SDK has them. */
export function sendRest(Sentry, client) {
  try {
    inner()
  } catch (cause) {
    Sentry.captureException(new Error('outer failure', { cause }))
  }
  Sentry.captureMessage(`hello from ${client}`)
  Sentry.startSpan({ name: 'checkout', op: 'task', forceTransaction: true }, () => undefined)
  Sentry.logger?.info('cart is empty')
  Sentry.captureCheckIn?.({ monitorSlug: 'nightly', status: 'ok' })
}

/** What a page tells the test: everything was sent. */
export const sent = async (Sentry) => {
  await new Promise((resolve) => setTimeout(resolve, 500))
  return Sentry.flush(5000)
}
