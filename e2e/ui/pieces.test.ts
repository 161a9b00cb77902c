// Pages that are read in pieces: what a browser paints of half a document stands where it stands in the whole one.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Login, loginOf, noChromium, openBrowser } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'pieces'
const cutsMax = 24
/** Chromium does not count shorter moves. */
const leastPx = 3

type Place = { x: number; y: number; what: string }

/** The places of visible elements by their path. Text, because a compiled function would use helpers of the test. */
const placesScript = `(() => {
  const places = {}
  const walk = (element, path) => {
    if (/^(SCRIPT|STYLE|TEMPLATE)$/.test(element.tagName)) return
    if (element.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true })) {
      const { left: x, top: y, width, height } = element.getBoundingClientRect()
      if (width > 0 && height > 0 && x < innerWidth && y < innerHeight)
        places[path] = { x, y, what: element.tagName + ' ' + (element.textContent ?? '').slice(0, 40) }
    }
    ;[...element.children].forEach((child, at) => walk(child, path + '/' + child.tagName + at))
  }
  walk(document.body, '')
  return places
})()`

const placesOf = async (page: Page) => (await page.evaluate(placesScript)) as Record<string, Place>

/** The same styles and no late fonts for each piece. An intercepted page has no cache, and asks for all of them again. */
async function keepStyles(page: Page): Promise<void> {
  const sheets = new Map<string, string>()
  await page.route(/\.woff2/, (route) => route.abort())
  await page.route(/\.css/, async (route) => {
    const at = route.request().url()
    const body = sheets.get(at) ?? (await (await route.fetch()).text())
    sheets.set(at, body)
    await route.fulfill({ body, contentType: 'text/css; charset=utf-8' })
  })
}

/** The ends of elements below `main`, spread over the document. */
function cutsOf(html: string): number[] {
  const from = html.indexOf('<main')
  const ends = [...html.matchAll(/<\/(?:button|a|summary|span|li|td|h1|h2|svg|code)>/g)]
    .map((match) => match.index + match[0].length)
    .filter((end) => end > from)
  const step = Math.max(1, Math.ceil(ends.length / cutsMax))
  return ends.filter((_end, at) => at % step === 0)
}

describe.skipIf(noChromium)('a document that is read in pieces', () => {
  const state = {} as { browser: Browser; login: Login; project: Project; issue: string }

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    const event = (type: string) =>
      envelopeOf(errorEvent(type, 'the cart is empty', { release: 'shop@1', tags: { plan: 'pro' } }))
    for (const type of ['OneError', 'TwoError', 'ThreeError']) await ingest(product, state.project, event(type))
    state.issue = await until('three issues', 20_000, async () => {
      const found = (await api(product, state.project, `/organizations/${org}/issues/?query=`)).json as { id: string }[]
      return found.length === 3 && found[0]?.id
    })
    state.browser = await openBrowser()
    state.login = await loginOf(state.browser, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  const pages: [name: string, path: () => string][] = [
    ['the overview', () => ''],
    ['the list of issues', () => '/issues'],
    ['an issue', () => `/issues/${state.issue}`],
  ]
  const sizes = [1440, 390]
  test.each(pages.flatMap(([name, path]) => sizes.map((width) => [name, width, path] as const)))(
    '%s at %i px: nothing moves',
    async (_name, width, path) => {
      const viewport = { width, height: 900 }
      const context = await state.browser.newContext({
        viewport,
        storageState: state.login,
        javaScriptEnabled: false,
      })
      const page = await context.newPage()
      const url = `${product.url}/o/${org}${path()}`
      const html = await (await context.request.get(url)).text()
      const read = { to: html.length }
      await page.route(
        (to) => to.href === url,
        (route) => route.fulfill({ body: html.slice(0, read.to), contentType: 'text/html; charset=utf-8' }),
      )
      await keepStyles(page)
      await page.goto(url)
      const whole = await placesOf(page)
      expect(Object.keys(whole).length).toBeGreaterThan(50)
      const moved = new Set<string>()
      for (const cut of cutsOf(html)) {
        read.to = cut
        await page.goto(url)
        for (const [key, { x, y, what }] of Object.entries(await placesOf(page))) {
          const end = whole[key]
          if (end && Math.max(Math.abs(end.x - x), Math.abs(end.y - y)) >= leastPx)
            moved.add(`${what}: ${Math.round(x)} ${Math.round(y)} -> ${Math.round(end.x)} ${Math.round(end.y)}`)
        }
      }
      await context.close()
      expect([...moved].slice(0, 10)).toEqual([])
    },
    120_000,
  )
})
