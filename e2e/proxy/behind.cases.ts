import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import {
  bootstrap,
  discard,
  envelopeOf,
  errorEvent,
  eventId,
  type Product,
  type Project,
  ready,
  start,
  until,
} from '../product.ts'
import { ask, listen, type RequestSpec, sendHttp2 } from './client.ts'
import { type Nginx, reserve, startNginx } from './nginx.ts'

const org = 'behind'
const email = `owner@${org}.test`
/** The address of nginx as Mishap sees it. Clients of the tests use other addresses of this machine. */
const proxyAddress = '127.0.0.1'
const forged = '203.0.113.66'

type State = { product: Product; nginx: Nginx; project: Project; url: string; browser: Browser; watched: Watched }

/** Starts Mishap under `basePath` of https://localhost:PORT behind the documented nginx. `location`: see startNginx. */
async function open(state: State, basePath: string, location?: string): Promise<void> {
  const ports = await reserve()
  const url = `https://localhost:${ports.port}${basePath}`
  state.url = url
  state.product = await start({
    port: ports.upstreamPort,
    env: { MISHAP_URL: url, MISHAP_TRUSTED_PROXIES: proxyAddress },
  })
  await ready(state.product)
  state.nginx = await startNginx(ports, location)
  state.project = bootstrapAt(state.product, url)
}

/** Runs bootstrap with MISHAP_URL set, because the printed DSN depends on it. */
function bootstrapAt(product: Product, url: string): Project {
  const before = process.env.MISHAP_URL
  process.env.MISHAP_URL = url
  try {
    return bootstrap(product, org)
  } finally {
    if (before === undefined) delete process.env.MISHAP_URL
    else process.env.MISHAP_URL = before
  }
}

