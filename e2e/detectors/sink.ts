import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** Receives envelopes of SDKs and keeps those with spans, by trace. */
export type Sink = {
  dsn: string
  port: number
  /** Removes and returns the envelopes of a trace or run. */
  take(trace: string): string[]
  close(): void
}

const unpack: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of req) parts.push(part as Buffer)
  const body = Buffer.concat(parts)
  return (unpack[String(req.headers['content-encoding'] ?? '')]?.(body) ?? body).toString()
}

/** The trace of an envelope with spans, or the run that a page names as its environment. SDKs send one trace per envelope. */
function traceOf(envelope: string): string | undefined {
  if (!/"type":"(?:transaction|span)"/.test(envelope)) return undefined
  const run = /"(run-\d-[a-z-]+)"/.exec(envelope)?.[1]
  if (run) return run
  const own = /^[^\n]*?"trace_id":"([0-9a-f]{32})"/.exec(envelope)
  return own?.[1] ?? /"trace_id":"([0-9a-f]{32})"/.exec(envelope)?.[1]
}

/** Starts the sink on a port of its own. */
export async function openSink(): Promise<Sink> {
  const byTrace = new Map<string, string[]>()
  const server = createServer(async (req, res) => {
    const envelope = await bodyOf(req)
    const trace = traceOf(envelope)
    if (trace) byTrace.set(trace, [...(byTrace.get(trace) ?? []), envelope])
    res.writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    dsn: `http://${'0123456789abcdef'.repeat(2)}@127.0.0.1:${port}/7`,
    port,
    take: (trace) => {
      const found = byTrace.get(trace) ?? []
      byTrace.delete(trace)
      return found
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
