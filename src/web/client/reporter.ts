import { browserTracingIntegration, captureException, init, makeFetchTransport, withScope } from '@sentry/browser'
import { patientTransport } from './reporter-transport.ts'

/** The project's DSN under the address that this page was opened with: the Content-Security-Policy allows no other origin. */
export function dsnHere(dsn: string, origin: string): string | undefined {
  if (!URL.canParse(dsn) || !URL.canParse(origin)) return undefined
  const { username, pathname } = new URL(dsn)
  const { protocol, host } = new URL(origin)
  return username ? `${protocol}//${username}@${host}${pathname}` : undefined
}

/** Starts the official SDK for our own errors, page loads and navigations, and hands over what happened before. Does nothing when switched off. */
export function startReporter(): void {
  const dsn = dsnHere(window.mishap?.dsn ?? '', location.origin)
  if (!dsn) return
  init({
    dsn,
    release: `mishap@${window.mishap?.version ?? ''}`,
    environment: 'production',
    maxBreadcrumbs: 100,
    tracesSampleRate: 1,
    traceLifecycle: 'static',
    transport: (options) => patientTransport(makeFetchTransport(options)),
    integrations: (usual) => [
      // Sessions are not stored yet: the ledger would only count them as skipped.
      ...usual.filter(({ name }) => name !== 'BrowserSession'),
      browserTracingIntegration({ idleTimeout: 1000, finalTimeout: 30_000, childSpanTimeout: 5000 }),
    ],
  })
  const report = (error: unknown, where: string) =>
    withScope((scope) => {
      const digest = (error as { digest?: unknown } | null)?.digest
      if (typeof digest === 'string') scope.setTag('digest', digest)
      scope.setTag('boundary', where)
      captureException(error, { mechanism: { type: 'react.boundary', handled: false } })
    })
  const early = window.mishap?.errors ?? []
  window.mishap = { ...window.mishap, errors: [], report }
  for (const [error, where] of early) report(error, where)
}
