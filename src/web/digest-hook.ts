import type { SnippetPart } from './platforms.ts'

/**
 * The lines that make digests sure, as people paste them. They are shown on a project's setup screen, scripts/docs.ts writes
 * them into docs/digests.md, and src/refine/kinds/error/joined.test.ts and the example in examples/shop run the first part as it stands.
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

/** Platforms whose browser may hide a server error behind a number: those of JavaScript, and what is not named. */
export const mayHideErrors = (platform: string | null): boolean =>
  platform === null || /^(?:javascript|node|other$)/.test(platform)

/** The parts with a project's DSN in its places. */
export const digestHookOf = (dsn: string): SnippetPart[] =>
  digestHook.map((part) => ({ ...part, code: part.code.replaceAll('__DSN__', dsn) }))
