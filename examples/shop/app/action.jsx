'use client'
import { sell } from './actions.js'

export function Action() {
  return (
    <button
      id="action"
      type="button"
      onClick={async () => {
        await sell('teapot')
      }}
    >
      Sell a teapot
    </button>
  )
}
