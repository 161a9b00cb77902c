import type { makeFetchTransport } from '@sentry/browser'
import { whenIdle } from './when-idle.ts'

export type Transport = ReturnType<typeof makeFetchTransport>
type Envelope = Parameters<Transport['send']>[0]
type Answer = Awaited<ReturnType<Transport['send']>>

/** The page functions that the transport uses. Tests pass their own. */
type TransportEnvironment = {
  /** Calls `run` when the page has been idle for some seconds. Returns a function that cancels it. */
  whenIdle(run: () => void): () => void
  /** Whether the page is hidden: the browser can discard it at any moment. */
  isHidden(): boolean
  /** Calls `run` each time the page is hidden or left. */
  onHide(run: () => void): void
}

/** Maximum envelopes to delay; above it all are sent at once. */
const pendingMax = 30
/** Item types that can be delayed: measurements and counts. Errors never are. */
const deferrableTypes = ['transaction', 'span', 'client_report', 'session', 'sessions', 'trace_metric']

const mayWait = (envelope: Envelope): boolean => envelope[1].every((item) => deferrableTypes.includes(item[0].type))

type PendingEnvelope = { envelope: Envelope; settle: (answer: PromiseLike<Answer>) => void }

/**
 * Wraps a transport: delays measurements and client reports until the page has been idle for 3 s (at most 30 s), so
 * that they never compete with the person's requests. Sends them at once when the page is hidden, and on `flush`.
 */
export function deferringTransport(inner: Transport, environment: TransportEnvironment = pageEnvironment): Transport {
  let pending: PendingEnvelope[] = []
  let leave: (() => void) | undefined
  const release = () => {
    leave?.()
    leave = undefined
    const due = pending
    pending = []
    for (const pendingEnvelope of due) pendingEnvelope.settle(inner.send(pendingEnvelope.envelope))
  }
  environment.onHide(release)
  return {
    send: (envelope) => {
      if (!mayWait(envelope) || environment.isHidden()) return inner.send(envelope)
      return new Promise<Answer>((resolve) => {
        pending.push({ envelope, settle: resolve })
        if (pending.length > pendingMax) release()
        else leave ??= environment.whenIdle(release)
      })
    },
    flush: (timeoutMs) => {
      release()
      return inner.flush(timeoutMs)
    },
  }
}

const pageEnvironment: TransportEnvironment = {
  whenIdle: (run) => whenIdle({ idleMs: 3000, atMostMs: 30_000 }, run),
  isHidden: () => document.visibilityState === 'hidden',
  onHide: (run) => {
    window.addEventListener('pagehide', run)
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') run()
    })
  },
}
