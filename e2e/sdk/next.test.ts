import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { noChromium, openBrowser } from '../browser.ts'
import { bootstrap, freePort, root, until } from '../product.ts'
import { clean, copyOf, type Failure, type Frame, failureOf, filesIn, run, settingsOf, uploaded } from './build.ts'

// A Next.js application with @sentry/nextjs, built by Turbopack and by webpack: it fails in the browser and on its server,
// and both failures are read back as its sources.

const product = inject('product')
const next = join(root, 'node_modules/next/dist/bin/next')
const file = (frame: Frame | undefined) => (frame?.filename ?? '').replace(/^.*\/(?=app\/)/, '')

/**
 * The application's own configuration, where the page has `{}`: without what a first build only pays for (on two cores the
 * cache on disk takes 12 s, the list of files for a container 40 s).
 */
const own = {
  experimental: { turbopackFileSystemCacheForBuild: false },
  outputFileTracingExcludes: { '*': ['**/*'] },
}
const configured = (text: string) => text.replace('\n  {},\n', `\n  ${JSON.stringify(own)},\n`)

/** Starts the built application until the test ends; gives its address. */
async function started(folder: string, env: Record<string, string>): Promise<string> {
  const port = await freePort()
  const words = [next, 'start', '--port', `${port}`, '--hostname', '127.0.0.1']
  const child = spawn(process.execPath, words, { cwd: folder, env: { ...clean(), ...env }, stdio: 'ignore' })
  onTestFinished(() => void child.kill())
  const url = `http://127.0.0.1:${port}`
  await until('the application', 60_000, async () => (await fetch(url)).ok)
  return url
}

/** webpack takes a minute by itself: with MISHAP_E2E_BUILDS=all only (CONTRIBUTING.md). */
const bundlers: [name: string, words: string[]][] = [
  ['turbopack', []],
  ...(process.env.MISHAP_E2E_BUILDS === 'all' ? [['webpack', ['--webpack']] as [string, string[]]] : []),
]

describe.skipIf(noChromium)(`@sentry/nextjs${noChromium ? ` (skipped: ${noChromium})` : ''}`, () => {
  const state = {} as { browser: Browser }
  beforeAll(async () => {
    state.browser = await openBrowser()
  })
  afterAll(() => state.browser?.close())

  test.each(bundlers)(
    'Next.js 16 built by %s: build, upload, failures of browser and server read as their sources',
    async (name, words) => {
      const project = bootstrap(product, 'next', name, 'javascript-nextjs')
      const release = `next-${name}@1.0.0`
      const folder = copyOf('next', `next-${name}`)
      const dsn = project.dsn.replace('localhost', '127.0.0.1')
      const env = {
        ...settingsOf(product, project, release),
        // The product's own address: this version of the plugin sends its token to no other host than SENTRY_URL's.
        SENTRY_URL: new URL(project.dsn).origin,
        NEXT_PUBLIC_SENTRY_DSN: dsn,
        NEXT_TELEMETRY_DISABLED: '1',
      }
      const config = join(folder, 'next.config.mjs')
      writeFileSync(config, configured(readFileSync(config, 'utf8')))
      const said = await run([next, 'build', ...words], folder, env)
      expect(filesIn(join(folder, '.next/static'), '.map')).toEqual([])
      const { releases, files } = await uploaded(product, project)
      expect(releases, said.slice(-2000)).toEqual([release])

      const url = await started(folder, env)
      const page = await state.browser.newPage()
      await page.goto(url)
      await page.click('#go')
      expect((await fetch(`${url}/api/fail`)).status).toBe(500)
      const client = await failureOf(product, project, 'RangeError: the cart is empty')
      const inner = await failureOf(product, project, 'TypeError: no kettle in stock')
      await page.close()

      const shown = (frames: readonly Frame[]) => frames.map((one) => [one.function, file(one), one.lineNo, one.inApp])
      expect([client.release, inner.release]).toEqual([release, release])
      expect(shown(client.frames.slice(-3))).toEqual([
        ['onClick', 'app/buy.jsx', 14, true],
        ['checkout', 'app/checkout.js', 12, true],
        ['Cart.totalOf', 'app/checkout.js', 4, true],
      ])
      expect(shown(inner.frames.slice(-3))).toEqual([
        // Both bundlers leave this function without a name, and none calls it by one.
        ['<anonymous>', 'app/api/fail/route.js', 6, true],
        ['takeAll', 'app/stock.js', 13, true],
        ['Stock.take', 'app/stock.js', 5, true],
      ])
      const thrown = (one: Failure) =>
        one.frames.at(-1)?.context.find(([line]) => line === one.frames.at(-1)?.lineNo)?.[1]
      expect(thrown(client)).toContain("throw new RangeError('the cart is empty')")
      expect(thrown(inner)).toContain('throw new TypeError(')
      for (const failure of [client, inner]) {
        expect(failure.frames.at(-1)?.data).toMatchObject({ symbolicated: true, resolvedWith: 'debug-id' })
        const id = failure.debugIds.at(-1)
        expect(
          files
            .filter((one) => one.debugId === id)
            .map((one) => one.fileType)
            .sort(),
        ).toEqual(['minified_source', 'source_map'])
      }
    },
    // webpack's build takes 50 s alone, 160 s on a machine that has two more things to do
    480_000,
  )
})

test('docs/sourcemaps.md has the configuration that is tested', () => {
  const text = readFileSync(join(root, 'e2e/apps/next/next.config.mjs'), 'utf8')
  expect(readFileSync(join(root, 'docs/sourcemaps.md'), 'utf8')).toContain(
    `\`\`\`js\n// next.config.mjs\n${text}\`\`\``,
  )
})
