import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../base/clock.ts'
import { hasSignature, isHookPath } from '../domain/alerts/hook-calls.ts'

/** Pauses that are remembered: callers can invent paths and have many addresses. */
const pausesMax = 10_000

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? ''
const isSigned = ({ headers }: IncomingMessage): boolean => hasSignature((header) => headers[header])

/**
 * Knows which bodies of webhook calls nobody needs, because app refuses the call without them: calls without a signature,
 * and calls to a path from an address that app has just answered with 429. Otherwise a stranger could fill the disk.
 */
export function createHookBodies(clock: Pick<Clock, 'now'>) {
  const pauses = new LRUCache<string, number>({ max: pausesMax })
  const keyOf = (req: IncomingMessage, address: string) => `${address} ${pathOf(req)}`
  return {
    /** Whether app refuses this call without its body. `address`: the group of the client. */
    isUnneeded: (req: IncomingMessage, address: string): boolean => {
      if (req.method !== 'POST' || !isHookPath(pathOf(req))) return false
      return !isSigned(req) || (pauses.get(keyOf(req, address)) ?? 0) > clock.now()
    },
    /** Remembers the pause of an answer. Its seconds are rounded up, so it is shorter here: app may be ready by then. */
    answered: (
      req: IncomingMessage,
      address: string,
      { statusCode, headers }: { statusCode?: number | undefined; headers: IncomingHttpHeaders },
    ): void => {
      const pauseMs = (Number(headers['retry-after']) - 1) * 1000
      if (statusCode !== 429 || !(pauseMs > 0) || !isHookPath(pathOf(req)) || !isSigned(req)) return
      pauses.set(keyOf(req, address), clock.now() + pauseMs)
    },
  }
}
