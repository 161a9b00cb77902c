import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { noChromium, openBrowser } from '../browser.ts'
import { api, bootstrap, root } from '../product.ts'
import { copyOf, failureOf, filesIn, run, serve, settingsOf, uploaded } from './build.ts'

// Each bundler builds a user's program with the official plugin. The program fails in Chromium, and the event must show
// the original sources. The configurations are copied from docs/sourcemaps.md.

const product = inject('product')
const module = (path: string) => join(root, 'node_modules', path)
const webpack = `import webpack from 'webpack'
import config from './webpack.config.js'
webpack(config, (error, stats) => {
  if (error || stats.hasErrors()) throw error ?? new Error(stats.toString())
})`

const bundlers = [
  ['vite', [module('vite/bin/vite.js'), 'build'], 'checkout.js'],
  // Before the upload, the plugin removes webpack:// and keeps the namespace.
  ['webpack', ['--input-type=module', '--eval', webpack], 'shop/./checkout.js'],
  ['rollup', [module('rollup/dist/bin/rollup'), '--config'], 'checkout.js'],
  ['esbuild', ['esbuild.config.js'], 'checkout.js'],
] as const

describe.skipIf(noChromium)(`official bundler plugins${noChromium ? ` (skipped: ${noChromium})` : ''}`, () => {
  const state = {} as { browser: Browser }
  beforeAll(async () => {
    state.browser = await openBrowser()
  })
  afterAll(() => state.browser?.close())

  test.each(bundlers)('%s: build, upload, a failure in the browser, read as its sources', async (name, words, file) => {
    const project = bootstrap(product, 'builds', name)
    const release = `${name}@1.0.0`
    const folder = copyOf('shop', name)
    await run(words, folder, settingsOf(product, project, release))

    const [script, ...others] = filesIn(join(folder, 'dist'), '.js')
    expect([others, filesIn(join(folder, 'dist'), '.map')]).toEqual([[], []])
    const debugId = /sentry-dbid-([0-9a-f-]{36})/.exec(script?.text ?? '')?.[1]
    const { releases, files } = await uploaded(product, project)
    expect(releases).toEqual([release])
    expect(files.map((item) => [item.fileType, item.debugId]).sort()).toEqual([
      ['minified_source', debugId],
      ['source_map', debugId],
    ])
    const made = (await api(product, project, `/projects/builds/${name}/releases/${release}/`)).json
    expect(made).toMatchObject({ version: release, dateReleased: expect.stringMatching(/^20/) })

    const server = await serve(
      join(folder, 'dist'),
      '<button id="go">Buy</button><script type="module" src="/main.js"></script>',
    )
    const page = await state.browser.newPage()
    await page.goto(`${server.url}/?dsn=${encodeURIComponent(project.dsn.replace('localhost', '127.0.0.1'))}`)
    await page.click('#go')
    const failure = await failureOf(product, project, 'RangeError: the cart is empty')
    await page.close()
    server.close()
    expect(failure.release).toBe(release)
    const own = failure.frames.slice(-3)
    expect(
      own.map((item) => [item.function, item.filename.replace(/^.*\/(?=checkout|main)/, ''), item.lineNo, item.inApp]),
    ).toEqual([
      ['<anonymous>', 'main.js', 8, true],
      ['checkout', 'checkout.js', 12, true],
      ['Cart.totalOf', 'checkout.js', 4, true],
    ])
    expect(own[2]?.filename).toBe(file)
    expect(own.map((item) => item.data)).toEqual(
      [1, 2, 3].map(() => expect.objectContaining({ symbolicated: true, resolvedWith: 'debug-id' })),
    )
    expect(own[2]?.context.find(([line]) => line === 4)?.[1]).toContain("throw new RangeError('the cart is empty')")
    expect(failure.debugIds.slice(-3)).toEqual([debugId, debugId, debugId])
  })
})

test.each(['vite', 'webpack', 'rollup', 'esbuild'])(
  'docs/sourcemaps.md has the configuration of %s that is tested',
  (name) => {
    const page = readFileSync(join(root, 'docs/sourcemaps.md'), 'utf8')
    const text = readFileSync(join(root, `e2e/apps/shop/${name}.config.js`), 'utf8')
    expect(page).toContain(`\`\`\`js\n// ${name}.config.js\n${text}\`\`\``)
  },
)
