/** Sets user, tag and breadcrumb, which every JavaScript client sends with its errors. `Sentry` is the SDK module. */
export function begin(Sentry, client) {
  Sentry.setUser({ id: 'u-7' })
  Sentry.setTag('client', client)
  Sentry.addBreadcrumb({ category: 'cart', message: 'added to cart' })
}

function inner() {
  throw new TypeError('inner failure')
}

/** Sends a chain, message, span, log and check-in, if this SDK supports them. */
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

/** Flushes the SDK. A page tells the test the result. */
export const sent = async (Sentry) => {
  await new Promise((resolve) => setTimeout(resolve, 500))
  return Sentry.flush(5000)
}
