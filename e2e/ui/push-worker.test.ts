import { existsSync } from 'node:fs'
import { type CDPSession, chromium, type Page, type Worker } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openPage } from '../browser.ts'
import { chromiumWords, until } from '../product.ts'

const product = inject('product')
/** The small headless build of Chromium refuses all notifications. */
const whole = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((place) => existsSync(place)) ?? ''
const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>'
const against = 'abc\u202edcba \u2066\u05e9\u05dc\u05d5\u05dd'
const long = 'x'.repeat(3000)

type Shown = { title: string; body: string; tag: string; url: string }

/**
 * Counts the notifications that are on the screen. Chromium drops a notification if it is asked for its notifications
 * between the moment it stores one and the moment it shows it. In a run on a busy machine, 2 of 10 tests lost one.
 */
const countShown = `(() => {
  self.shown = 0
  const show = self.registration.showNotification.bind(self.registration)
  self.registration.showNotification = async (...words) => {
    await show(...words)
    self.shown++
  }
})()`

// A push service needs the vendor's servers. The debugger delivers a push to the worker as the browser does after it
// has decrypted one.
describe.skipIf(whole === '')('the service worker that shows push messages', () => {
  const state = {} as { close(): Promise<void>; page: Page; worker: Worker; debug: CDPSession; id: string }
  const origin = new URL(product.url).origin

  beforeAll(async () => {
    const args = [...chromiumWords, '--headless=new']
    const browser = await chromium.launch({ executablePath: whole, headless: false, args })
    const { page } = await openPage(browser, product.url)
    const context = page.context()
    await context.grantPermissions(['notifications'], { origin })
    await page.goto(`${product.url}/login`)
    const debug = await context.newCDPSession(page)
    const ids: string[] = []
    debug.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) =>
      ids.push(...registrations.map(({ registrationId }) => registrationId)),
    )
    await debug.send('ServiceWorker.enable')
    await page.evaluate(
      "navigator.serviceWorker.register('/push-worker.js').then(() => navigator.serviceWorker.ready).then(() => true)",
    )
    const id = await until('the registration', 10_000, async () => ids[0])
    const worker = await until('the worker', 10_000, async () => context.serviceWorkers()[0])
    await worker.evaluate(countShown)
    Object.assign(state, { page, worker, debug, id, close: () => browser.close() })
  })
  afterAll(() => state.close?.())

  /** Delivers a push and returns the notifications with its tag, once one of them has its text. */
  async function shownAfter(message: Shown): Promise<Shown[]> {
    const data = JSON.stringify(message)
    const shown = () => state.worker.evaluate('self.shown') as Promise<number>
    const before = await shown()
    await state.debug.send('ServiceWorker.deliverPushMessage', { origin, registrationId: state.id, data })
    await until('the push', 10_000, async () => (await shown()) > before)
    const read = `navigator.serviceWorker.ready
      .then((found) => found.getNotifications({ tag: ${JSON.stringify(message.tag)} }))
      .then((all) => all.map(({ title, body, tag, data }) => ({ title, body, tag, url: data.url })))`
    return until('the notification', 10_000, async () => {
      const all = (await state.page.evaluate(read)) as Shown[]
      return all.some(({ title, url }) => title === message.title && url === message.url) && all
    })
  }

  /** Clicks a notification, and returns what the worker opens. A real click would need a desktop. */
  async function openedBy(tag: string): Promise<string[]> {
    return (await state.worker.evaluate(`(async () => {
      const opened = []
      self.clients.openWindow = async (url) => void opened.push(url)
      const [notification] = await self.registration.getNotifications({ tag: ${JSON.stringify(tag)} })
      self.dispatchEvent(new NotificationEvent('notificationclick', { notification }))
      await new Promise((resolve) => setTimeout(resolve, 300))
      return opened
    })()`)) as string[]
  }

  test('a push becomes a notification, and its click opens the link', async () => {
    const url = `${product.url}/o/acme/issues/1`
    const message = { title: 'New issue WEB-1: TypeError', body: 'x is undefined', tag: 'delivery-1', url }
    expect(await shownAfter(message)).toEqual([message])
    expect(await openedBy('delivery-1')).toEqual([url])
  })

  test('a message that comes again takes the place of the first one', async () => {
    await shownAfter({ title: 'First', body: '', tag: 'delivery-2', url: '' })
    const again = { title: 'Again', body: '', tag: 'delivery-2', url: '' }
    expect(await shownAfter(again)).toEqual([again])
  })

  test.each([
    ['markup', markup],
    ['text against the direction', against],
    ['a long word', long],
  ])('%s is text', async (tag, text) => {
    const message = { title: text, body: text, tag, url: `${product.url}/o/acme` }
    expect(await shownAfter(message)).toEqual([message])
  })

  test.each(['https://evil.example/', 'javascript:alert(1)', '//evil.example', 'data:text/html,x', ''])(
    'a click does not open %j',
    async (url) => {
      await shownAfter({ title: 'x', body: '', tag: `to ${url}`, url })
      expect(await openedBy(`to ${url}`)).toEqual([])
    },
  )
})
