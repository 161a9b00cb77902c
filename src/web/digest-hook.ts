import type { SnippetPart } from './platforms/snippet.ts'

/**
 * The code that makes digests certain, for people to paste. The setup screen of a project shows it, and scripts/docs.ts
 * writes it to docs/digests.md. src/refine/kinds/error/joined.test.ts and examples/shop run the first part unchanged.
 */
export const digestHook: readonly SnippetPart[] = [
  {
    where: 'digest.ts',
    code: `import type { ErrorEvent, EventHint } from '@sentry/nextjs'

/** Says which server error an event is, or hides. */
export function withDigest(event: ErrorEvent, hint: EventHint): ErrorEvent {
  const { digest } = Object(hint.originalException) as { digest?: unknown }
  if (typeof digest === 'string') event.tags = { ...event.tags, digest }
  return event
}`,
  },
  {
    where: 'instrumentation-client.ts',
    code: `import * as Sentry from '@sentry/nextjs'
import { withDigest } from './digest'

Sentry.init({ dsn: '__DSN__', beforeSend: withDigest })

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart`,
  },
  {
    where: 'instrumentation.ts',
    code: `import * as Sentry from '@sentry/nextjs'
import { withDigest } from './digest'

export function register() {
  Sentry.init({ dsn: '__DSN__', beforeSend: withDigest })
}

export const onRequestError = Sentry.captureRequestError`,
  },
  {
    where: 'app/error.tsx',
    code: `'use client'
import * as Sentry from '@sentry/nextjs'
import { useEffect } from 'react'

type Props = { error: Error & { digest?: string }; reset: () => void }

/** What a boundary caught raises no error event in the browser: it is reported here. */
export default function ErrorScreen({ error, reset }: Props) {
  useEffect(() => {
    Sentry.captureException(error)
  }, [error])
  return (
    <main>
      <h1>Something went wrong</h1>
      {error.digest ? <p>Digest: {error.digest}</p> : null}
      <button type="button" onClick={reset}>
        Try again
      </button>
    </main>
  )
}`,
  },
]

/** Platforms whose browser errors can hide a server error behind a digest: Next.js and React. */
export const mayHideErrors = (platform: string | null): boolean =>
  platform === 'javascript-nextjs' || platform === 'javascript-react'

/** The code with the project's DSN. */
export const digestHookOf = (dsn: string): SnippetPart[] =>
  digestHook.map((part) => ({ ...part, code: part.code.replaceAll('__DSN__', dsn) }))
