'use client'
import '../styles/app.css'
import { codeFont, textFont } from '../fonts.ts'
import { ErrorScreen, type PageError } from '../ui/error-screen.tsx'

/** Shown if the root layout failed. */
export default function GlobalErrorPage({ error, reset }: { error: PageError; reset: () => void }) {
  return (
    <html lang="en" className={`${textFont.variable} ${codeFont.variable}`}>
      <head>
        <title>Application error</title>
      </head>
      <body>
        <ErrorScreen error={error} retry={error.digest ? () => location.reload() : reset} where="global-error.tsx" />
      </body>
    </html>
  )
}
