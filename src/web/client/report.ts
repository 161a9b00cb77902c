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
function isStale(error: unknown): boolean {
  const name = error instanceof Error ? error.name : ''
  return name === 'ChunkLoadError' || name === 'UnrecognizedActionError'
}

/** Reloads the page once for a stale error. Returns false if the error screen must show it. */
export function reloadOnce(error: unknown): boolean {
  if (!isStale(error)) return false
  const key = `chunk-reloaded:${location.pathname}`
  if (sessionStorage.getItem(key)) {
    sessionStorage.removeItem(key)
    return false
  }
  sessionStorage.setItem(key, '1')
  location.reload()
  return true
}

/** Call when the page has rendered: the next stale error may reload again. */
export function markStarted(): void {
  sessionStorage.removeItem(`chunk-reloaded:${location.pathname}`)
}
