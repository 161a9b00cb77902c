'use client'
import * as Sentry from '@sentry/nextjs'
import { useEffect } from 'react'

export default function GlobalError({ error }) {
  useEffect(() => void Sentry.captureException(error), [error])
  return (
    <html lang="en">
      <body>
        <p>Something went wrong</p>
      </body>
    </html>
  )
}
