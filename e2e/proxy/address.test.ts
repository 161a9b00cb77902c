import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { noChromium, openBrowser, openPage } from '../browser.ts'
import { discard, type Product, ready, start } from '../product.ts'
import { type Nginx, noNginx, reserve, startNginx } from './nginx.ts'

describe.skipIf(noNginx || noChromium)('setup and sign-in page say when the address does not fit', () => {
  const state = {} as { browser: Browser; product: Product | undefined; nginx: Nginx | undefined }
  beforeAll(async () => {
    state.browser = await openBrowser()
  })
  afterEach(async () => {
    await state.nginx?.stop()
    if (state.product) await discard(state.product)
    Object.assign(state, { nginx: undefined, product: undefined })
  })
  afterAll(() => state.browser?.close())

  /** Opens the setup page through nginx. Mishap gets `env`, in which `{}` stands for the port of the proxy. */
  async function setupPage(env: Record<string, string>) {
    const ports = await reserve()
    const filled = Object.entries(env).map(([name, value]) => [name, value.replace('{}', String(ports.port))])
    state.product = await start({ port: ports.upstreamPort, env: Object.fromEntries(filled) })
    await ready(state.product)
    state.nginx = await startNginx(ports)
    const secret = /\/setup\?secret=(\S+)/.exec(state.product.log())?.[1]
    const { page } = await openPage(state.browser, state.nginx.url, { selfSigned: true })
    return { page, secret, ports }
  }

  test('https in front and MISHAP_URL as it was: the form would be refused', async () => {
    const { page, secret, ports } = await setupPage({ MISHAP_URL: '' })
    await page.goto(`https://localhost:${ports.port}/setup?secret=${secret}`)
    const warning = page.locator('[data-fault]')
    await warning.waitFor()
    expect(await warning.getAttribute('data-fault')).toBe('refused')
    expect(await warning.textContent()).toContain(`MISHAP_URL=https://localhost:${ports.port}`)
    expect(await warning.textContent()).toContain('MISHAP_TRUSTED_PROXIES')
    // The warning is right: the form is refused.
    await page.locator('[name=name]').fill('Ada')
    const answer = page.waitForResponse((item) => item.request().method() === 'POST')
    await page.locator('button[type=submit]').click()
    expect((await answer).status()).toBe(403)
    await page.context().close()
  })

  test('the same with the proxy trusted: the form works, the DSN would be plain http', async () => {
    const { page, secret, ports } = await setupPage({ MISHAP_URL: '', MISHAP_TRUSTED_PROXIES: '127.0.0.1' })
    const address = `https://localhost:${ports.port}/setup?secret=${secret}`
    await page.goto(address)
    const warning = page.locator('[data-fault]')
    await warning.waitFor()
    expect(await warning.getAttribute('data-fault')).toBe('plain')
    // The server renders the warning, without scripts.
    expect(await (await page.request.get(address)).text()).toContain('data-fault="plain"')
    await page.context().close()
  })

  test('opened past the proxy: the login would not be kept; through it: nothing to say', async () => {
    const { page, secret, ports } = await setupPage({
      MISHAP_URL: 'https://localhost:{}',
      MISHAP_TRUSTED_PROXIES: '127.0.0.1',
    })
    await page.goto(`${state.product?.url}/setup?secret=${secret}`)
    await page.locator('[data-fault=secure]').waitFor()
    await page.locator('[data-fault] a').click()
    await page.waitForURL(`https://localhost:${ports.port}/setup?secret=${secret}`)
    await page.locator('[name=name]').waitFor()
    expect(await page.locator('[data-fault]').count()).toBe(0)
    await page.context().close()
  })
})
