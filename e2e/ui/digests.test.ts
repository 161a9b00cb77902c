import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { digestHookOf } from '../../src/web/digest-hook.ts'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, eventId, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'digests'
const other = 'digests-two'
/** Markup, and a character that reverses the text direction. */
const hostile = `<img src=x onerror=alert(1)>"'\u202etxet`
const minified = 'Minified React error #441; visit https://react.dev/errors/441 for the full message'
const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

type Sent = Record<string, unknown> & { event_id: string }
const exception = (type: string, value: string) => ({ exception: { values: [{ type, value }] } })
const event = (more: Record<string, unknown>): Sent => ({
  event_id: eventId(),
  timestamp: Date.now() / 1000,
  platform: 'javascript',
  ...more,
})
const crumb = { category: 'ui.click', message: `button ${hostile}`, timestamp: Date.now() / 1000, level: 'info' }
/** The browser's event of a failure. `serverEvent` is the server's event. */
const browserEvent = (more: object = {}) =>
  event({ ...exception('Error', minified), user: { id: eventId() }, breadcrumbs: { values: [crumb] }, ...more })
const serverEvent = (type: string, more: object = {}) =>
  event({
    platform: 'node',
    server_name: 'api-1',
    contexts: { runtime: { name: 'node', version: 'v24' } },
    ...exception(type, hostile),
    ...more,
  })
const trace = (id: string) => ({ trace: { trace_id: id, span_id: '0123456789abcdef' } })

