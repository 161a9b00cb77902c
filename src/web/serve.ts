import { readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { environment, screensFolder } from '../base/config.ts'
import { readable } from './readable.ts'

type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void> | void
type NextServer = {
  prepare(): Promise<void>
  getRequestHandler(): Handler
  getUpgradeHandler(): (req: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>
}
type CreateNext = (options: Record<string, unknown>) => NextServer

type WebOptions = {
  /** The package's root folder. */
  root: string
  socketPath: string
  /** Path of MISHAP_URL, with which the screens were built. */
  basePath: string
  /** Port of the public listener. Next calls itself there when an action redirects. */
  port: number
  dev: boolean
  /** Handles requests for the API. Returns or resolves with false for requests that Next must handle. */
  before(req: IncomingMessage, res: ServerResponse): boolean | Promise<boolean>
  /** Answers a page that cannot be shown now, and returns whether it did. */
  away(req: IncomingMessage, res: ServerResponse): Promise<boolean>
  /** Wraps the handling of one request. */
  withContext(req: IncomingMessage, answer: () => void): void
}

/**
 * Runs Next's standalone output in our own server on a Unix socket: 42 MB on disk instead of 610, and our own shutdown.
 * `__NEXT_PRIVATE_STANDALONE_CONFIG` is a private API of Next, so its version is pinned and e2e/ui opens the pages.
 */
function createNext(options: WebOptions, httpServer: Server): NextServer {
  if (options.dev) {
    const next = createRequire(import.meta.url)('next') as CreateNext
    return next({ dev: true, dir: join(options.root, 'src/web'), httpServer, hostname: 'localhost' })
  }
  const folder = join(options.root, 'src/web', screensFolder(options.basePath), 'standalone/src/web')
  const server = join(folder, 'server.js')
  const config = /const nextConfig = (\{.*\})\n/.exec(readFileSync(server, 'utf8'))?.[1]
  if (!config) throw new Error('the built screens have no configuration: build them again')
  Object.assign(environment(), { NODE_ENV: 'production', __NEXT_PRIVATE_STANDALONE_CONFIG: config })
  process.chdir(folder)
  const next = createRequire(server)('next') as CreateNext
  return next({ dev: false, dir: folder, httpServer, hostname: '127.0.0.1', port: options.port })
}

/** Serves screens and API on the socket. Resolves when the server can answer requests. */
export async function serveWeb(options: WebOptions): Promise<Server> {
  rmSync(options.socketPath, { force: true })
  const server = createServer()
  const next = createNext(options, server)
  await next.prepare()
  const handle = next.getRequestHandler()
  server.on('request', (req, res) =>
    options.withContext(req, () => {
      const show = (isHandled: boolean) => {
        if (isHandled) return
        req.url = readable(req.url ?? '/')
        void options.away(req, res).then((isAnswered) => isAnswered || handle(req, res))
      }
      const isHandled = options.before(req, res)
      if (typeof isHandled === 'boolean') show(isHandled)
      else void isHandled.then(show)
    }),
  )
  if (options.dev) {
    const upgrade = next.getUpgradeHandler()
    server.on('upgrade', (req, socket, head) => void upgrade(req, socket, head))
  }
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.socketPath, resolve)
  })
  return server
}
