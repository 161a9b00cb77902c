// Behaviour of the application in the browser, on the production build. Each case provokes one behaviour. The table in
// docs/behaviour.md lists the observed result, and how the case fails without the behaviour.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { choose, hydrated, type Login, loginOf, noChromium, openBrowser, openPage } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'
import {
  chunksOf,
  documentsOf,
  editScripts,
  envelopesOf,
  failedTries,
  failures,
  frameAnswers,
  holdRequests,
  mendData,
  ofType,
  sentTo,
  spoilActions,
  spoilData,
  stopClock,
} from './behave.ts'

const product = inject('product')
const org = 'behave'
const issueCount = 30
const clientError = 'Application error: a client-side exception has occurred'
const serverError = 'Application error: a server-side exception has occurred'

describe.skipIf(noChromium)('how the application behaves in the browser', () => {
  const state = {} as { browser: Browser; login: Login; project: Project; issue: string }
  const at = (path: string) => `${product.url}/o/${org}${path}`
  const data = (path: string) => new RegExp(`${path}\\?.*_rsc=`)

  /** Opens a page with a login and closes it after the test. `ready`: the selector to wait for. */
  async function open(path: string, ready = 'main h1, main [data-id]', height = 900): Promise<Page> {
    const { page } = await openPage(state.browser, product.url, { login: state.login, height, routed: true })
    onTestFinished(() => page.context().close())
    if (path === '') return page
    await page.goto(at(path))
    await page.locator(ready).first().waitFor()
    await hydrated(page)
    return page
  }
  /** The sidebar link to a screen. */
  const link = (page: Page, name: string) => page.locator(`nav a[href$="/${name}"]`).first()
  const comment = (page: Page) => page.getByRole('textbox', { name: 'Comment' })
  const alert = (page: Page) => page.locator('[role=alert]', { hasText: 'Application error' })

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    const types = Array.from({ length: issueCount }, (_, at) => `Case${at}Error`)
    await Promise.all(types.map((type) => ingest(product, state.project, envelopeOf(errorEvent(type)))))
    state.issue = await until('the issues', 20_000, async () => {
      const found = (await api(product, state.project, `/organizations/${org}/issues/?query=&limit=100`)).json as {
        id: string
      }[]
      return found.length === issueCount && found[0]?.id
    })
    state.browser = await openBrowser()
    state.login = await loginOf(state.browser, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  describe('addresses', () => {
    test('a link to a hash makes no request', async () => {
      const page = await open('/issues')
      await page.evaluate(
        "(() => { const a = document.createElement('a'); a.href = '#somewhere'; a.id = 'hash'; a.textContent = 'x'; document.body.prepend(a) })()",
      )
      const requested: string[] = []
      page.on('request', (request) => requested.push(request.url()))
      await page.click('#hash')
      await page.waitForURL(/#somewhere$/)
      await page.waitForTimeout(300)
      // The live stream, the reporter and the sidebar's numbers start by themselves when the page is quiet.
      expect(
        requested.filter((url) => !/\/live\/|\/issue-counts\/|\/health\/|\/chunks\/|\/envelope\//.test(url)),
      ).toEqual([])
    })

    test('back and forward restore the scroll position and the selection', async () => {
      const page = await open('/issues', '[data-id]', 500)
      const scrolled = () => page.evaluate<number>('scrollY')
      await page.evaluate('scrollTo(0, 700)')
      await until('the scroll', 3000, async () => (await scrolled()) > 600)
      const before = await scrolled()
      // Find it by position: scrolling adds and removes rows, so the twelfth row can change at any moment.
      const id = await until('a row', 3000, () =>
        page.evaluate<string>("document.elementFromPoint(700, 300)?.closest('[data-id]')?.dataset.id"),
      )
      await page.locator(`[data-id="${id}"] a`).click()
      await page.waitForURL(/\/issues\/\d+/)
      await comment(page).waitFor()
      await page.goBack()
      await page.locator(`[data-id="${id}"][data-cursor]`).waitFor()
      await until('the place', 3000, async () => Math.abs((await scrolled()) - before) < 60)
      await page.goForward()
      await comment(page).waitFor()
    })

    test.each([
      '/no-such-screen',
      '/issues/99999999',
      '/issues/WEB-999',
      '/issues/WEB-1/events/77777',
      '/projects/nothing/setup',
    ])('typed: %s answers 404 with the not-found page and its search box', async (path) => {
      const page = await open('')
      expect((await page.goto(at(path)))?.status()).toBe(404)
      await page.getByRole('heading', { name: /not found/i }).waitFor()
      expect(await page.getByRole('searchbox').count()).toBe(1)
    })

    test('clicked: what is gone ends on the not-found page inside the shell, without a new document', async () => {
      const gone = bootstrap(product, org, 'gone')
      const page = await open('/projects')
      const documents = documentsOf(page)
      await api(product, state.project, `/projects/${org}/${gone.slug}/`, { method: 'DELETE' })
      await page.locator(`main a[href*="/projects/${gone.slug}/"]`).first().click()
      await page.getByRole('heading', { name: /not found/i }).waitFor()
      expect(await page.getByRole('searchbox').count()).toBe(1)
      expect(await page.locator('.shell-side').count()).toBe(1)
      expect(documents.count).toBe(0)
    })
  })

  describe('errors', () => {
    test('in a screen of the browser: the sentence inside the shell, one report, and Try again', async () => {
      const page = await open('/issues')
      const sent = envelopesOf(page)
      const list = /\/issues\/\?.*limit=/
      await page.route(list, async (route) => {
        const answer = await route.fetch()
        const rows = (await answer.json()) as object[]
        await route.fulfill({ response: answer, json: rows.map((row) => ({ ...row, stats: null })) })
      })
      await choose(page, 'sort', 'users')
      await alert(page).getByRole('heading', { name: clientError }).waitFor()
      expect(await alert(page).innerText()).not.toMatch(/TypeError|null|\.js:\d/)
      expect(await page.locator('.shell-side').count()).toBe(1)
      expect(await alert(page).getByRole('button', { name: 'Reload' }).count()).toBe(1)
      const events = await until('the report', 10_000, async () => {
        const found = ofType(sent, 'event')
        return found.length > 0 && found
      })
      expect(events.map((event) => event.tags?.boundary)).toEqual(['error.tsx'])
      await page.unroute(list)
      await page.goto(at('/issues'))
      await page.locator('[data-id]').first().waitFor()
    })

    test.each(['typed', 'clicked'])(
      'on the server, %s: 500, digest, copy, Try again, and nothing of it leaks',
      async (way) => {
        const page = await open(way === 'typed' ? '' : '/issues')
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
        const everything = await sentTo(page)
        const secret = 'planted_secret_9f3c'
        const database = new DatabaseSync(join(product.data, 'meta', 'mishap.sqlite'), { timeout: 5000 })
        const mend = () => database.exec('drop view api_token; alter table api_token_away rename to api_token')
        database.exec(
          `alter table api_token rename to api_token_away; create view api_token as select * from ${secret}`,
        )
        let digest = ''
        try {
          if (way === 'typed') expect((await page.goto(at('/settings/account')))?.status()).toBe(500)
          else await link(page, 'settings').click()
          await alert(page).getByRole('heading', { name: serverError }).waitFor()
          digest = await alert(page).locator('code').innerText()
          expect(digest).toMatch(/^\w{6,}$/)
          await alert(page).getByRole('button', { name: 'Copy' }).click()
          await alert(page).getByRole('button', { name: 'Copied' }).waitFor()
          expect(await page.evaluate('navigator.clipboard.readText()')).toBe(digest)
          expect(await alert(page).getByRole('link').getAttribute('href')).toBe(`/d/${digest}`)
          if (way === 'clicked') expect(await page.locator('.shell-side').count()).toBe(1)
        } finally {
          mend()
          database.close()
        }
        const text = everything.join('\n')
        expect(text).toContain(digest)
        expect(text).not.toMatch(new RegExp(`${secret}|no such table|api_token`))
        await alert(page).getByRole('button', { name: 'Try again' }).click()
        await page.getByRole('button', { name: 'Sign out' }).waitFor()
      },
    )

    test('the frame itself breaks: the same screen, reported', async () => {
      const page = await open('')
      const sent = envelopesOf(page)
      // Break the key listener of the shell, and not the later one of the reporter.
      await page.addInitScript(`const listen = window.addEventListener.bind(window)
        window.addEventListener = (type, ...rest) => {
          if (type !== 'keydown') return listen(type, ...rest)
          window.addEventListener = listen
          throw new Error('planted')
        }`)
      await page.goto(at('/issues'))
      await alert(page).getByRole('heading', { name: clientError }).waitFor()
      await until('the report', 10_000, async () =>
        ofType(sent, 'event').some((event) => event.tags?.boundary === 'global-error.tsx'),
      )
    })

    test('an internal error of the framework ends on the same screen, reported', async () => {
      const page = await open('')
      const sent = envelopesOf(page)
      const sentence = 'invariant expected layout router to be mounted'
      await editScripts(page, (text) => text.replace(new RegExp(`if\\(!\\w+\\)(throw Error\\("${sentence}"\\))`), '$1'))
      await page.goto(at('/issues'))
      await alert(page).getByRole('heading', { name: clientError }).waitFor()
      await until('the report', 10_000, async () =>
        ofType(sent, 'event').some((event) => event.exception?.values.some(({ value }) => value === sentence)),
      )
    })
  })

  describe('a client navigation', () => {
    test.each(Object.entries(failures))(
      'that meets %s becomes one full load, once, and the half-typed comment is back',
      async (_name, failure) => {
        const page = await open(`/issues/${state.issue}`)
        await comment(page).fill('half typed')
        const documents = documentsOf(page)
        await spoilData(page, failure)
        await link(page, 'releases').click()
        await page.getByRole('heading', { name: 'Releases', exact: true }).waitFor()
        await hydrated(page)
        expect(documents.count).toBe(1)
        await mendData(page)
        // Do not go back in the history: then the browser itself restores the fields.
        await page.goto(at(`/issues/${state.issue}`))
        await until('the comment', 5000, async () => (await comment(page).inputValue()) === 'half typed')
      },
    )

    test.each([
      [3700, 0],
      [3900, 1],
    ])('that is silent for %i ms loads %i documents; silent again at the same address it waits', async (ms, loads) => {
      const page = await open('')
      await page.clock.install()
      await page.goto(at('/issues'))
      await hydrated(page)
      await stopClock(page)
      const documents = documentsOf(page)
      const silence = await holdRequests(page, data('/releases'))
      // Wait for the request of the navigation. Hovering over the link has already caused a prefetch.
      const isHeld = () =>
        until('the request', 5000, async () =>
          silence.held.some((route) => !('next-router-prefetch' in route.request().headers())),
        )
      await link(page, 'releases').click()
      await isHeld()
      await page.clock.runFor(ms)
      if (loads === 0) await silence.release()
      await page.getByRole('heading', { name: 'Releases', exact: true }).waitFor()
      expect(documents.count).toBe(loads)
      if (loads === 0) return
      // No navigation in between may succeed, because it would show that the network works again.
      silence.held.splice(0)
      await page.goto(at('/issues'))
      await hydrated(page)
      const documentsAfter = documentsOf(page)
      await link(page, 'releases').click()
      await isHeld()
      await page.clock.runFor(8000)
      await silence.release()
      await page.getByRole('heading', { name: 'Releases', exact: true }).waitFor()
      expect(documentsAfter.count).toBe(0)
    })

    test('prefetching never has more than 5 requests in flight, and a click goes past those that wait', async () => {
      const page = await open('/issues')
      const flight = { now: 0, most: 0, all: 0 }
      await page.route(/_rsc=/, async (route) => {
        if (!route.request().headers()['next-router-prefetch']) return route.continue()
        flight.all += 1
        flight.now += 1
        flight.most = Math.max(flight.most, flight.now)
        await new Promise((resolve) => setTimeout(resolve, 250))
        flight.now -= 1
        await route.continue().catch(() => undefined)
      })
      await page.evaluate("for (const one of document.querySelectorAll('nav a')) one.focus()")
      // Next also limits its queue to four. Other requests must wait in the same queue.
      await page.evaluate(
        "for (let at = 0; at < 12; at++) void fetch('/login?_rsc=' + at, { headers: { rsc: '1', 'next-router-prefetch': '1' } }).then((answer) => answer.text())",
      )
      await until('more than fit', 5000, async () => flight.all >= 4)
      await link(page, 'releases').click()
      await page.getByRole('heading', { name: 'Releases', exact: true }).waitFor()
      await until('the others', 5000, async () => flight.all >= 16 && flight.now === 0)
      expect(flight.most).toBe(4)
    })
  })

  describe('scripts', () => {
    test('a lazy chunk that fails once is asked for again', async () => {
      const page = await open('/issues')
      const knownChunks = await chunksOf(page)
      const failed: string[] = []
      await page.route(/\/chunks\/.*\.js/, (route) => {
        const url = route.request().url()
        if (knownChunks.includes(url) || failed.length > 0) return route.continue()
        failed.push(url)
        return route.fulfill({ status: 404, body: '' })
      })
      const documents = documentsOf(page)
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
      expect([failed.length, documents.count]).toEqual([1, 0])
    })

    test('one that fails each time: the page reloads once, then the error screen says so', async () => {
      const page = await open('/issues')
      const knownChunks = await chunksOf(page)
      await page.route(/\/chunks\/.*\.js/, (route) =>
        knownChunks.includes(route.request().url()) ? route.continue() : route.fulfill({ status: 404, body: '' }),
      )
      const documents = documentsOf(page)
      await page.keyboard.press('Control+k')
      await until('the reload', 10_000, async () => documents.count === 1)
      await hydrated(page)
      await page.keyboard.press('Control+k')
      await alert(page).getByRole('heading', { name: clientError }).waitFor()
      expect(documents.count).toBe(1)
    })

    test('a page of which no script can be loaded reloads once, then says so', async () => {
      const page = await open('')
      const documents = documentsOf(page)
      await page.route(/\/chunks\/.*\.js/, (route) => route.fulfill({ status: 404, body: '' }))
      await page.goto(at('/issues'))
      await page.locator('#boot-error', { hasText: 'a script could not be loaded' }).waitFor({ timeout: 10_000 })
      expect(documents.count).toBe(2)
    })

    test('a page whose scripts never start says so', async () => {
      const page = await open('')
      await page.clock.install()
      const scripts = await holdRequests(page, /\/chunks\/.*\.js/)
      await page.goto(at('/issues'), { waitUntil: 'commit' })
      await page.locator('[data-id]').first().waitFor()
      await page.clock.runFor(10_000)
      await page.locator('#boot-error', { hasText: 'have not started' }).waitFor()
      await scripts.release()
      await page.locator('#boot-error').waitFor({ state: 'detached' })
    })
  })

  describe('a new deployment under an open tab', () => {
    test('the next navigation loads the document, and what was typed comes back', async () => {
      const page = await open('/projects/new')
      await page.getByLabel('Name').fill('Half typed')
      const documents = documentsOf(page)
      await page.route(/_rsc=/, async (route) => {
        const answer = await route.fetch()
        const text = await answer.text()
        expect(text).toMatch(/"b":"\w+"/)
        await route.fulfill({ response: answer, body: text.replace(/"b":"\w+"/, '"b":"next"') })
      })
      await link(page, 'releases').click()
      await page.getByRole('heading', { name: 'Releases', exact: true }).waitFor()
      expect(documents.count).toBe(1)
      await page.goto(at('/projects/new'))
      await until('the name', 5000, async () => (await page.getByLabel('Name').inputValue()) === 'Half typed')
    })

    test('a form of the old build: the page reloads once and the form is filled in again', async () => {
      const page = await open('/projects/new')
      await page.getByLabel('Name').fill('From an old tab')
      const documents = documentsOf(page)
      const mend = await spoilActions(page, (route) =>
        route.fulfill({ status: 404, headers: { 'x-nextjs-action-not-found': '1' }, body: 'Server action not found.' }),
      )
      await page.locator('main form button[type=submit]').click()
      await until('the reload', 5000, async () => documents.count === 1)
      await until('the name', 5000, async () => (await page.getByLabel('Name').inputValue()) === 'From an old tab')
      await hydrated(page)
      await mend()
      await page.locator('main form button[type=submit]').click()
      await page.waitForURL(/\/projects\/from-an-old-tab\/setup/)
    })
  })

  test.each(Object.entries(failures).slice(0, 3))(
    'a form whose action meets %s keeps its fields and says why; sent again it works',
    async (name, failure) => {
      const page = await open('/projects/new')
      const title = `After ${name}`
      await page.getByLabel('Name').fill(title)
      await page.getByLabel('Ruby', { exact: true }).check()
      const documents = documentsOf(page)
      const mend = await spoilActions(page, failure)
      await page.locator('main form button[type=submit]').click()
      await page.locator('main form [role=alert]', { hasText: 'Your input is kept' }).waitFor()
      expect(await page.getByLabel('Name').inputValue()).toBe(title)
      expect(await page.getByLabel('Ruby', { exact: true }).isChecked()).toBe(true)
      await mend()
      await page.locator('main form button[type=submit]').click()
      await page.waitForURL(/\/projects\/after-[\w-]+\/setup/)
      expect(documents.count).toBe(0)
    },
  )

  describe('offline and slow', () => {
    const bar = (page: Page, status: string) => page.locator(`.connection-bar[data-standing=${status}] [role=status]`)

    test('without a network a bar says so, nothing is lost, and a click is done when it is back', async () => {
      const page = await open(`/issues/${state.issue}`)
      const documents = documentsOf(page)
      await page.context().setOffline(true)
      await bar(page, 'offline').getByText('No network').waitFor()
      await comment(page).fill('typed without a network')
      await page.getByRole('button', { name: 'Comment', exact: true }).click()
      await page.getByRole('alert').getByText('Mishap does not answer').waitFor()
      await link(page, 'releases').click()
      await page.waitForTimeout(200)
      expect([await comment(page).inputValue(), documents.count]).toEqual(['typed without a network', 0])
      await page.context().setOffline(false)
      await Promise.all([
        bar(page, 'back').waitFor(),
        page.getByRole('heading', { name: 'Releases', exact: true }).waitFor(),
      ])
      expect(documents.count).toBe(0)
      await page.goBack()
      await until('the draft', 5000, async () => (await comment(page).inputValue()) === 'typed without a network')
      await page.getByRole('button', { name: 'Comment', exact: true }).click()
      await page.locator('.comment-text', { hasText: 'typed without a network' }).waitFor()
    })

    test('while Mishap is silent it is asked with growing pauses, and what was asked for comes by itself', async () => {
      const page = await open('')
      await page.clock.install()
      const frame = frameAnswers(page, org)
      await page.goto(at('/issues'))
      await hydrated(page)
      await frame
      await stopClock(page)
      const probes = failedTries(page)
      const silence = { on: true }
      await page.route('**/*', (route) => (silence.on ? route.abort('connectionrefused') : route.continue()))
      await choose(page, 'sort', 'users')
      await bar(page, 'silent').getByText('does not answer').waitFor()
      for (const [at, pause] of [1000, 2000, 4000].entries()) {
        await page.clock.runFor(pause)
        await until('the next try', 5000, async () => probes.length === at + 2)
      }
      const first = probes[0] ?? 0
      expect(probes.map((probe) => probe - first)).toEqual([0, 1000, 3000, 7000])
      silence.on = false
      const answered = page.waitForResponse((answer) => /sort=user/.test(answer.url()) && answer.ok())
      await page.clock.runFor(8000)
      await bar(page, 'back').waitFor()
      await answered
    })

    test('what was refused while Mishap was starting is asked for again when it is up', async () => {
      const page = await open('')
      const starting = { is: true, streams: 0 }
      await page.route(/\/live\/|\/events\/latest\//, (route) => {
        if (!starting.is) return route.continue()
        if (route.request().url().includes('/live/')) starting.streams += 1
        return route.fulfill({ status: 503, json: { detail: 'Mishap is starting.', code: 'STORE_UNAVAILABLE' } })
      })
      await page.goto(at('/issues'))
      await hydrated(page)
      await page.locator('[data-id]').first().waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('Space')
      const refused = page.locator('.peek').getByRole('alert')
      await refused.waitFor()
      await until('the refused stream', 10_000, async () => starting.streams > 0)
      starting.is = false
      await refused.waitFor({ state: 'detached', timeout: 15_000 })
    })

    test('an answer that takes over 5 s is said to, until it is there', async () => {
      const page = await open('')
      await page.clock.install()
      await page.goto(at('/issues'))
      await hydrated(page)
      await stopClock(page)
      const slow = await holdRequests(page, /\/issues\/\?.*sort=user/)
      await choose(page, 'sort', 'users')
      await until('the request', 5000, async () => slow.held.length > 0)
      await page.clock.runFor(4900)
      expect(await bar(page, 'slow').count()).toBe(0)
      await page.clock.runFor(200)
      await bar(page, 'slow').getByText('slow to answer').waitFor()
      await slow.release()
      await bar(page, 'slow').waitFor({ state: 'detached' })
    })
  })
})
