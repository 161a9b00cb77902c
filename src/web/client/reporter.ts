import { browserTracingIntegration, captureException, init, makeFetchTransport, withScope } from '@sentry/browser'
import { deferringTransport } from './reporter-transport.ts'
import { traceBudget } from './trace-budget.ts'

/** The project's DSN on this page's origin: the Content-Security-Policy allows no other. */
export function dsnHere(dsn: string, origin: string): string | undefined {
  if (!URL.canParse(dsn) || !URL.canParse(origin)) return undefined
  const { username, pathname } = new URL(dsn)
  const { protocol, host } = new URL(origin)
  return username ? `${protocol}//${username}@${host}${pathname}` : undefined
}

/** Starts the SDK for Mishap's own errors, and for traces if this page has a permit. Reports early errors. No-op without a DSN. */
export function startReporter(): void {
  const dsn = dsnHere(window.mishap?.dsn ?? '', location.origin)
  if (!dsn) return
  const budget = traceBudget(window.mishap?.mayTrace === true)
  init({
    dsn,
    release: `mishap@${window.mishap?.version ?? ''}`,
    environment: 'production',
    maxBreadcrumbs: 100,
    tracesSampler: budget.sample,
    beforeSendTransaction: budget.cut,
    traceLifecycle: 'static',
    transport: (options) => deferringTransport(makeFetchTransport(options)),
    integrations: (usual) => [
      // Leave out session updates of Mishap's own screens.
      ...usual.filter(({ name }) => name !== 'BrowserSession'),
      browserTracingIntegration({ idleTimeout: 1000, finalTimeout: 30_000, childSpanTimeout: 5000, enableInp: false }),
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
