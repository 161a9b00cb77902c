// Zoom of 200 % and reduced motion.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, type Login, loginOf, noChromium, openBrowser, openPage } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, until } from '../product.ts'

const product = inject('product')
const org = 'zoom'

describe.skipIf(noChromium)('zoom and motion', () => {
  const state = {} as { browser: Browser; login: Login; issue: string }

  beforeAll(async () => {
    const project = bootstrap(product, org, 'web')
    await ingest(product, project, envelopeOf(errorEvent('ZoomError', 'x', { release: 'shop@1.0.0' })))
    state.issue = await until('the issue', 20_000, async () => {
      const found = (await api(product, project, `/organizations/${org}/issues/?query=`)).json as { id: string }[]
      return found[0]?.id
    })
    state.browser = await openBrowser()
    state.login = await loginOf(state.browser, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  const paths = [
    '',
    '/issues',
    '/issues/ISSUE',
    '/releases',
    '/releases/shop%401.0.0',
    '/feedback',
    '/projects',
  ].concat(['account', 'members', 'status', 'projects/web', 'projects/web/keys'].map((page) => `/settings/${page}`))

  test('at 200 % no screen scrolls sideways, and the navigation leads on', async () => {
    // A window of 1440 x 900 at 200 % has 720 x 450 CSS pixels.
    const context = await state.browser.newContext({
      viewport: { width: 720, height: 450 },
      deviceScaleFactor: 2,
      storageState: state.login,
      locale: 'en-GB',
    })
    const page = await context.newPage()
    const wide: string[] = []
    for (const path of paths) {
      await page.goto(`${product.url}/o/${org}${path.replace('ISSUE', state.issue)}`)
      await page.locator('main').waitFor()
      await hydrated(page)
      const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      if (over > 0) wide.push(`${path}: ${over} px too wide`)
      // The content has at least half of the window: the frame does not cover it.
      const main = await page.locator('main').boundingBox()
      if ((main?.width ?? 0) < 360) wide.push(`${path}: main is ${main?.width} px wide`)
    }
    expect(wide).toEqual([])
    await page
      .getByRole('link', { name: /^Releases/ })
      .and(page.locator(':visible'))
      .first()
      .click()
    await page.waitForURL(/\/releases/)
    await context.close()
  })

  test('with reduced motion no transition and no animation runs', async () => {
    const { page } = await openPage(state.browser, product.url, { login: state.login })
    await page.emulateMedia({ reducedMotion: 'reduce' })
    for (const path of ['/issues', `/issues/${state.issue}`, '/settings/account/appearance']) {
      await page.goto(`${product.url}/o/${org}${path}`)
      await hydrated(page)
      // Elements whose transitions or animations would last longer than a frame.
      const moving = await page.evaluate<string[]>(`[...document.querySelectorAll('*')].filter((one) => {
        const style = getComputedStyle(one)
        const longest = (text) => Math.max(...text.split(',').map((part) => parseFloat(part) * (part.trim().endsWith('ms') ? 1 : 1000)))
        return longest(style.transitionDuration) > 17 || (style.animationName !== 'none' && longest(style.animationDuration) > 17)
      }).map((one) => one.tagName + '.' + one.getAttribute('class')).slice(0, 5)`)
      expect([path, moving]).toEqual([path, []])
    }
    await page.context().close()
  })
})
