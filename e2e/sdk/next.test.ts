import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { buildShop, copyShop, type Shop, startShop } from '../../scripts/shop.ts'
import type { RestErrorLink } from '../../src/contract/error-links.ts'
import { digestHook } from '../../src/web/digest-hook.ts'
import { noChromium, openBrowser } from '../browser.ts'
import { api, bootstrap, freePort, type Project, root, until } from '../product.ts'
import { clean, type Failure, type Frame, failureOf, filesIn, uploaded } from './build.ts'

// Builds the example application, Next.js with @sentry/nextjs, with Turbopack and webpack, and triggers all its errors
// in Chromium. Mishap must show the sources, the digests of both ends and the diagnostics.

const product = inject('product')
const file = (frame: Frame | undefined) => (frame?.filename ?? '').replace(/^.*\/(?=app\/)/, '')
const example = join(root, 'examples/shop')

/**
 * The application's configuration without steps that a single build does not need. On two cores, the disk cache takes
 * 12 s, and the list of files for a container 40 s.
 */
const ownConfig = '{ typescript: { ignoreBuildErrors: true } },'
const configured = (text: string) =>
  text.replace(
    ownConfig,
    `${JSON.stringify({
      typescript: { ignoreBuildErrors: true },
      experimental: { turbopackFileSystemCacheForBuild: false },
      outputFileTracingExcludes: { '*': ['**/*'] },
    })},`,
  )

/** webpack alone takes a minute, so it runs only with MISHAP_E2E_BUILDS=all (CONTRIBUTING.md). */
const bundlers: [name: string, words: string[]][] = [
  ['turbopack', []],
  ...(process.env.MISHAP_E2E_BUILDS === 'all' ? [['webpack', ['--webpack']] as [string, string[]]] : []),
]

type Event = {
  id: string
  dateReceived: string
  title: string
  platform: string
  failure: RestErrorLink | null
  signs: Record<string, { code?: number; kind?: string; id?: string; cause?: string } | null> | null
}

/** The parts of an event that these tests check: its diagnostics in short form, and its error link. */
type EventSummary = { platform: string; title: string; signs: string[]; link: string }

function summaryOf({ platform, title, signs, failure }: Event): EventSummary {
  const { server, browser } = failure ?? {}
  return {
    platform,
    title,
    signs: Object.entries(signs ?? {}).flatMap(([name, item]) =>
      item ? [`${name} ${item.code ?? item.kind ?? item.id ?? item.cause}`] : [],
    ),
    link: server ? `${server.reason}: ${server.title}` : browser ? `${browser.events} in the browser` : '',
  }
}

