/** What the inline boot script, the pages and the error reporter leave for each other before any module is loaded. */
type MishapWindow = {
  hydrated?: boolean
  /** Of the own project, '' where nothing is reported. */
  dsn?: string
  version?: string
  /** Errors that happened before the reporter was there: [error, where]. */
  errors?: [unknown, string][]
  /** Controls of forms that a person changed before the page's scripts ran. */
  early?: Map<unknown, string>
  report?: (error: unknown, where: string) => void
  /** Asks for the reporter at once: there is something to report. */
  loadReporter?: () => void
  /** The address that a navigation goes to, and the requests that have no answer yet. */
  navigation?: { target: string | undefined; running: number }
  /** Whether Mishap answers. */
  connection?: import('./client/connection.ts').Connection
}

interface Navigator {
  /** Not in every browser. */
  readonly connection?: { readonly saveData?: boolean }
}

interface Window {
  mishap?: MishapWindow
}
