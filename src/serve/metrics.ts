import { readFileSync } from 'node:fs'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type Config, namesThisMachine } from '../base/config.ts'
import { errorBody, MishapError } from '../base/errors.ts'

/** A family of the Prometheus text format. By convention, names include the unit. */
export type Metric = {
  name: string
  help: string
  type: 'counter' | 'gauge'
  samples: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[]
}

/** Delay of an event loop in seconds since the last call. */
export type LoopDelay = { p50S: number; p99S: number; maxS: number }

/** Metrics that the app process sends to the main process every few seconds. */
export type AppMetrics = {
  journal: { waitingRecords: number; oldestWaitingMs: number; eventsWaitingMs: number }
  refine: { batches: number; records: number; events: number; ms: number }
  sqliteBytes: number
  deadLetters: number
  jobsFailing: number
  loop: LoopDelay
  residentBytes: number
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

/** Returns the text format of Prometheus, version 0.0.4. */
export function metricsText(metrics: readonly Metric[]): string {
  return metrics
    .flatMap(({ name, help, type, samples }) => [
      `# HELP ${name} ${escaped(help)}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(([labels, value]) => {
        const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text).replaceAll('"', '\\"')}"`)
        return `${name}${pairs.length ? `{${pairs.join(',')}}` : ''} ${Number.isFinite(value) ? value : 0}`
      }),
    ])
    .join('\n')
    .concat('\n')
}

/** The watch wakes the process this often. With 20 ms, two of these were a sixth of an idle product's time. */
const loopResolutionMs = 100

/** Watches the event loop of this process. The returned function gives its delay since the last call. */
export function watchLoop(): () => LoopDelay {
  const watch = monitorEventLoopDelay({ resolution: loopResolutionMs })
  watch.enable()
  return () => {
    // It measures the time between two wakes.
    const seconds = (ns: number) => (Number.isFinite(ns) ? Math.max(0, ns / 1e9 - loopResolutionMs / 1000) : 0)
    const found = {
      p50S: seconds(watch.percentile(50)),
      p99S: seconds(watch.percentile(99)),
      maxS: seconds(watch.max),
    }
    watch.reset()
    return found
  }
}

/** Returns the resident bytes of another process; undefined without /proc or if it has ended. */
export function residentBytes(pid: number | undefined): number | undefined {
  try {
    const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kib === undefined ? undefined : Number(kib) * 1024
  } catch {
    return undefined
  }
}

const forwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']

/**
 * Returns whether a request comes directly from this machine, by a local name. Forwarded requests do not count: a local
 * proxy acts for the whole network. A proxy that sends no such header looks local, so this is only used where
 * `MISHAP_METRICS` allows it.
 */
export function isLocal({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): boolean {
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  const near = address === '::1' || /^127\./.test(address)
  return near && namesThisMachine(headers.host ?? '') && forwarded.every((name) => headers[name] === undefined)
}

type MetricsAccess = {
  /** Socket of the app process, which verifies tokens. */
  socketPath: string
  metrics(): readonly Metric[]
  /** Who can read without a token. */
  open: Config['metrics']
}

/** Asks the app process whether a token can read the status. Returns 204 if so, else the status to answer. */
function requestAccess(socketPath: string, authorization: string): Promise<number> {
  return new Promise((resolve) => {
    const req = request({ socketPath, path: '/api/0/status/access/', headers: { authorization } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 503)
    })
    req.setTimeout(5000, () => req.destroy())
    req.on('error', () => resolve(503))
    req.end()
  })
}

const refusals: Record<number, 'AUTH_FAILED' | 'AUTH_FORBIDDEN' | 'AUTH_TOKEN_SCOPE'> = {
  401: 'AUTH_FAILED',
  403: 'AUTH_TOKEN_SCOPE',
  404: 'AUTH_FORBIDDEN',
}

function refuse(res: ServerResponse, error: MishapError): void {
  res.writeHead(error.status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  res.end(JSON.stringify(errorBody(error)))
}

/** Answers GET /metrics for bearer tokens with org:read, and for this machine if the setting allows it. */
export async function answerMetrics(req: IncomingMessage, res: ServerResponse, access: MetricsAccess): Promise<void> {
  if (req.method !== 'GET' && req.method !== 'HEAD') return refuse(res, new MishapError('METHOD_NOT_ALLOWED'))
  if (access.open === 'off') return refuse(res, new MishapError('NOT_FOUND'))
  if (access.open === 'token' || !isLocal(req)) {
    const { authorization } = req.headers
    if (authorization === undefined || !/^bearer\s/i.test(authorization))
      return refuse(res, new MishapError('AUTH_REQUIRED'))
    const status = await requestAccess(access.socketPath, authorization)
    if (status !== 204)
      return refuse(res, new MishapError(refusals[status] ?? 'STORE_UNAVAILABLE', retryOf(refusals[status])))
  }
  const text = metricsText(access.metrics())
  res.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' })
  res.end(req.method === 'HEAD' ? undefined : text)
}

const retryOf = (known: string | undefined) =>
  known === undefined ? { detail: 'Mishap is starting.', retryAfterS: 5 } : {}
