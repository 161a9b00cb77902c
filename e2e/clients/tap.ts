import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'

/** A request of an SDK as it passed by: `items` as type and payload. */
export type Passed = { project: string; status: number; answer: string; hash: string; items: [string, string][] }
export type Tap = { url: string; of(project: string): Passed[]; close(): void }

const unpack: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

/** Items of an envelope. Written for what SDKs send here: it is no parser for strangers. */
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

/** Stands between SDKs and the product, passes everything on and notes it. Nothing of a retry can hide from it. */
export async function openTap(product: string): Promise<Tap> {
  const passed: Passed[] = []
  const server = createServer(async (req, res) => {
    const body = await bodyOf(req)
    const headers = Object.fromEntries(
      Object.entries(req.headers).filter(
        ([name]) => !/^(?:host|connection|content-length|transfer-encoding|expect)$/.test(name),
      ),
    ) as Record<string, string>
    const answer = await fetch(`${product}${req.url}`, {
      method: req.method ?? 'GET',
      headers,
      ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
    })
    const text = await answer.text()
    if (req.method === 'POST') {
      const open = unpack[String(req.headers['content-encoding'] ?? '')]?.(body) ?? body
      // the header says when it was sent: a second time is another moment
      const hash = createHash('sha256')
        .update(open.subarray(open.indexOf(10)))
        .digest('hex')
      const project = /^\/api\/(\d+)\//.exec(req.url ?? '')?.[1] ?? ''
      passed.push({ project, status: answer.status, answer: text, hash, items: itemsOf(open) })
    }
    const back = Object.fromEntries(
      [...answer.headers].filter(
        ([name]) => !/^(?:connection|keep-alive|transfer-encoding|content-length|date)$/.test(name),
      ),
    )
    res.writeHead(answer.status, back).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    of: (project) => passed.filter((one) => one.project === project),
    close: () => void server.close(),
  }
}
