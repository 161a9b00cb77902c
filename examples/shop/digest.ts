import type { ErrorEvent, EventHint } from '@sentry/nextjs'

/** Says which server error an event is, or hides. */
export function withDigest(event: ErrorEvent, hint: EventHint): ErrorEvent {
  const { digest } = Object(hint.originalException) as { digest?: unknown }
  if (typeof digest === 'string') event.tags = { ...event.tags, digest }
  return event
}
