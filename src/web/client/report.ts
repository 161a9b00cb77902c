import { isChunkError, whenAnswers } from './connection.ts'

/** Reports an error that a boundary caught, which never reaches the window. Queues it until the reporter is loaded. */
export function report(error: unknown, where: string): void {
  const pageState = window.mishap
  if (pageState?.report) pageState.report(error, where)
  else {
    window.mishap = { ...pageState, errors: [...(pageState?.errors ?? []), [error, where]] }
    pageState?.loadReporter?.()
  }
}

/** A chunk that failed to load (Turbopack retried it), or a server action of an older deployment. */
const isStale = (error: unknown): boolean =>
  isChunkError(error) || (error instanceof Error && error.name === 'UnrecognizedActionError')

/**
 * Reloads the page once for a stale error, as soon as Mishap answers: without a network the browser would show its own
 * error page, which stays. Returns false if the error screen must show the error.
 */
export function reloadOnce(error: unknown): boolean {
  if (!isStale(error)) return false
  const key = `chunk-reloaded:${location.pathname}`
  if (sessionStorage.getItem(key)) {
    sessionStorage.removeItem(key)
    return false
  }
  sessionStorage.setItem(key, '1')
  const connection = window.mishap?.connection
  if (connection) void whenAnswers(connection).then(() => location.reload())
  else location.reload()
  return true
}

/** Call when the page has rendered: the next stale error may reload again. */
export function markStarted(): void {
  sessionStorage.removeItem(`chunk-reloaded:${location.pathname}`)
}
