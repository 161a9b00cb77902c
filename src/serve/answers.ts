import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../base/clock.ts'
import { errorBody, type MishapError } from '../base/errors.ts'

/** A refused body is read and thrown away for a while, so that its sender sees the answer instead of a reset. */
const drainBytesMax = 8 * 1024 * 1024
const drainMs = 5000

type Waiting = { status: number; waitS: number; title: string; sentence: string }

/** A page for a moment in which process app does not answer: no script, asks again by itself. */
function waitingPage(res: ServerResponse, { status, waitS, title, sentence }: Waiting): void {
  res.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'retry-after': String(waitS),
    refresh: String(waitS),
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
  })
  res.end(
    `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1><p>${sentence} This page reloads automatically.</p>`,
  )
}

function answerError(req: IncomingMessage, res: ServerResponse, error: MishapError): void {
  const { status, retryAfterS } = error
  const isPage = (req.headers.accept ?? '').includes('text/html')
  if (isPage && error.code === 'STORE_UNAVAILABLE')
    return void waitingPage(res, {
      status,
      waitS: 1,
      title: 'Mishap is starting',
      sentence: 'Events are being accepted.',
    })
  if (isPage && retryAfterS !== undefined)
    return void waitingPage(res, { status, waitS: retryAfterS, title: 'Mishap is busy', sentence: error.message })
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  res.writeHead(status, retryAfterS === undefined ? headers : { ...headers, 'retry-after': String(retryAfterS) })
  res.end(JSON.stringify(errorBody(error)))
}

/** Reads on after a refusal for a short time, then cuts the connection. */
function drain(req: IncomingMessage, clock: Clock): void {
  if (req.complete || req.destroyed) return
  let bytes = 0
  const cancel = clock.after(drainMs, () => req.destroy())
  req.once('close', cancel)
  req.on('data', (piece: Buffer) => {
    bytes += piece.length
    if (bytes > drainBytesMax) req.destroy()
  })
  req.resume()
}

/** Answers a request that process app does not hear of. One that was too slow is cut off. */
export function refuseRequest(req: IncomingMessage, res: ServerResponse, error: MishapError, clock: Clock): void {
  if (res.headersSent || res.destroyed) return void res.destroy()
  if (error.status === 408) {
    res.shouldKeepAlive = false
    res.once('finish', () => req.destroy())
  } else drain(req, clock)
  answerError(req, res, error)
}
