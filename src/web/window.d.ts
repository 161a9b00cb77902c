/** What the inline boot script, the pages and the error reporter leave for each other before any module is loaded. */
type MishapWindow = {
  hydrated?: boolean
  /** Errors that happened before the reporter was there: [error, where]. */
  errors?: [unknown, string][]
  report?: (error: unknown, where: string) => void
  navigation?: { target: string | undefined }
}

interface Window {
  mishap?: MishapWindow
}
