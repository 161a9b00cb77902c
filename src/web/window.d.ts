/** Data that the inline boot script, the pages and the error reporter share before any module is loaded. */
type MishapWindow = {
  hydrated?: boolean
  /** DSN of Mishap's own project; '' if reporting is off. */
  dsn?: string
  version?: string
  /** Whether this page may send traces of itself. */
  mayTrace?: boolean
  /** Errors from before the reporter was loaded: [error, where]. */
  errors?: [unknown, string][]
  /** Form controls that a person changed before the page's scripts ran. */
  early?: Map<unknown, string>
  report?: (error: unknown, where: string) => void
  /** Loads the reporter now, because there is an error to report. */
  loadReporter?: () => void
  /** The target of the current navigation, the number of requests without a response, and whether the page waits. */
  navigation?: { target: string | undefined; running: number; pending: import('./client/pending.ts').Pending }
  /** The connection status of this page. */
  connection?: import('./client/connection.ts').Connection
}

interface Navigator {
  /** Missing in some browsers. */
  readonly connection?: { readonly saveData?: boolean }
}

interface Window {
  mishap?: MishapWindow
}
