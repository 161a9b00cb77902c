import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../base/clock.ts'
import { errorBody, type MishapError } from '../base/errors.ts'

/** A refused body is read and discarded for a while, so that the client sees the answer and not a reset. */
const drainBytesMax = 8 * 1024 * 1024
const drainMs = 5000

/** The colours of the screens, in light and dark. The page has no other file, so the policy allows this text alone. */
const waitingStyle =
  ':root{color-scheme:light dark}body{margin:15vh auto;max-width:60ch;padding:0 20px;font:15px/1.5 system-ui,sans-serif;background:light-dark(#f7f6f2,#0e1416);color:light-dark(#181f23,#ebe9e5)}h1{font-size:20px;line-height:1.3}'
const waitingPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(waitingStyle).digest('base64')}'`

type Waiting = { status: number; waitS: number; title: string; sentence: string }

/** Sends a page for times when the app process does not answer. It has no script and reloads by itself. */
function waitingPage(res: ServerResponse, { status, waitS, title, sentence }: Waiting): void {
  res.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'retry-after': String(waitS),
    refresh: String(waitS),
    'cache-control': 'no-store',
    'content-security-policy': waitingPolicy,
  })
  res.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${waitingStyle}</style><h1>${title}</h1><p>${sentence} This page reloads automatically.</p>`,
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
  if (isPage && error.code === 'DATABASE_UNAVAILABLE')
    return void waitingPage(res, { status, waitS: 5, title: 'Mishap waits for its database', sentence: error.message })
  if (isPage && retryAfterS !== undefined)
    return void waitingPage(res, { status, waitS: retryAfterS, title: 'Mishap is busy', sentence: error.message })
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  res.writeHead(status, retryAfterS === undefined ? headers : { ...headers, 'retry-after': String(retryAfterS) })
  res.end(JSON.stringify(errorBody(error)))
}

/** Reads the rest of a refused body for a short time, then closes the connection. */
export function drain(req: IncomingMessage, clock: Clock): void {
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

/** Answers a request without the app process. Disconnects clients that were too slow. */
export function refuseRequest(req: IncomingMessage, res: ServerResponse, error: MishapError, clock: Clock): void {
  if (res.headersSent || res.destroyed) return void res.destroy()
  if (error.status === 408) {
    res.shouldKeepAlive = false
    res.once('finish', () => req.destroy())
  } else drain(req, clock)
  answerError(req, res, error)
}
