'use client'
import '../styles/app.css'
import { codeFont, textFont } from '../fonts.ts'
import { type Broken, BrokenScreen } from '../ui/broken.tsx'

/** Shown when the frame itself broke. */
export default function GlobalErrorPage({ error, reset }: { error: Broken; reset: () => void }) {
  return (
    <html lang="en" className={`${textFont.variable} ${codeFont.variable}`}>
      <head>
        <title>Application error</title>
      </head>
      <body>
        <BrokenScreen error={error} retry={error.digest ? () => location.reload() : reset} where="global-error.tsx" />
      </body>
    </html>
  )
}
