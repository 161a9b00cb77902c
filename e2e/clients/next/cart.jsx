'use client'

import { useState } from 'react'

export default function Cart() {
  const [broken, setBroken] = useState(false)
  if (broken) throw new RangeError('plain failure')
  return (
    <button id="go" type="button" onClick={() => setBroken(true)}>
      Go
    </button>
  )
}
