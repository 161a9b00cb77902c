import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../browser.ts'
import { root, until } from '../product.ts'
import { type Page, type PageFile, pages } from './page-programs.ts'
import type { Recording } from './recording.ts'
import type { Sink } from './sink.ts'

/** SDKs that record all pages. */
const clients = [
  { name: 'browser-11', sdk: join(root, 'node_modules/@sentry/browser'), more: '' },
  { name: 'browser-11-static', sdk: join(root, 'node_modules/@sentry/browser'), more: "traceLifecycle: 'static'," },
  { name: 'browser-10', sdk: join(root, 'e2e/detectors/node_modules/@sentry/browser-10'), more: '' },
  { name: 'browser-7', sdk: join(root, 'node_modules/@sentry/browser-7'), more: '' },
]
/** Pages that are open at once. */
const parallel = 3
const mimeTypes: Readonly<Record<string, string>> = {
  css: 'text/css',
  js: 'text/javascript',
  png: 'image/png',
  html: 'text/html',
}

async function bundle(client: (typeof clients)[number], dsn: string): Promise<string> {
  const tracing = client.name === 'browser-7' ? 'new Sentry.BrowserTracing()' : 'Sentry.browserTracingIntegration()'
  const built = await build({
    stdin: {
      contents: `import * as Sentry from ${JSON.stringify(client.sdk)}
        Sentry.init({ dsn: ${JSON.stringify(dsn)}, tracesSampleRate: 1, integrations: [${tracing}], ${client.more}
          environment: new URLSearchParams(location.search).get('run') })`,
      resolveDir: root,
    },
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    logLevel: 'error',
  })
  return built.outputFiles[0]?.text ?? ''
}

/** Sends a file after its time, in chunks. */
function sendFile(res: ServerResponse, path: string, file: PageFile): void {
  const extension = /\.(\w+)$/.exec(path)?.[1] ?? ''
  res.setHeader('content-type', mimeTypes[extension] ?? 'application/json')
  res.setHeader('access-control-allow-origin', '*')
  res.setHeader('cache-control', file.isCached ? 'max-age=600' : 'no-store')
  const { ms, bytes = 0, chunks = 1, text = '' } = file
  const isCode = extension === 'css' || extension === 'js'
  const filling = isCode ? `/*${'x'.repeat(bytes / chunks)}*/` : '0'.repeat(bytes / chunks)
  const send = (left: number) => {
    res.write(text + (bytes > 0 ? filling : isCode ? '/**/' : ''))
    if (left > 1) setTimeout(() => send(left - 1), ms / chunks)
    else res.end()
  }
  setTimeout(() => send(chunks), chunks > 1 ? 20 : ms)
}

type Site = { url: string; close(): void }

/** Serves the pages. Files are looked up by the page in the referrer or, for those of styles, by their path alone. */
async function serve(sdk: string, other: string): Promise<Site> {
  const files = new Map(
    [...pages].flatMap(([name, page]) =>
      Object.entries(page.files ?? {}).map(([path, file]) => [`${name} ${path}`, file] as const),
    ),
  )
  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://x')
    const [, top, name = '', ...rest] = pathname.split('/')
    if (top === 'sdk.js') {
      res.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'max-age=600' }).end(sdk)
      return
    }
    if (top !== 'p') {
      res.writeHead(404).end()
      return
    }
    const file = files.get(`${name} /${rest.join('/')}`)
    if (file) {
      sendFile(res, pathname, file)
      return
    }
    const page = pages.get(name)
    const text = documentOf(name, page ?? { expected: [] }, other)
    setTimeout(() => res.writeHead(200, { 'content-type': 'text/html' }).end(text), page?.documentMs ?? 0)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

/** The document of a page. Its files are below its own path, so that the same names can differ. */
function documentOf(name: string, { head = '', body = '<p>text</p>', isSdkFirst }: Page, other: string): string {
  // An SDK mostly comes with the bundle of the page, after its styles. A page load that begins before them can end
  // before them too, because the SDK ends it after a second without work.
  const sdk = '<script src="/sdk.js"></script>'
  const own = (text: string) =>
    text.replaceAll('"other/', `"${other}/p/${name}/`).replaceAll(/(["'`])\/(?=assets|api|hero|font)/g, `$1/p/${name}/`)
  return `<!doctype html><html><head><title>${name}</title><link rel="icon" href="data:,">${isSdkFirst ? sdk : ''}${own(head)}${isSdkFirst ? '' : sdk}</head><body>${own(body)}</body></html>`
}

async function recordPage(browser: Browser, sink: Sink, site: Site, name: string, run: string): Promise<string[]> {
  const page = pages.get(name)
  const context = await browser.newContext()
  try {
    const tab = await context.newPage()
    for (let visit = 1; visit < (page?.visits ?? 1); visit++) await tab.goto(`${site.url}/p/${name}/?run=first`)
    await tab.goto(`${site.url}/p/${name}/?run=${run}`, { waitUntil: 'commit' })
    const found: string[] = []
    await until('the page load is sent', 40_000, async () => {
      found.push(...sink.take(run))
      return found.some((envelope) => envelope.includes('"pageload"'))
    })
    // The last vitals are sent when the page is left.
    await tab.goto('about:blank')
    await tab.waitForTimeout(300)
    return [...found, ...sink.take(run)]
  } finally {
    await context.close()
  }
}

/** Records the pages in Chromium under each SDK. */
export async function recordPages(sink: Sink): Promise<Recording[]> {
  const found: Recording[] = []
  const browser = await openBrowser()
  for (const [place, client] of clients.entries()) {
    const sdk = await bundle(client, sink.dsn)
    const other = await serve(sdk, '')
    const site = await serve(sdk, other.url)
    const queue = [...pages].filter(([, { variants }]) => variants === undefined || place < variants)
    const next = async (): Promise<void> => {
      const entry = queue.shift()
      if (!entry) return
      const [name, { expected }] = entry
      try {
        const envelopes = await recordPage(browser, sink, site, name, `run-${place}-${name}`)
        found.push({ program: name, client: client.name, expected, envelopes })
      } catch (error) {
        console.log(`${client.name} ${name}: ${String(error)}`)
      }
      await next()
    }
    await Promise.all(Array.from({ length: parallel }, next))
    for (const server of [site, other]) server.close()
    console.log(`${client.name}: ${found.length} pages so far`)
  }
  await browser.close()
  return found
}
