import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { noChromium, openBrowser } from '../browser.ts'
import { api, bootstrap, until } from '../product.ts'
import { type Pages, servePages } from './pages.ts'

const product = inject('product')

/** A user's application with the official SDK on its own origin. It throws an uncaught error and captures another. */
const application = (sdk: string) => `
import * as Sentry from '${sdk}'
Sentry.init({ dsn: new URLSearchParams(location.search).get('dsn'), release: 'shop@1.0.0', environment: 'production', tracesSampleRate: 0 })
Sentry.setTag('plan', 'gold')
Sentry.setUser({ id: '7' })
console.log('about to fail')
document.querySelector('#go').addEventListener('click', function onGo() { throw new RangeError('quantity out of range') })
window.capture = () => Sentry.captureException(new TypeError('cart is empty'))
window.done = () => Sentry.flush(5000)
`

type Event = {
  entries: {
    type: string
    data: { values: { type?: string; category?: string; message?: string; mechanism?: { handled: boolean } }[] }
  }[]
  tags: { key: string; value: string }[]
  user: { id: string }
  contexts: Record<string, { name?: string }>
  isUnhandled: boolean
}
type Issue = { id: string; title: string; isUnhandled: boolean }

describe.skipIf(noChromium)(`official browser SDKs${noChromium ? ` (skipped: ${noChromium})` : ''}`, () => {
  const state = {} as { pages: Pages; browser: Browser }
  beforeAll(async () => {
    state.pages = await servePages(application)
    state.browser = await openBrowser()
  })
  afterAll(async () => {
    await state.browser?.close()
    state.pages?.close()
  })

  test.each([
    ['v7', '7.120.4'],
    ['v11', 'the current major'],
  ])('%s (%s): an uncaught and a captured error, across origins', async (name) => {
    const org = `sdk${name}`
    const project = bootstrap(product, org, 'shop')
    const page = await state.browser.newPage()
    await page.goto(
      `${state.pages.url}/page/${name}?dsn=${encodeURIComponent(project.dsn.replace('localhost', '127.0.0.1'))}`,
    )
    await page.click('#go')
    await page.evaluate('window.capture()')
    await page.evaluate('window.done()')
    const issues = await until('two issues', 15_000, async () => {
      const found = (await api(product, project, `/organizations/${org}/issues/?query=`)).json as Issue[]
      return found.length >= 2 && found
    })
    await page.close()
    expect(issues.map((issue) => [issue.title, issue.isUnhandled]).sort()).toEqual([
      ['RangeError: quantity out of range', true],
      ['TypeError: cart is empty', false],
    ])
    const unhandled = issues.find((issue) => issue.isUnhandled)
    const event = (await api(product, project, `/organizations/${org}/issues/${unhandled?.id}/events/latest/`))
      .json as Event
    const crumbs = event.entries.find((entry) => entry.type === 'breadcrumbs')?.data.values ?? []
    expect(crumbs.map((crumb) => crumb.category)).toEqual(expect.arrayContaining(['console', 'ui.click']))
    expect(event.user.id).toBe('7')
    expect(event.tags).toEqual(expect.arrayContaining([{ key: 'plan', value: 'gold' }]))
    expect(event.contexts.browser?.name).toMatch(/Chrom/)
  })
})
