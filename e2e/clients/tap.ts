import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'

/** A request of an SDK that passed the tap. `items` are pairs of type and payload. */
export type Passed = { project: string; status: number; answer: string; hash: string; items: [string, string][] }
export type Tap = { url: string; of(project: string): Passed[]; close(): void }

const unpack: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

/** Parses the items of an envelope. It trusts its input, which comes only from SDKs in these tests. */
function itemsOf(envelope: Buffer): [string, string][] {
  const found: [string, string][] = []
  let at = envelope.indexOf(10) + 1
  while (at > 0 && at < envelope.length) {
    const end = envelope.indexOf(10, at)
    if (end === at) {
      at += 1
      continue
    }
    const head = JSON.parse(envelope.subarray(at, end).toString()) as { type: string; length?: number }
    const next = envelope.indexOf(10, end + 1)
    const stop = head.length === undefined ? (next < 0 ? envelope.length : next) : end + 1 + head.length
    found.push([head.type, envelope.subarray(end + 1, stop).toString()])
    at = stop + 1
  }
  return found
}

async function bodyOf(req: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of req) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

const ofConnection = /^(?:host|connection|keep-alive|content-length|transfer-encoding|expect|date)$/

/** Removes the headers that belong to a single connection. */
const forwardedHeaders = (headers: [string, string][]): Record<string, string> =>
  Object.fromEntries(headers.filter(([name]) => !ofConnection.test(name)))

const projectOf = (req: IncomingMessage): string => /^\/api\/(\d+)\//.exec(req.url ?? '')?.[1] ?? ''

function recordOf(req: IncomingMessage, body: Buffer): Pick<Passed, 'project' | 'hash' | 'items'> {
  const open = unpack[String(req.headers['content-encoding'] ?? '')]?.(body) ?? body
  // The envelope header has the time of sending, which differs in a retry. So the hash excludes it.
  const items = open.subarray(Math.max(0, open.indexOf(10)))
  return { project: projectOf(req), hash: createHash('sha256').update(items).digest('hex'), items: itemsOf(open) }
}

/** A proxy between SDKs and the product that forwards and records every request, so that it sees every retry. */
export async function openTap(product: string): Promise<Tap> {
  const passed: Passed[] = []
  const server = createServer(async (req, res) => {
    try {
      const body = await bodyOf(req)
      const answer = await fetch(`${product}${req.url}`, {
        method: req.method ?? 'GET',
        headers: forwardedHeaders(
          Object.entries({ ...req.headers, 'accept-encoding': 'identity' }).map(([name, value]) => [
            name,
            String(value),
          ]),
        ),
        ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
      })
      const text = await answer.text()
      if (req.method === 'POST') passed.push({ ...recordOf(req, body), status: answer.status, answer: text })
      res.writeHead(answer.status, forwardedHeaders([...answer.headers])).end(text)
    } catch (error) {
      passed.push({ project: projectOf(req), status: 502, answer: String(error), hash: '', items: [] })
      res.writeHead(502).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    of: (project) => passed.filter((request) => request.project === project),
    close: () => void server.close(),
  }
}
