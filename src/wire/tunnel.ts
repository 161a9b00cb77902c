import { dsnOf } from './dsn.ts'

export const tunnelServers = ['nextjs', 'express', 'nginx'] as const
type TunnelServer = (typeof tunnelServers)[number]

/** A file, or part of a file, to copy. */
export type TunnelFile = { where: string; code: string }

/**
 * A path for browsers to send through the application's own origin, which blockers do not know and policies need not
 * allow. `path` is its address there. `client` belongs in the SDK's browser part, one of `servers` on the server.
 */
export type Tunnel = { path: string; dsn: string; client: TunnelFile; servers: Record<TunnelServer, TunnelFile> }

/** Only consonants, so that the path never contains a word on a blocklist. */
const letters = 'bcdfghjklmnpqrst'

/** The forwarding code, shared by all JavaScript servers. */
const passOn = `/** Each DSN that may pass, with the address of its envelopes. What names another DSN is refused: this is no open proxy. */
const targets = new Map([['__DSN__', '__ENVELOPES__']])
const bytesMax = 20 * 1024 * 1024
const sentOn = ['origin', 'user-agent', 'x-forwarded-for']
const sentBack = ['content-type', 'retry-after', 'x-sentry-rate-limits']

function targetOf(body: Uint8Array): string | undefined {
  const start = body.subarray(0, 8192)
  try {
    return targets.get(JSON.parse(new TextDecoder().decode(start.subarray(0, start.indexOf(10)))).dsn)
  } catch {
    return undefined
  }
}

function copy(names: string[], from: Headers, to: Headers): void {
  for (const name of names) {
    const value = from.get(name)
    if (value) to.set(name, value)
  }
}

async function passOn(body: Uint8Array<ArrayBuffer>, from: Headers): Promise<Response> {
  const target = targetOf(body)
  if (!target) return new Response(null, { status: 403 })
  const headers = new Headers({ 'content-type': 'application/x-sentry-envelope' })
  copy(sentOn, from, headers)
  try {
    const init: RequestInit = { method: 'POST', headers, body, redirect: 'error', signal: AbortSignal.timeout(10_000) }
    const answer = await fetch(target, init)
    const back = new Headers()
    copy(sentBack, answer.headers, back)
    return new Response(await answer.text(), { status: answer.status, headers: back })
  } catch {
    return new Response(null, { status: 502 })
  }
}`

const nextjs = `${passOn}

export async function POST(request: Request): Promise<Response> {
  const bytes = Number(request.headers.get('content-length') ?? Number.NaN)
  if (!(bytes <= bytesMax)) return new Response(null, { status: 413 })
  return passOn(new Uint8Array(await request.arrayBuffer()), request.headers)
}
`

const express = `import express from 'express'

${passOn}

export const tunnel = express.Router()
const whole = express.raw({ type: () => true, limit: bytesMax, inflate: false })
tunnel.post('__PATH__', whole, async (req, res) => {
  const from = new Headers({ 'x-forwarded-for': req.ip ?? '' })
  for (const name of ['origin', 'user-agent']) from.set(name, req.get(name) ?? '')
  const body = Buffer.isBuffer(req.body) ? new Uint8Array(req.body) : new Uint8Array()
  const answer = await passOn(body, from)
  res.status(answer.status).set(Object.fromEntries(answer.headers)).send(await answer.text())
})
`

const nginx = `location = __PATH__ {
  limit_except POST { deny all; }
  client_max_body_size 20m;
  proxy_pass __ENVELOPES__?sentry_key=__KEY__;
  proxy_ssl_server_name on;
  proxy_set_header Host __HOST__;
  proxy_set_header X-Forwarded-For $remote_addr;
  proxy_set_header Cookie "";
  proxy_set_header Authorization "";
}
`

/**
 * Returns the tunnel of a key under the instance's address. The path is derived from the key, so it is stable, differs
 * between applications, and changes with the key.
 */
export function tunnelOf(url: string, key: { publicKey: string; projectId: number }): Tunnel {
  const { protocol, host, pathname } = new URL(url)
  const path = `/${[...key.publicKey.slice(0, 10)].map((digit) => letters[Number.parseInt(digit, 16)]).join('')}`
  const values: Record<string, string> = {
    __DSN__: dsnOf(url, key),
    __ENVELOPES__: `${protocol}//${host}${pathname.replace(/\/$/, '')}/api/${key.projectId}/envelope/`,
    __PATH__: path,
    __HOST__: host,
    __KEY__: key.publicKey,
  }
  const filled = (code: string) => code.replaceAll(/__[A-Z]+__/g, (name) => values[name] ?? name)
  return {
    path,
    dsn: values.__DSN__ ?? '',
    client: { where: 'Sentry.init', code: filled("dsn: '__DSN__',\ntunnel: '__PATH__',") },
    servers: {
      nextjs: { where: `app${path}/route.ts`, code: filled(nextjs) },
      express: { where: 'tunnel.ts', code: filled(express) },
      nginx: { where: 'nginx.conf', code: filled(nginx) },
    },
  }
}
