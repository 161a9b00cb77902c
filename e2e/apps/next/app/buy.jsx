'use client'

import { checkout } from './checkout.js'

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
