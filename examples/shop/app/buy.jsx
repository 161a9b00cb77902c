'use client'

import { checkout } from './checkout.js'

// Used twice, so that no bundler makes it a part of its caller.
globalThis.checkout = checkout

export function Buy() {
  return (
    <button
      id="go"
      type="button"
      onClick={() => {
        document.title = `${checkout([])}`
      }}
    >
      Buy
    </button>
  )
}