describe.skipIf(noChromium).each(bundlers)(
  `@sentry/nextjs by %s${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  (name, words) => {
    const state = {} as { browser: Browser; project: Project; shop: Shop; url: string; said: string; stop(): void }
    const release = `next-${name}@1.0.0`

    beforeAll(async () => {
      const project = bootstrap(product, 'next', name, 'javascript-nextjs')
      // Use the product's own URL: this version of the plugin sends its token only to the host of SENTRY_URL.
      const upload = {
        url: new URL(project.dsn).origin,
        org: project.org,
        project: project.slug,
        token: project.token,
        release,
      }
      const dsn = project.dsn.replace('localhost', '127.0.0.1')
      const shop = copyShop({ folder: join(root, 'e2e/out', `next-${name}`), dsn, upload })
      const config = join(shop.folder, 'next.config.mjs')
      writeFileSync(config, configured(readFileSync(config, 'utf8')))
      const said = await buildShop(shop, clean(), words)
      const port = await freePort()
      const child = startShop(shop, clean(), port)
      // A host name of its own: events from pages on localhost count as noise of a developer.
      const browser = await openBrowser(['--host-resolver-rules=MAP shop.test 127.0.0.1'])
      Object.assign(state, {
        browser,
        project,
        shop,
        said,
        url: `http://shop.test:${port}`,
        stop: () => void child.kill(),
      })
      await until('the application', 60_000, async () => (await fetch(`http://127.0.0.1:${port}`)).ok)
      // The webpack build takes 50 s alone, and 160 s next to two other jobs.
    }, 480_000)
    afterAll(async () => {
      state.stop?.()
      await state.browser?.close()
    })

    /** Opens the shop, runs `act`, and waits for the browser's report. Returns the URLs of all requests. */
    async function visit(act: (page: Page) => Promise<unknown>, reports = true): Promise<string[]> {
      const context = await state.browser.newContext()
      const page = await context.newPage()
      const requested: string[] = []
      page.on('request', (request) => void requested.push(request.url()))
      await page.goto(state.url)
      // Before the hydration a click has no effect. React marks each element that it has hydrated.
      await page.waitForFunction("Object.keys(document.querySelector('#go')).some((key) => key.startsWith('__react'))")
      const isReport = (request: Request) => (request.postData() ?? '').includes('"type":"event"')
      const reported = reports
        ? page.waitForResponse((item) => isReport(item.request()), { timeout: 15_000 })
        : undefined
      await Promise.all([reported, act(page)])
      await context.close()
      return requested
    }

    test('source maps are uploaded, and failures of browser and server are read as their sources', async () => {
      const { project, shop, said, url } = state
      expect(filesIn(join(shop.folder, '.next/static'), '.map')).toEqual([])
      const { releases, files } = await uploaded(product, project)
      expect(releases, said.slice(-2000)).toEqual([release])
      const requested = await visit((page) => page.click('#go'))
      // The browser sends only to its own origin. The tunnel forwards the envelopes.
      expect(requested).toContain(`${url}${shop.tunnelPath}`)
      expect(requested.filter((requestUrl) => !requestUrl.startsWith(`${url}/`))).toEqual([])
      // The page does not wait for the answer, so closing it earlier could cancel the request.
      await visit(async (page) => {
        await Promise.all([page.waitForResponse(`${url}/api/fail`), page.click('#api')])
      }, false)
      const client = await failureOf(product, project, 'RangeError: the cart is empty')
      const inner = await failureOf(product, project, 'TypeError: no kettle in stock')

      const shown = (frames: readonly Frame[]) =>
        frames.map((frame) => [frame.function, file(frame), frame.lineNo, frame.inApp])
      expect([client.release, inner.release]).toEqual([release, release])
      expect(shown(client.frames.slice(-3))).toEqual([
        ['onClick', 'app/buy.jsx', 14, true],
        ['checkout', 'app/checkout.js', 12, true],
        ['Cart.totalOf', 'app/checkout.js', 4, true],
      ])
      expect(shown(inner.frames.slice(-3))).toEqual([
        // Neither bundler gives this function a name.
        ['<anonymous>', 'app/api/fail/route.js', 6, true],
        ['takeAll', 'app/stock.js', 13, true],
        ['Stock.take', 'app/stock.js', 5, true],
      ])
      const thrown = (failure: Failure) =>
        failure.frames.at(-1)?.context.find(([line]) => line === failure.frames.at(-1)?.lineNo)?.[1]
      expect(thrown(client)).toContain("throw new RangeError('the cart is empty')")
      expect(thrown(inner)).toContain('throw new TypeError(')
      for (const failure of [client, inner]) {
        expect(failure.frames.at(-1)?.data).toMatchObject({ symbolicated: true, resolvedWith: 'debug-id' })
        const id = failure.debugIds.at(-1)
        const types = files.filter((file) => file.debugId === id).map((file) => file.fileType)
        expect(types.sort()).toEqual(['minified_source', 'source_map'])
      }
    })

    /** Waits for `count` events since `sinceMs` with finished error links, and returns what Mishap shows of them. */
    async function summariesSince(sinceMs: number, count: number): Promise<EventSummary[]> {
      const events = `/projects/${state.project.org}/${state.project.slug}/events`
      return until(`${count} events`, 15_000, async () => {
        const newest = (await api(product, state.project, `${events}/?per_page=20`)).json as Event[]
        const since = newest.filter((event) => Date.parse(event.dateReceived) >= sinceMs)
        if (since.length < count) return false
        const ids = since.map((event) => `${events}/${event.id}/`)
        const read = () => Promise.all(ids.map(async (id) => (await api(product, state.project, id)).json as Event))
        const waits = ({ failure }: Event) => failure?.alone === 'waiting' || failure?.alone === 'none'
        if ((await read()).some(waits)) return false
        // Read again: the link can appear between the reads of the two events.
        return (await read()).map(summaryOf).sort((a, b) => a.platform.localeCompare(b.platform))
      })
    }

    const press = (id: string) => (page: Page) => page.click(`#${id}`)
    const follow = (path: string) => (page: Page) => page.click(`a[href="${path}"]`)
    const type = (path: string) => (page: Page) => page.goto(`${state.url}${path}`)
    const hidden = 'Error: Minified React error #441; visit https://react.dev/errors/441'
    /** The browser shows a server error as a number, and the hook makes its digest certain. */
    const both = (title: string): EventSummary[] => [
      {
        platform: 'javascript',
        title: hidden,
        signs: ['react 441', 'invariant render-omitted'],
        link: `digest: ${title}`,
      },
      { platform: 'node', title, signs: [], link: '1 in the browser' },
    ]
    const alone = (title: string, ...diagnostics: string[]): EventSummary[] => [
      { platform: 'javascript', title, signs: diagnostics, link: '' },
    ]
    const hydration = () =>
      alone('Error: Minified React error #418; visit https://react.dev/errors/418', 'react 418', 'hydration unknown')

    test.each<[string, (page: Page) => Promise<unknown>, EventSummary[]]>([
      ['a promise that nobody waits for', press('promise'), alone('Error: nothing to pay')],
      ['a file of an older build is gone', press('chunk'), alone('ChunkLoadError: Failed to load chunk', 'skew chunk')],
      [
        'an action of an older build is gone',
        press('old-action'),
        alone('UnrecognizedActionError: Server Action', 'skew server-action'),
      ],
      ['an extension fails', press('extension'), alone('TypeError: no wallet in this page', 'noise extension')],
      ['a server action fails', press('action'), both('TypeError: no teapot in stock')],
      ['a page fails on the server, clicked', follow('/server'), both('TypeError: no lid in stock')],
      ['a page fails on the server, typed', type('/server'), both('TypeError: no lid in stock')],
      ['a value in the message', follow('/lookup/41'), both('Error: user 41 not found')],
      ['another value', type('/lookup/42'), both('Error: user 42 not found')],
      ['a boundary caught it', follow('/segment'), both('Error: the price list is empty')],
      ['a date differs', follow('/hydration/date'), hydration()],
      ['a random number differs', follow('/hydration/random'), hydration()],
      ['a branch of the browser only', follow('/hydration/browser'), hydration()],
    ])('%s', async (_name, act, expected) => {
      const sinceMs = Date.now()
      await visit(act)
      const summaries = await summariesSince(sinceMs, expected.length)
      expect(
        summaries.map((summary, at) => ({ ...summary, title: summary.title.slice(0, expected[at]?.title.length) })),
      ).toEqual(expected)
    })

    test('of the values in a message one issue is made', async () => {
      const path = `/organizations/${state.project.org}/issues/?query=user&project=${state.project.id}`
      const issues = (await api(product, state.project, path)).json as { title: string; count: string }[]
      expect(issues).toMatchObject([{ title: 'Error: user 42 not found', count: '2' }])
    })
  },
)

test('docs/sourcemaps.md has the configuration that is tested', () => {
  const text = readFileSync(join(example, 'next.config.mjs'), 'utf8').replace(ownConfig, '{},')
  expect(readFileSync(join(root, 'docs/sourcemaps.md'), 'utf8')).toContain(
    `\`\`\`js\n// next.config.mjs\n${text}\`\`\``,
  )
})

test('the example has the hook of the setup screen', () => {
  expect(readFileSync(join(example, 'digest.ts'), 'utf8')).toBe(`${digestHook[0]?.code}\n`)
})

test('the example names the versions that are tested', () => {
  const versions = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<string, string>>
  const { dependencies } = versions(join(example, 'package.json'))
  const tested = {
    ...versions(join(root, 'package.json')).devDependencies,
    ...versions(join(root, 'packaging/development/package.json')).devDependencies,
  }
  expect(existsSync(join(example, 'README.md'))).toBe(true)
  for (const [name, version] of Object.entries(dependencies ?? {}))
    expect([name, version]).toEqual([name, tested[name]])
})