describe.skipIf(noChromium)('digests, what they hide, and signs', () => {
  const state = {} as { browser: Browser; watched: Watched; web: Project; api: Project; other: Project }
  const page = (): Page => state.watched.page
  const hidden = () => page().getByRole('region', { name: 'The server error behind it' })
  const browserErrors = () => page().getByRole('region', { name: 'Browser errors' })
  const diagnosticsRegion = () => page().getByRole('region', { name: 'Diagnosis' })
  const textOf = async (part: { innerText(): Promise<string> }) => (await part.innerText()).replace(/\s+/g, ' ')

  const take = async (project: Project, sent: Sent) =>
    expect((await ingest(product, project, envelopeOf(sent))).status).toBe(200)

  /** Sends an event and waits until the API has it. Returns the URL of its screen. */
  async function stored(project: Project, sent: Sent): Promise<string> {
    await take(project, sent)
    const path = `/projects/${project.org}/${project.slug}/events/${sent.event_id}/`
    const group = await until('the event', 20_000, async () => {
      const { status, json } = await api(product, project, path)
      return status === 200 && (json as { groupID: string }).groupID
    })
    return `${product.url}/o/${project.org}/issues/${group}/events/${sent.event_id}`
  }

  /** Polls the error link of an event until it is as expected. */
  const untilFailure = (
    project: Project,
    sent: Sent,
    is: (failure: { alone: string | null; server: unknown }) => boolean,
  ) =>
    until('the link', 20_000, async () => {
      const path = `/projects/${project.org}/${project.slug}/events/${sent.event_id}/`
      const { failure } = (await api(product, project, path)).json as { failure: { alone: string; server: unknown } }
      return is(failure)
    })

  beforeAll(async () => {
    state.web = bootstrap(product, org, 'web', 'javascript-nextjs')
    state.api = bootstrap(product, org, 'api', 'node')
    state.other = bootstrap(product, other, 'web', 'javascript-nextjs')
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    await signIn(page(), product.url, `owner@${org}.test`)
  })
  afterAll(async () => {
    await state.browser?.close()
    const { errors, foreign, dialogs } = state.watched
    expect({ errors, foreign, dialogs }).toEqual({ errors: [], foreign: [], dialogs: [] })
  })

  test('a browser event stands alone, and is linked on the open page when its server error comes', async () => {
    const digest = '3000000001'
    const at = await stored(state.web, browserEvent({ tags: { digest } }))
    await page().goto(at)
    await hidden().getByText('No server event that you may read matches yet').waitFor({ timeout: 15_000 })
    await hidden().getByText('Does the server report its errors').waitFor()
    await take(state.api, serverEvent('StockError', { tags: { digest } }))
    const link = hidden().getByRole('link', { name: /^StockError/ })
    await link.waitFor({ timeout: 20_000 })
    expect(await textOf(hidden())).toMatch(
      /This browser error hides: StockError.*API-\d+ in api sure Both events carry the same digest/,
    )
    await page().goto(`${product.url}/o/${org}/issues?q=441`)
    await hydrated(page())
    const row = page().locator('.issue-row', { hasText: 'Server Components render failed' })
    const hides = row.locator('.issue-hides a', { hasText: /^API-\d+$/ }).first()
    const server = await hides.getAttribute('href')
    await hides.click()
    await page().waitForURL(new RegExp(`${server?.split('?')[0]}\\b`))
    await page().goto(at)
    await link.click()
    await browserErrors().waitFor()
    expect(page().url()).toMatch(/\/issues\/\d+\/events\/[0-9a-f]{32}$/)
    expect(await textOf(browserErrors())).toContain('1 browser event of 1 person')
    expect(await textOf(browserErrors())).toContain('they do not count for the issue')
    // The issue's own counts: one event and no user.
    expect(await textOf(page().locator('.issue-facts'))).toMatch(/Events 1\b/)
    expect(await textOf(page().locator('.issue-facts'))).toMatch(/Users 0\b/)
    await browserErrors().getByRole('radio', { name: 'This event (1)' }).click()
    await browserErrors().getByRole('link', { name: 'Timeline' }).click()
    await page().waitForURL(/#breadcrumbs$/)
    const crumbs = page().getByRole('region', { name: /^Timeline/ })
    await crumbs.getByText('<img src=x onerror=alert(1)>').waitFor()
    await until('the breadcrumbs in sight', 5000, () =>
      page().evaluate<boolean>(`(() => { const { top } = document.getElementById('breadcrumbs').getBoundingClientRect()
        return top >= 0 && top < innerHeight })()`),
    )
    expect(page().url()).toContain(at.split('/').at(-1))
  })

  test('an event’s digests are listed with where each was found; those of a breadcrumb are not sure', async () => {
    const seen = { message: `Digest: 3000000003`, data: { arguments: [{ digest: '3000000003', message: 'x' }] } }
    const breadcrumbs = { values: [{ ...crumb, category: 'console', ...seen }] }
    await page().goto(await stored(state.web, browserEvent({ tags: { digest: '3000000002' }, breadcrumbs })))
    const list = page().getByRole('region', { name: /^Digests/ })
    const rows = await list.locator('tbody tr').allInnerTexts()
    expect(rows.map((row) => row.replace(/\s+/g, ' ').trim())).toEqual([
      '3000000002 tags.digest sure',
      expect.stringMatching(/^3000000003 breadcrumbs\S* not sure$/),
    ])
    expect(await textOf(page().locator('.event-digest'))).toMatch(/3000000002 found in tags\.digest sure all 2$/)
    await page().goto(await stored(state.web, event({ message: 'nothing hidden here' })))
    await page().getByRole('heading', { name: 'nothing hidden here' }).waitFor()
    expect([
      await list.count(),
      await hidden().count(),
      await browserErrors().count(),
      await diagnosticsRegion().count(),
    ]).toEqual([0, 0, 0, 0])
  })

  test('two failures in one trace: none is guessed, and the hook is one click away, with the project’s DSN', async () => {
    const contexts = trace(eventId())
    const runtime = { runtime: { name: 'node', version: 'v24' } }
    for (const [type, digest] of [
      ['FirstError', '3000000011'],
      ['SecondError', '3000000012'],
    ] as const)
      await stored(state.api, serverEvent(type, { tags: { digest }, contexts: { ...runtime, ...contexts } }))
    const sent = browserEvent({ contexts })
    const at = await stored(state.web, sent)
    await untilFailure(state.web, sent, ({ alone }) => alone === 'several')
    await page().goto(at)
    await hidden().getByText('More than one server error matches, so Mishap does not guess.').waitFor()
    await hidden().getByRole('link', { name: 'Copy the hook' }).click()
    await page().waitForURL(/\/projects\/web\/setup\?digests=1#digest-hook$/)
    const hook = page().locator('#digest-hook')
    const dsn = (await page().getByTestId('dsn').innerText()).trim()
    const codes = await hook
      .locator('.code')
      .evaluateAll((shown) =>
        shown.map((code) =>
          Array.from(code.querySelectorAll('.code-line'), (line) => line.textContent?.trimEnd()).join('\n'),
        ),
      )
    expect(codes).toEqual(digestHookOf(dsn).map((snippet) => snippet.code))
    const grants = { origin: product.url }
    await page().context().grantPermissions(['clipboard-read', 'clipboard-write'], grants)
    await hook.getByRole('button', { name: 'Copy' }).first().click()
    const copied = await until('the copy', 5000, () => page().evaluate<string>('navigator.clipboard.readText()'))
    expect(copied).toContain('export function withDigest(')
  })

  test('one failure in one trace is linked, and said not to be sure', async () => {
    const contexts = trace(eventId())
    const runtime = { runtime: { name: 'node', version: 'v24' } }
    await stored(
      state.api,
      serverEvent('TraceError', { tags: { digest: '3000000021' }, contexts: { ...runtime, ...contexts } }),
    )
    const sent = browserEvent({ contexts })
    const at = await stored(state.web, sent)
    await untilFailure(state.web, sent, ({ server }) => server !== null)
    await page().goto(at)
    expect(await textOf(hidden())).toMatch(/hides: TraceError.* not sure Both events belong to one trace/)
  })

  test('signs: React in words beside the title, the others above the stack', async () => {
    const more =
      'Minified React error #31; visit https://react.dev/errors/31?args[]=%3Cimg%20src%3Dx%3E&args[]= for the full message'
    await page().goto(await stored(state.web, event(exception('Error', more))))
    const words = page().locator('.issue-header .react-words')
    expect(await textOf(words)).toContain('React error 31 Objects are not valid as a React child (found: <img src=x>)')
    const router = 'invariant expected layout router to be mounted'
    await page().goto(await stored(state.web, event(exception('Error', router))))
    expect(await textOf(diagnosticsRegion())).toMatch(
      /Framework The layout router is not mounted Usual cause: A part of the App Router/,
    )
    const frames = [{ filename: 'chrome-extension://abcdefghijklmnopabcdefghijklmnop/content.js', lineno: 1, colno: 2 }]
    const thrown = { values: [{ type: 'TypeError', value: 'no.', stacktrace: { frames } }] }
    await page().goto(await stored(state.web, event({ exception: thrown, request: { url: 'https://shop.test/' } })))
    expect(await textOf(diagnosticsRegion())).toMatch(
      /^Noise extension A browser extension threw it\. Recognized by: chrome-extension/,
    )
    const chunk = 'Loading chunk 418 failed.\n(error: https://shop.test/_next/static/chunks/418.js)'
    await page().goto(await stored(state.web, event(exception('ChunkLoadError', chunk))))
    expect(await textOf(diagnosticsRegion())).toMatch(/Skew old chunk A script of an older build no longer exists\./)
    const stack = await page().getByRole('region', { name: 'Stack', exact: true }).boundingBox()
    expect((await diagnosticsRegion().boundingBox())?.y).toBeLessThan(stack?.y ?? 0)
  })

  test('a hydration says its cause and the differences, as text only', async () => {
    const lines = ['  <Orders>', '    <p>', `+     ${hostile} browser`, `-     ${hostile} server`]
    const value = `Hydration failed because the server rendered text didn't match the client.\n\nhttps://react.dev/link/hydration-mismatch\n\n${lines.join('\n')}\n`
    await page().goto(await stored(state.web, event(exception('Error', value))))
    expect(await textOf(diagnosticsRegion())).toMatch(/Hydration .*Component: Orders/)
    const row = diagnosticsRegion().locator('.differences tbody tr').first()
    expect(await row.locator('td').nth(1).innerText()).toContain('server')
    expect(await row.locator('td').nth(2).innerText()).toContain('browser')
    expect(await diagnosticsRegion().locator('img').count()).toBe(0)
    await page().setViewportSize({ width: 390, height: 844 })
    expect(await page().evaluate<number>(wide)).toBe(0)
    await page().setViewportSize({ width: 1440, height: 900 })
  })

  test('a digest opens the server’s event: typed, pasted with its sentence, with spaces, in the palette and by link', async () => {
    const digest = '3000000031'
    const sent = serverEvent('FoundError', { tags: { digest } })
    await stored(state.web, browserEvent({ tags: { digest } }))
    await stored(state.api, sent)
    const opened = async () => {
      await page().waitForURL(new RegExp(`/events/${sent.event_id}$`))
      await page().getByRole('heading', { name: 'FoundError', level: 1 }).waitFor()
    }
    const sentence =
      'Application error: a server-side exception has occurred (see the server logs).\nDigest: 3000 000 031'
    await page().goto(`${product.url}/d/${encodeURIComponent(sentence)}`)
    await opened()
    // Include the default text of the box and the text of the Next.js error screen.
    const shown = `is:unresolved This page couldn’t load Reload ERROR ${digest}`
    for (const text of [digest, '300 000 0031', sentence.replace('\n', ' '), shown]) {
      await page().goto(`${product.url}/o/${org}/issues`)
      await hydrated(page())
      await page().getByRole('combobox', { name: 'Search issues' }).fill(text)
      await page().keyboard.press('Enter')
      await opened()
    }
    await hydrated(page())
    for (const text of [digest, sentence.replace('\n', ' ')]) {
      await page().goto(`${product.url}/o/${org}/projects`)
      await hydrated(page())
      await page().keyboard.press('Control+k')
      const field = page().getByRole('combobox', { name: 'Search or jump to' })
      await field.fill(text)
      await page()
        .getByRole('option', { name: `Open the error with the digest ${digest}` })
        .waitFor()
      await field.press('Enter')
      await opened()
    }
    await page().goto(`${product.url}/find?q=${digest}`)
    await opened()
  })

  test('an unknown digest says what was searched and opens its event when it comes, without a new document', async () => {
    const digest = '3000000041'
    expect((await page().goto(`${product.url}/d/${digest}`))?.status()).toBe(404)
    const main = page().locator('main')
    await main.getByText('Waiting for it').waitFor()
    const text = await textOf(main)
    expect(text).toMatch(/Not seen yet: 3000000041/)
    expect(text).toMatch(/digests \(the last 90 days\) (?:\w+, )*api, (?:\w+, )*web Why it may be missing/i)
    expect(text).not.toContain(other)
    // The box keeps the number, so that the user can correct it.
    expect(await main.getByRole('searchbox').inputValue()).toBe(digest)
    await hydrated(page())
    await page().evaluate('window.sameDocument = true')
    // An event with another digest must change nothing.
    await take(state.api, serverEvent('OtherError', { tags: { digest: '3000000042' } }))
    const sent = serverEvent('LateError', { tags: { digest } })
    await take(state.api, sent)
    await page().waitForURL(new RegExp(`/o/${org}/issues/\\d+/events/${sent.event_id}$`), { timeout: 20_000 })
    await page().getByRole('heading', { name: 'LateError', level: 1 }).waitFor()
    expect(await page().evaluate<boolean>('window.sameDocument === true')).toBe(true)
    // The page does not wait for a text that cannot be a digest.
    expect((await page().goto(`${product.url}/d/${encodeURIComponent(hostile)}`))?.status()).toBe(404)
    await main.getByText('this is not a digest').waitFor()
    expect(await main.getByText('Waiting for it').count()).toBe(0)
    expect(await main.locator('img').count()).toBe(0)
  })

  test('another organization’s side is as if it were not there', async () => {
    const digest = '3000000051'
    await stored(state.api, serverEvent('SecretError', { tags: { digest } }))
    const sent = browserEvent({ tags: { digest } })
    const at = await stored(state.other, sent)
    await untilFailure(state.other, sent, ({ alone }) => alone === 'none')
    const watched = await openPage(state.browser, product.url, { width: 390, height: 844, dark: true })
    await signIn(watched.page, product.url, `owner@${other}.test`)
    await watched.page.goto(`${product.url}/d/${digest}`)
    await watched.page.waitForURL(at)
    const region = watched.page.getByRole('region', { name: 'The server error behind it' })
    expect(await textOf(region)).toContain('No server event that you may read matches yet')
    for (const form of ['', '.json', '.md']) {
      const [issue = ''] = at.split('/events/')
      const answer = await watched.page.request.get(form === '' ? at : `${issue}${form}?event=${sent.event_id}`)
      expect([answer.status(), (await answer.text()).includes('SecretError')]).toEqual([200, false])
    }
    expect(await watched.page.evaluate<number>(wide)).toBe(0)
    // In the other direction, the server end shows no counts either.
    await page().goto(`${product.url}/d/${digest}`)
    await page().getByRole('heading', { name: 'SecretError', level: 1 }).waitFor()
    expect(await browserErrors().count()).toBe(0)
    const { errors, foreign, dialogs } = watched
    expect({ errors, foreign, dialogs }).toEqual({ errors: [], foreign: [], dialogs: [] })
    await watched.page.context().close()
  })

  test('at 390 pixels, in German, both sides fit and are said in words', async () => {
    const digest = '3000000061'
    const sent = browserEvent({ tags: { digest } })
    const at = await stored(state.web, sent)
    const server = await stored(state.api, serverEvent('PhoneError', { tags: { digest } }))
    await untilFailure(state.web, sent, (failure) => failure.server !== null)
    const german = { name: 'locale', value: 'de', url: product.url }
    await page().context().addCookies([german])
    await page().setViewportSize({ width: 390, height: 844 })
    await page().goto(at)
    await page().getByRole('region', { name: 'Der Server-Fehler dahinter' }).getByText('sicher').waitFor()
    expect(await page().evaluate<number>(wide)).toBe(0)
    await page().goto(server)
    await page().getByRole('region', { name: 'Browser-Fehler' }).getByText('1 Browser-Event von 1 Person').waitFor()
    expect(await page().evaluate<number>(wide)).toBe(0)
    await page().goto(`${product.url}/d/3000000062`)
    await page().getByText('Warten auf das Event').waitFor()
    expect(await page().evaluate<number>(wide)).toBe(0)
    await page()
      .context()
      .addCookies([{ ...german, value: 'en' }])
    await page().setViewportSize({ width: 1440, height: 900 })
  })
})
