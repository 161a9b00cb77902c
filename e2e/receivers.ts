import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** A request as a receiver got it. */
export type Call = { path: string; headers: Record<string, string>; body: Buffer }

/** The reason to skip tests of these receivers, or undefined if they run. */
export const noReceivers: string | undefined =
  spawnSync('openssl', ['version']).status === 0 ? undefined : 'no openssl on this machine'

async function callOf(request: IncomingMessage): Promise<Call> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  return { path: request.url ?? '', headers, body: Buffer.concat(parts) }
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

/** A certificate for Slack's names and this machine. The product trusts it by NODE_EXTRA_CA_CERTS. */
function createCertificate(folder: string): { file: string; key: Buffer; cert: Buffer } {
  const [file, key] = [join(folder, 'receivers.pem'), join(folder, 'receivers.key')]
  const options = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'.split(' ')
  const names = ['-addext', 'subjectAltName=DNS:slack.com,DNS:hooks.slack.com,IP:127.0.0.1']
  execFileSync('openssl', ['req', ...options, ...names, '-keyout', key, '-out', file], { stdio: 'ignore' })
  return { file, key: readFileSync(key), cert: readFileSync(file) }
}

/**
 * Starts receivers on loopback that keep what they get.
 * - Slack: https://docs.slack.dev/reference/methods/chat.postMessage with its answers and errors, and the address of a
 *   click (https://docs.slack.dev/interactivity/handling-user-interaction).
 * - A push service (RFC 8030): it answers 201 to a message.
 * - Webhooks: any path.
 */
export async function openReceivers(folder: string, slackToken: string) {
  const calls = { slack: [] as Call[], clicks: [] as Call[], push: [] as Call[], hooks: [] as Call[] }
  const { file, key, cert } = createCertificate(folder)
  const slackAnswer = (call: Call): object => {
    if (call.headers.authorization !== `Bearer ${slackToken}`) return { ok: false, error: 'invalid_auth' }
    const { channel = '', blocks = [] } = JSON.parse(String(call.body)) as { channel?: string; blocks?: unknown[] }
    if (!/^[CG][A-Z0-9]+$/.test(channel)) return { ok: false, error: 'channel_not_found' }
    if (blocks.length > 50) return { ok: false, error: 'invalid_blocks' }
    calls.slack.push(call)
    return { ok: true, channel, ts: `${1503435956 + calls.slack.length}.000247` }
  }
  const secure: RequestListener = async (request, response) => {
    const call = await callOf(request)
    if (call.path.startsWith('/send/')) {
      calls.push.push(call)
      response.writeHead(201, { location: 'https://127.0.0.1/message/1' }).end()
    } else if (call.headers.host === 'hooks.slack.com') {
      calls.clicks.push(call)
      response.end('ok')
    } else if (call.path === '/api/chat.postMessage')
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(slackAnswer(call)))
    else response.writeHead(404).end()
  }
  const tls = createTlsServer({ key, cert }, secure)
  const plain = createServer(async (request, response) => {
    calls.hooks.push(await callOf(request))
    response.end('thanks')
  })
  const [tlsPort, port] = [await listen(tls), await listen(plain)]
  return {
    calls,
    certificate: file,
    slackPort: tlsPort,
    pushEndpoint: `https://127.0.0.1:${tlsPort}/send/abc`,
    hookUrl: (name: string) => `http://127.0.0.1:${port}/${name}`,
    hooksOf: (name: string) => calls.hooks.filter(({ path }) => path === `/${name}`),
    close: () => {
      for (const server of [tls, plain]) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
}

/** A mail taken apart: its headers in lower case, unfolded, and its decoded parts. */
export function mailParts(text: string): { headers: Map<string, string>; plain: string; html: string } {
  const [head = ''] = text.split(/\r?\n\r?\n/, 1)
  const lines = head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  const headers = new Map(
    lines.map((line) => [line.split(':', 1)[0]?.toLowerCase() ?? '', line.replace(/^[^:]*:\s*/, '')]),
  )
  const partOf = (type: string): string => {
    const found = new RegExp(`Content-Type: ${type}[^]*?\\r?\\n\\r?\\n([^]*?)\\r?\\n--`).exec(text)
    const isBase64 = /Content-Transfer-Encoding: base64/i.test(found?.[0] ?? '')
    const body = found?.[1] ?? ''
    if (isBase64) return Buffer.from(body, 'base64').toString('utf8')
    const bytes = body
      .replace(/=\r?\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    return Buffer.from(bytes, 'latin1').toString('utf8')
  }
  return { headers, plain: partOf('text/plain'), html: partOf('text/html') }
}
