'use client'
import * as Sentry from '@sentry/nextjs'
import { useEffect } from 'react'

export default function GlobalError({ error }) {
  useEffect(() => {
    Sentry.captureException(error)
  }, [error])
  return (
    <html lang="en">
      <body>
        <h1>Something went wrong</h1>
        <p id="failed">{error.digest ? `Its number is ${error.digest}.` : 'It has been reported.'}</p>
        <a href="/">Back to the shop</a>
      </body>
    </html>
  )
}
