import { createServer } from 'node:http'
import { build } from 'esbuild'
import { root } from '../product.ts'

/** Users' applications on their own origin: one page for each version of the official browser SDK. */
export type Pages = { url: string; close(): void }

const sdks = { v7: '@sentry/browser-7', v11: '@sentry/browser' } as const
export type Sdk = keyof typeof sdks

/** Serves `/page/v7` and `/page/v11`, each with the script that `application` returns for its SDK package. */
export async function servePages(application: (sdk: string) => string): Promise<Pages> {
  const scripts = new Map<string, string>()
  for (const [name, sdk] of Object.entries(sdks)) {
    const built = await build({
      stdin: { contents: application(sdk), resolveDir: root },
      bundle: true,
      write: false,
      format: 'iife',
      target: 'es2020',
    })
    scripts.set(`/${name}.js`, built.outputFiles[0]?.text ?? '')
  }
  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://x')
    const script = scripts.get(pathname)
    if (script !== undefined) return void res.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    res
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<button id="go">Go</button><script src="${pathname.replace('/page', '')}.js"></script>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`,
    close: () => void server.close(),
  }
}