/** Tests behind a proxy with TLS, for a URL with or without a path. `everyLink` also visits every screen (20 s). */
export function behindProxy(basePath: string, location?: string, everyLink = true): void {
  const state = {} as State
  beforeAll(async () => {
    await open(state, basePath, location)
    if (!noChromium) state.browser = await openBrowser()
  })
  afterAll(async () => {
    await state.browser?.close()
    await state.nginx?.stop()
    if (state.product) await discard(state.product)
  })
  const over = (path: string, more: Partial<RequestSpec> = {}) =>
    ask({ url: `${state.url}${path}`, certificate: state.nginx.certificate, ...more })
  const api = (path: string) => over(`/api/0${path}`, { headers: { authorization: `Bearer ${state.project.token}` } })
  const send = (event: Record<string, unknown>, more: Partial<RequestSpec> = {}) => {
    // Build the URL like an SDK does from the DSN.
    const dsn = new URL(state.project.dsn)
    const at = dsn.pathname.lastIndexOf('/')
    const path = `${dsn.pathname.slice(0, at)}/api${dsn.pathname.slice(at)}/envelope/`
    const url = `${dsn.protocol}//${dsn.host}${path}?sentry_key=${dsn.username}&sentry_version=7`
    return ask({ url, certificate: state.nginx.certificate, method: 'POST', body: envelopeOf(event), ...more })
  }
  const stored = (id: string) =>
    until('the event', 15_000, async () => {
      const answer = await api(`/projects/${org}/web/events/${id}/`)
      return answer.status === 200 && (JSON.parse(answer.text) as { user: { ip_address: string | null } | null })
    })
  const automatic = () => errorEvent('ProxyError', 'far away', { user: { ip_address: '{{auto}}' } })

  test('the DSN is https, and an SDK that follows it is answered', async () => {
    expect(state.project.dsn).toMatch(new RegExp(`^https://[0-9a-f]{32}@localhost:\\d+${basePath}/\\d+$`))
    const event = automatic()
    const answer = await send(event, { from: '127.0.0.2' })
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { id: event.event_id }])
  })

  test.each([
    ['the client, which the proxy names', {}, '127.0.0.2'],
    ['the client, whatever it claims itself', { 'x-forwarded-for': forged, 'x-real-ip': forged }, '127.0.0.2'],
    ['the client, whatever chain it claims', { 'x-forwarded-for': `${forged}, ${proxyAddress}` }, '127.0.0.2'],
  ])('the address of an event is that of %s', async (_name, headers, address) => {
    const event = automatic()
    expect((await send(event, { from: '127.0.0.2', headers })).status).toBe(200)
    expect((await stored(event.event_id)).user?.ip_address).toBe(address)
  })

  test('who passes the proxy by is believed nothing', async () => {
    const event = automatic()
    const { request } = await import('node:http')
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const path = `/api/${state.project.id.split('/').at(-1)}/envelope/?sentry_key=${state.project.key}&sentry_version=7`
      const options = { host: '127.0.0.1', port: state.product.port, path, method: 'POST', localAddress: '127.0.0.3' }
      request({ ...options, headers: { 'x-forwarded-for': forged } }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
        .on('error', reject)
        .end(envelopeOf(event))
    })
    expect(status).toBe(200)
    expect((await stored(event.event_id)).user?.ip_address).toBe('127.0.0.3')
  })

  test('a body far over the 1 MiB that nginx takes by itself arrives whole', async () => {
    const attachment = Buffer.alloc(6 * 1024 * 1024, 'a line of a log\n')
    const event = { ...automatic(), event_id: eventId() }
    const head = `{"type":"attachment","length":${attachment.length},"filename":"app.log"}\n`
    const body = Buffer.concat([Buffer.from(envelopeOf(event) + head), attachment, Buffer.from('\n')])
    expect((await send(event, { body })).status).toBe(200)
    await stored(event.event_id)
    const list = await until('the attachment', 10_000, async () => {
      const found = JSON.parse((await api(`/projects/${org}/web/events/${event.event_id}/attachments/`)).text)
      return Array.isArray(found) && found.length > 0 && (found as { size: number }[])
    })
    expect(list[0]?.size).toBe(attachment.length)
  })

  test('a search of 12 KB goes through, and its answer, which names it twice', async () => {
    const query = encodeURIComponent(`"${'ä'.repeat(2000)}"`)
    const path = `/organizations/${org}/issues/?query=${query}`
    const answer = await api(path)
    expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, '[]'])
    expect(String(answer.headers.link).length).toBeGreaterThan(2 * query.length)
    const headers = { authorization: `Bearer ${state.project.token}` }
    const url = `${state.url}/api/0${path}`
    expect((await sendHttp2({ url, certificate: state.nginx.certificate, headers })).status).toBe(200)
  })

  test('what changes arrives unbuffered on the live stream', async () => {
    const stream = await listen({
      url: `${state.url}/api/0/organizations/${org}/live/`,
      certificate: state.nginx.certificate,
      headers: { authorization: `Bearer ${state.project.token}`, 'accept-encoding': 'gzip, br' },
    })
    try {
      expect(stream.headers['content-type']).toContain('text/event-stream')
      expect(stream.headers['content-encoding']).toBeUndefined()
      // The first piece has 13 bytes. A buffering proxy would hold it back.
      await until('the first piece', 2000, async () => stream.pieces.length > 0)
      const event = automatic()
      await send(event)
      await stored(event.event_id)
      const storedMs = performance.now()
      const change = await until('the change', 3000, async () =>
        stream.pieces.find((piece) => piece.text.includes('event: change')),
      )
      expect(change.atMs - storedMs).toBeLessThan(1000)
    } finally {
      stream.stop()
    }
  })

  test('pages and API answer over HTTP/2', async () => {
    const page = await sendHttp2({ url: `${state.url}/login`, certificate: state.nginx.certificate })
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers['content-security-policy']).toContain("default-src 'self'")
    expect(page.headers['strict-transport-security']).toContain('max-age')
    const list = await sendHttp2({
      url: `${state.url}/api/0/organizations/${org}/projects/`,
      certificate: state.nginx.certificate,
      headers: { authorization: `Bearer ${state.project.token}` },
    })
    expect(list.status).toBe(200)
  })

  test('plain http leads to https, and no redirect leads away from it', async () => {
    const plain = await fetch(`${state.nginx.plainUrl}${basePath}/o/${org}/issues?q=a`, { redirect: 'manual' })
    expect([plain.status, plain.headers.get('location')]).toEqual([308, `${state.url}/o/${org}/issues?q=a`])
    for (const path of ['', `/o/${org}/issues`, '/setup', '/find?q=x']) {
      const answer = await over(path)
      const location = String(answer.headers.location ?? '')
      if (answer.status >= 300 && answer.status < 400) expect(new URL(location, state.url).href).toContain(state.url)
      else expect(answer.status, path).toBe(200)
    }
  })

  test('forms of another origin are refused, however it is spelled', async () => {
    const origins = ['https://evil.example', `http://${state.nginx.host}`, 'null', `https://localhost`]
    for (const origin of origins) {
      const answer = await over('/login', { method: 'POST', headers: { origin, 'x-forwarded-host': 'evil.example' } })
      expect([origin, answer.status, answer.text]).toEqual([origin, 403, expect.stringContaining('AUTH_ORIGIN')])
    }
  })

  test.skipIf(noChromium || !everyLink)(
    'every link, form and request of the screens stays under the address, and is answered',
    async () => {
      const { page } = await openPage(state.browser, state.url, { selfSigned: true })
      const outside: string[] = []
      const failed: string[] = []
      const isUnder = (url: string) =>
        url === state.url || url.startsWith(`${state.url}/`) || url.startsWith(`${state.url}?`)
      page.context().on('request', (request) => {
        if (/^https?:/.test(request.url()) && !isUnder(request.url())) outside.push(request.url())
      })
      page.context().on('response', (answer) => {
        if (answer.status() >= 400 && !answer.url().endsWith('/nowhere'))
          failed.push(`${answer.status()} ${answer.url()}`)
      })
      await signIn(page, state.url, email)
      const links = new Set<string>()
      const queue = [...screens]
      await concurrently(3, async () => {
        const tab = await page.context().newPage()
        for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
          await tab.goto(`${state.url}/o/${org}${path}`)
          await tab.waitForTimeout(300)
          for (const address of await addressesOf(tab)) links.add(new URL(address, state.url).href)
        }
      })
      expect(links.size).toBeGreaterThan(15)
      expect([...links].filter((link) => !isUnder(link))).toEqual([])
      const unasked = [...links]
      await concurrently(4, async () => {
        for (let link = unasked.shift(); link !== undefined; link = unasked.shift()) {
          const answer = await page.request.get(link)
          if (answer.status() >= 400) failed.push(`${answer.status()} ${link}`)
        }
      })
      expect([outside, failed]).toEqual([[], []])
      await page.context().close()
    },
  )

  test.skipIf(noChromium)('a person signs in, sees the live list grow, makes a project and signs out', async () => {
    const watched = await openPage(state.browser, state.url, { selfSigned: true })
    const { page } = watched
    await signIn(page, state.url, email)
    expect(page.url()).toContain(`${state.url}/o/${org}`)
    await cookiesAreSafe(page, basePath)
    await page.goto(`${state.url}/o/${org}/issues`)
    await page.locator('[data-id]').first().waitFor()
    const type = `Live${eventId().slice(0, 6)}Error`
    await send(errorEvent(type, 'seen at once'))
    await page.getByRole('button', { name: /1 new/i }).click({ timeout: 15_000 })
    await page.getByText(type).first().click()
    await page.waitForURL(/\/issues\/\d+/)
    expect(new URL(page.url()).pathname).toMatch(new RegExp(`^${basePath}/o/${org}/issues/`))
    await createsProject(page, state.url)
    await page.goto(`${state.url}/o/${org}/settings/account`)
    await page.getByRole('button', { name: /sign out/i }).click()
    await page.waitForURL(/\/login/)
    expect(watched).toMatchObject({ errors: [], foreign: [], dialogs: [] })
    await page.context().close()
  })
}

