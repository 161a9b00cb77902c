import * as Sentry from '@sentry/browser'
import { checkout } from './checkout.js'

Sentry.init({ dsn: new URLSearchParams(location.search).get('dsn') })
// A second use keeps bundlers from inlining the function.
globalThis.checkout = checkout
document.querySelector('#go').addEventListener('click', () => {
  document.title = `${checkout([])}`
})
