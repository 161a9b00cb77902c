'use client'
import * as Sentry from '@sentry/nextjs'
import { useEffect } from 'react'

export default function SegmentError({ error }) {
  useEffect(() => {
    Sentry.captureException(error)
  }, [error])
  return (
    <>
      <p id="failed">This part of the shop is closed. Its number is {error.digest}.</p>
      <a href="/">Back to the shop</a>
    </>
  )
}