/** Runs the same work `times` times in parallel. */
const concurrently = (times: number, work: () => Promise<void>) => Promise.all(Array.from({ length: times }, work))

/** The screens that a member with one project can open. */
const screens = [
  '/issues',
  '/issues/WEB-1',
  '/issues?q=NothingLikeThis',
  '/projects',
  '/projects/new',
  '/projects/web/setup',
  '/settings/status',
  '/settings/account',
  '/settings/notifications',
  '/settings/projects/web/keys',
  '/nowhere',
  '/settings/projects/web',
  '/settings/members',
  '/settings/organization',
  '/feedback',
  '/settings/projects/web/rejected-data',
]

/** Same-origin URLs of a screen's links and forms. Links that only have a fragment are left out. */
async function addressesOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const links = [...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href') ?? '')
    const forms = [...document.querySelectorAll('form[action]')].map((form) => form.getAttribute('action') ?? '')
    return [...links, ...forms].filter((link) => link.startsWith('/') || link.startsWith(window.location.origin))
  })
}

async function cookiesAreSafe(page: Page, basePath: string): Promise<void> {
  const cookies = await page.context().cookies()
  const login = cookies.find((cookie) => cookie.name.includes('session_token'))
  expect(login).toMatchObject({ secure: true, httpOnly: true, sameSite: 'Lax', path: basePath || '/' })
}

/** Creates a project: a server action that redirects, then a page that shows the DSN. */
async function createsProject(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/o/${org}/projects/new`)
  await page.locator('input[name=name]').fill('Second shop')
  await page.locator('main button[type=submit], form button[type=submit]').last().click()
  await page.waitForURL(/\/projects\/second-shop\/setup/, { timeout: 20_000 })
  const shown = (await page.locator('main').textContent()) ?? ''
  const { host, pathname } = new URL(url)
  expect(shown).toMatch(new RegExp(`https://[0-9a-f]{32}@${host}${pathname.replace(/\/$/, '')}/\\d+`))
  expect(shown).not.toMatch(/http:\/\/[0-9a-f]{32}@/)
}
