import { MishapError } from '../../base/errors.ts'
import type { HookOutcome } from '../../domain/alerts/trackers.ts'
import { receiveHook } from '../../operations/tracker-hooks.ts'
import type { App } from '../../processes/parts.ts'
import { isSigned } from '../../trackers/signature.ts'
import { bytesOf } from '../input.ts'

/** Bytes of a delivery. GitHub sends up to 25 MB for huge pushes; those are answered with 413 and sent again in vain. */
const hookBytesMax = 8 * 1024 * 1024

/** Where services send their webhooks. It has no token: the signature proves the sender. */
export const hookPath = '/trackers/:integration/webhook'

/**
 * Answers a delivery: 202 with its outcome, 401 without the right signature, 404 for an unknown connection, 413 for too
 * many bytes, 429 after too many refused calls from the same address. Without a signature the body is not read. Every
 * answer but 404 and 413 is counted for the connection.
 */
export async function answerHook(app: App, name: string, request: Request): Promise<Response> {
  const id = /^\d{1,15}$/.test(name) ? Number(name) : -1
  const receiver = { service: 'tracker', name: String(id) } as const
  const outcome = await app.hookCalls.guard(receiver, request.headers, () => deliver(app, id, request))
  if (outcome === 'invalid') throw new MishapError('VALIDATION', { detail: 'The body is not a JSON object.' })
  return Response.json({ outcome }, { status: 202, headers: { 'cache-control': 'no-store' } })
}

/** Handles a delivery. Throws NOT_FOUND, AUTH_REQUIRED, ACCEPT_TOO_LARGE. */
async function deliver(app: App, id: number, request: Request): Promise<HookOutcome> {
  const { headers } = request
  const integration = await app.meta.trackers.integrationById(id)
  if (!integration) throw new MishapError('NOT_FOUND')
  const body = isSigned(integration.kind, headers) ? await bytesOf(request, hookBytesMax) : new Uint8Array()
  const outcome = await receiveHook(app, integration, headers, body)
  if (outcome === 'unsigned' || outcome === 'bad_signature')
    throw new MishapError('AUTH_REQUIRED', { detail: 'The signature of this delivery is missing or wrong.' })
  return outcome
}
