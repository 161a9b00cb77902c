/** Errors that a boundary caught never reach the window: hand them to the reporter, or keep them until it is loaded. */
export function report(error: unknown, where: string): void {
  const here = window.mishap
  if (here?.report) here.report(error, where)
  else {
    window.mishap = { ...here, errors: [...(here?.errors ?? []), [error, where]] }
    here?.loadReporter?.()
  }
}

/** A chunk that cannot be loaded (Turbopack has asked twice), or a server action that a new deployment no longer knows. */
function isStale(error: unknown): boolean {
  const name = error instanceof Error ? error.name : ''
  return name === 'ChunkLoadError' || name === 'UnrecognizedActionError'
}

/** Reloads the page once for a stale error; false when the error screen must say it (no such error, or it was tried). */
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

/** The page came up: the next stale error may reload again. */
export function cameUp(): void {
  sessionStorage.removeItem(`chunk-reloaded:${location.pathname}`)
}
