import * as Sentry from '@sentry/browser'
import { checkout } from './checkout.js'

Sentry.init({ dsn: new URLSearchParams(location.search).get('dsn') })
// Used twice, so that no bundler makes it a part of its caller.
globalThis.checkout = checkout
document.querySelector('#go').addEventListener('click', () => {
  document.title = `${checkout([])}`
})
