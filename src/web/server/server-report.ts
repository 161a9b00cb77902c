import { callsOf, senderLeft } from '../../base/errors.ts'
import type { App } from '../handle.ts'

type RequestLine = { path: string; method: string }
type Where = { routeType: string; routePath: string; renderSource?: string }

const line = /^\s*at (?:(.+?) \()?(.+?):(\d+):(\d+)\)?$/

/** Parses a V8 stack text into protocol frames, oldest call first, at most 50. */
export function stackFrames(
  stack: string,
): { function: string; filename: string; lineno: number; colno: number; in_app: boolean }[] {
  const frames = []
  for (const text of stack.split('\n').slice(0, 60)) {
    const found = line.exec(text)
    if (!found) continue
    const filename = found[2] ?? ''
    frames.push({
      function: found[1] ?? '?',
      filename,
      lineno: Number(found[3]),
      colno: Number(found[4]),
      in_app: !/node_modules|^node:/.test(filename),
    })
  }
  return frames.slice(0, 50).reverse()
}

/** Builds an envelope with one event item. Drops the query string because it can hold what people typed. */
export function errorEnvelope(options: {
  error: Error & { digest?: string }
  request: RequestLine
  where: Where
  eventId: string
  atMs: number
  release: string
  dsn: string
}): string {
  const { error, request, where, eventId, atMs, release, dsn } = options
  const event = {
    event_id: eventId,
    timestamp: atMs / 1000,
    platform: 'node',
    level: 'error',
    environment: 'production',
    release,
    transaction: `${request.method} ${where.routePath}`,
    request: { url: request.path.split('?')[0], method: request.method },
    tags: {
      ...(error.digest ? { digest: error.digest } : {}),
      route_type: where.routeType,
      ...(where.renderSource ? { render_source: where.renderSource } : {}),
    },
    exception: {
      values: [
        {
          type: error.name,
          value: error.message.slice(0, 4000),
          mechanism: { type: 'next.on_request_error', handled: false },
          stacktrace: { frames: stackFrames(error.stack ?? '') },
        },
      ],
    },
  }
  return `${JSON.stringify({ event_id: eventId, dsn, sent_at: new Date(atMs).toISOString() })}\n${JSON.stringify({ type: 'event' })}\n${JSON.stringify(event)}\n`
}

/** Posts a server error to Mishap's own project over loopback, unless the client left. Never throws, only logs. */
export async function sendServerError(
  app: App,
  error: Error & { digest?: string },
  request: RequestLine,
  where: Where,
): Promise<void> {
  if (senderLeft(error)) return app.observe.debug({ route: where.routePath }, 'the client of a request disconnected')
  app.observe.error(
    { digest: error.digest, route: where.routePath, type: error.name, stack: callsOf(error) },
    'a page or action failed',
  )
  const dsn = await app.selfDsn()
  if (!dsn || !URL.canParse(dsn)) return
  const { username, pathname } = new URL(dsn)
  const project = pathname.slice(pathname.lastIndexOf('/') + 1)
  const host = app.config.host === '0.0.0.0' || app.config.host === '::' ? '127.0.0.1' : app.config.host
  const body = errorEnvelope({
    error,
    request,
    where,
    eventId: crypto.randomUUID().replaceAll('-', ''),
    atMs: app.clock.now(),
    release: `mishap@${app.version}`,
    dsn,
  })
  try {
    const address = `http://${host.includes(':') ? `[${host}]` : host}:${app.config.port}/api/${project}/envelope/?sentry_key=${username}&sentry_version=7`
    await fetch(address, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-sentry-envelope' },
      signal: AbortSignal.timeout(3000),
    })
  } catch (cause) {
    app.observe.warn({ cause: String(cause) }, 'a server error of Mishap could not be reported')
  }
}
