import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { RestAlertRule } from '../../src/contract/alerts/alerts.ts'
import { faults } from '../axe.ts'
import { choose, hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, password, until } from '../product.ts'

const product = inject('product')
const org = 'alarms'
const markup = '<img src=https://evil.example/x.png onerror=alert(1)>'
/** Errors that are there before the tests: more than 20 and fewer than 50. */
const errors = 30

describe.skipIf(noChromium)('alert rules', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; web: Project }
  const at = (path = '') => `${product.url}/o/${org}/alerts${path}`
  const write = (path: string, value: unknown) =>
    api(product, state.web, `/organizations/${org}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(value),
    })
  const rules = async () => (await api(product, state.web, `/organizations/${org}/alerts/`)).json as RestAlertRule[]
  const ruleNamed = async (name: string) => (await rules()).find((rule) => rule.name === name)
  const overflow = (page: Page) =>
    page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

  beforeAll(async () => {
    state.web = bootstrap(product, org, 'web')
    await Promise.all(
      Array.from({ length: errors }, () =>
        ingest(product, state.web, envelopeOf(errorEvent('CheckoutError', markup, { environment: 'production' }))),
      ),
    )
    await write('notification-channels/', { kind: 'email', name: `Shop ${markup}`.slice(0, 64), target: 'members' })
    await until('the errors', 20_000, async () => {
      const found = await api(product, state.web, `/organizations/${org}/issues/?query=`)
      return (found.json as { count: string }[]).reduce((sum, issue) => sum + Number(issue.count), 0) === errors
    })
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  test('g a leads to the list: the built-in notifications, and presets while there is no rule', async () => {
    const { page } = state
    await page.goto(`${product.url}/o/${org}/issues`)
    await hydrated(page)
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.waitForURL(at())
    await page.getByRole('link', { name: 'New, regressed and escalating issues' }).waitFor()
    expect(await faults(page)).toEqual([])
    await page.getByRole('link', { name: 'More than 50 errors in 10 minutes' }).click()
    await page.waitForURL(at('/new?preset=errors'))
  })

  test('a rule is made from a preset by keys and mouse, with its back-test, and saved', async () => {
    const { page, watched } = state
    await hydrated(page)
    const verdict = page.locator('.alert-verdict')
    await expect.poll(() => verdict.textContent(), { timeout: 10_000 }).toContain('not once')
    await page.getByRole('button', { name: 'Save rule' }).click()
    await page.getByText('Add a receiver. Without one nobody hears of it.').waitFor()
    // A receiver by keys.
    await page.locator('[data-popup=receiver] summary').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: /^Shop/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('listitem').filter({ hasText: 'e-mail' }).waitFor()
    // The line moves by keys, and what is typed moves the line.
    const line = page.getByRole('slider', { name: 'Threshold' })
    await line.press('ArrowDown')
    await expect.poll(() => page.getByRole('textbox', { name: 'Threshold', exact: true }).inputValue()).toBe('49')
    await page.getByRole('textbox', { name: 'Threshold', exact: true }).fill('20')
    await expect.poll(() => line.getAttribute('aria-valuenow')).toBe('20')
    // The errors of this minute are not judged yet, but that there were fewer before is.
    await choose(page, 'Direction', 'below')
    await expect.poll(() => verdict.textContent(), { timeout: 10_000 }).toContain('1 time')
    await page.getByRole('button', { name: 'Mark firing 1 as noise' }).click()
    const avoided = page.getByRole('region', { name: 'What would have avoided it' })
    await avoided
      .getByText(/avoids 1 of 1|No single change/)
      .first()
      .waitFor()
    await page.locator('.alert-back-test:not([aria-busy])').waitFor()
    expect(await faults(page)).toEqual([])
    await choose(page, 'Direction', 'above')
    await page.getByRole('textbox', { name: 'Name' }).fill(`Shop ${markup}`)
    await page.getByRole('button', { name: 'Save rule' }).click()
    await page.waitForURL(/alerts\/\d+$/)
    const stored = await ruleNamed(`Shop ${markup}`)
    expect(stored).toMatchObject({ kind: 'metric', metric: { threshold: { critical: 20 }, windowMinutes: 10 } })
    expect([watched.errors, watched.foreign, watched.dialogs]).toEqual([[], [], []])
  })

  test('when somebody else saved first, the form says who and what, and overwrites only knowingly', async () => {
    const { page } = state
    const { id } = (await ruleNamed(`Shop ${markup}`)) ?? { id: '' }
    const { page: other } = await openPage(state.browser, product.url, { login: await page.context().storageState() })
    for (const window of [page, other]) {
      await window.goto(at(`/${id}`))
      await hydrated(window)
    }
    await other.getByRole('button', { name: 'Rename' }).click()
    await other.getByRole('textbox', { name: 'Name' }).fill('Renamed')
    await other.getByRole('button', { name: 'Save rule' }).click()
    await other.getByText('Saved “Renamed”.').waitFor()
    await page.getByRole('textbox', { name: 'Threshold', exact: true }).fill('25')
    await page.getByText('edited, not saved').waitFor()
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Save rule' }).click()
    await expect.poll(() => page.locator('.alert-conflict').textContent()).toMatch(/saved this rule.*Changed: name\./)
    expect((await ruleNamed('Renamed'))?.metric?.threshold.critical).toBe(20)
    await page.getByRole('button', { name: 'Overwrite theirs' }).click()
    await expect.poll(async () => (await rules())[0]?.metric?.threshold.critical).toBe(25)
    await page.getByText('edited, not saved').waitFor({ state: 'detached' })
    // A change that is given up.
    await page.getByRole('textbox', { name: 'Threshold', exact: true }).fill('9')
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => page.getByRole('textbox', { name: 'Threshold', exact: true }).inputValue()).toBe('25')
    await other.context().close()
  })

  test('a rule is muted from its menu, found in the list, and paused there', async () => {
    const { page } = state
    const menu = page.locator('summary', { hasText: 'Actions of' })
    await menu.first().click()
    await page.getByRole('button', { name: 'Mute for 8 hours' }).click()
    await page.getByText('This rule is muted.').waitFor()
    await page.goto(at('?q=shop'))
    await hydrated(page)
    const rows = page.getByRole('list', { name: 'Alerts' }).getByRole('listitem')
    await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining('Muted')])
    await menu.first().click()
    await page.getByRole('button', { name: 'Pause' }).click()
    await expect.poll(() => rows.first().textContent()).toContain('Paused')
    await page.goto(at('?q=nothing'))
    await page.getByText('No rule matches.').waitFor()
  })

  test('a query of Explore and an issue rule open in the form, and a wrong filter is marked at its field', async () => {
    const { page } = state
    await page.goto(`${product.url}/o/${org}/explore?q=environment:production&s=count()&s=count_unique(user)&f=a / b`)
    await page.getByRole('link', { name: 'Create alert' }).click()
    await page.waitForURL(/alerts\/new\?/)
    await hydrated(page)
    await page.getByText('Enter a threshold to see when').waitFor()
    await page.getByText('count() / count_unique(user) of Errors is above').waitFor()
    await page.goto(at('/new'))
    await hydrated(page)
    await page.getByRole('button', { name: 'another condition' }).click()
    await page.getByText('when there is a new issue or an issue regresses').waitFor()
    const filter = page.getByRole('combobox', { name: 'Filter' })
    await filter.fill('is:nonsense')
    await filter.press('Enter')
    await expect.poll(() => filter.getAttribute('aria-invalid')).toBe('true')
    await filter.fill('level:fatal')
    // What is typed counts when the focus leaves, too.
    await page.getByRole('button', { name: 'another condition' }).focus()
    await page.getByText('and it matches level:fatal').waitFor()
  })

  test('a viewer reads rules and cannot change them; nothing is wider than a phone', async () => {
    const made = await write('invitations/', { email: 'vera@alarms.test', role: 'viewer' })
    const { page, errors: found } = await openPage(state.browser, product.url, { width: 390, height: 844 })
    await page.goto(product.url + new URL((made.json as { link: string }).link).pathname)
    await page.getByLabel('Name').fill('Vera')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Create account and join' }).click()
    await page.waitForURL(new RegExp(`/o/${org}`))
    await page.goto(at())
    await hydrated(page)
    await page.getByText('Members can change them.').waitFor()
    expect(await overflow(page)).toBe(0)
    await page.getByRole('link', { name: /^(Renamed|Shop)/ }).click()
    await page.waitForURL(/alerts\/\d+$/)
    await hydrated(page)
    await page.locator('.alert-verdict').waitFor()
    expect(await page.getByRole('button', { name: 'Save rule' }).count()).toBe(0)
    expect(await page.locator('.alert-form summary, .alert-form .button').count()).toBe(0)
    expect(await overflow(page)).toBe(0)
    expect(await faults(page)).toEqual([])
    await write('on-call-schedules/', { name: 'Nights', timeZone: 'UTC', startDate: '2026-03-02', members: [] })
    await page.goto(at('/on-call'))
    await hydrated(page)
    await page.getByText('You can read schedules.').waitFor()
    await page.getByRole('heading', { name: 'Nights' }).waitFor()
    expect(await page.locator('main .button, main input').count()).toBe(0)
    expect(await faults(page)).toEqual([])
    expect(found).toEqual([])
  })

  test('a schedule is edited by keys, and a change of somebody else is overwritten only knowingly', async () => {
    const { page } = state
    type Stored = { id: string; name: string; members: { name: string }[]; startDate: string; revision: number }
    const stored = async () =>
      ((await api(product, state.web, `/organizations/${org}/on-call-schedules/`)).json as Stored[])[0] as Stored
    await page.goto(at('/on-call'))
    await hydrated(page)
    const open = page.getByRole('button', { name: 'Edit schedule Nights' })
    const row = page.getByRole('listitem').filter({ has: open })
    await open.press('Enter')
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      expect([await overflow(page), await faults(page)]).toEqual([0, []])
    }
    const member = row.getByLabel('Member for a new turn')
    for (const at of [0, 1]) {
      await member.selectOption({ index: at })
      await row.getByRole('button', { name: 'Add turn' }).press('Enter')
    }
    const turns = row.locator('ol > li')
    const before = await turns.allTextContents()
    const up = turns.nth(1).getByRole('button', { name: /^Up/ })
    await up.press('Enter')
    const order = before.map((text) => text.slice(1)).reverse()
    await expect.poll(async () => (await turns.allTextContents()).map((text) => text.slice(1))).toEqual(order)
    // The focus goes with the turn.
    expect(await page.evaluate("document.activeElement.closest('ol > li') === document.querySelector('ol > li')")).toBe(
      true,
    )
    await row.getByLabel('Time zone').fill('Mars/Olympus')
    await row.getByRole('button', { name: 'Save schedule' }).press('Enter')
    await row.getByText('An IANA time zone such as Europe/Berlin.').waitFor()
    expect(await row.getByLabel('Time zone').getAttribute('aria-invalid')).toBe('true')
    await row.getByLabel('Time zone').fill('Europe/Berlin')
    await row.getByLabel('Name', { exact: true }).fill(`Late ${markup}`)
    const { id } = await stored()
    const body = JSON.stringify({ name: 'Theirs' })
    await api(product, state.web, `/organizations/${org}/on-call-schedules/${id}/`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body,
    })
    await row.getByRole('button', { name: 'Save schedule' }).press('Enter')
    await row.getByText('changed these settings in the meantime.').waitFor()
    expect(await row.getByLabel('Name', { exact: true }).inputValue()).toBe(`Late ${markup}`)
    expect(await stored()).toMatchObject({ name: 'Theirs', members: [] })
    await row.getByRole('button', { name: 'Save mine anyway' }).press('Enter')
    await page.getByText('The schedule is saved.').waitFor()
    const after = await stored()
    expect(after).toMatchObject({ name: `Late ${markup}`, timeZone: 'Europe/Berlin', startDate: '2026-03-02' })
    expect(after.members.map(({ name }) => name)).toEqual(order.map((text) => text.replace(/Up.*$/, '').trim()))
  })

  test('an override is edited on the clock of its schedule, and not if somebody was quicker', async () => {
    const { page } = state
    type Stored = { id: string; members: { id: string }[]; overrides: { id: string; start: string; end: string }[] }
    const list = `/organizations/${org}/on-call-schedules/`
    const stored = async () => ((await api(product, state.web, list)).json as Stored[])[0] as Stored
    const { id, members } = await stored()
    const own = { person: members[0]?.id, start: '2998-01-01T08:00:30Z', end: '2998-01-02T08:00:00Z' }
    await write(`on-call-schedules/${id}/overrides/`, own)
    await page.goto(at('/on-call'))
    await hydrated(page)
    const row = page.getByRole('list', { name: 'Overrides' }).getByRole('listitem')
    await row.getByRole('button', { name: 'Edit override' }).press('Enter')
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      expect([await overflow(page), await faults(page)]).toEqual([0, []])
    }
    const end = row.getByLabel('To (Europe/Berlin)')
    expect(await end.inputValue()).toBe('2998-01-02T09:00')
    await end.fill('2997-01-02T09:00')
    await row.getByRole('button', { name: 'Save override' }).press('Enter')
    await row.getByText('After the start, in the future').waitFor()
    await end.fill('2998-01-03T09:00')
    await row.getByRole('button', { name: 'Save override' }).press('Enter')
    await page.getByText('The override is saved.').waitFor()
    const [edited] = (await stored()).overrides
    expect([edited?.start, edited?.end]).toEqual(['2998-01-01T08:00:30.000Z', '2998-01-03T08:00:00.000Z'])
    await row.getByRole('button', { name: 'Edit override' }).press('Enter')
    await end.fill('2998-01-04T09:00')
    await api(product, state.web, `${list}${id}/overrides/${edited?.id}/`, { method: 'DELETE' })
    await row.getByRole('button', { name: 'Save override' }).press('Enter')
    await row.getByText('Somebody changed or removed this override in the meantime.').waitFor()
    expect(await end.inputValue()).toBe('2998-01-04T09:00')
  })

  test('a page that takes long says so and moves nothing, and so do the slow parts of a rule', async () => {
    const login = await state.page.context().storageState()
    const { page, errors: found } = await openPage(state.browser, product.url, { login, routed: true })
    const slowly = async (route: Route) => {
      await new Promise((resolve) => setTimeout(resolve, 700))
      await route.continue()
    }
    await page.goto(`${product.url}/o/${org}/issues`)
    await hydrated(page)
    const { id } = (await rules())[0] ?? { id: '' }
    const isPage = (url: URL) => url.searchParams.has('_rsc')
    await page.route(isPage, slowly)
    const bar = page.locator('.navigation-bar[data-shown]')
    const paths = ['alerts', 'alerts/new', `alerts/${id}`, 'alerts/incidents', 'alerts/on-call', 'alerts/mutes']
    for (const path of [...paths, 'settings/integrations']) {
      const before = await page.locator('main').boundingBox()
      await page.evaluate(`window.next.router.push('/o/${org}/${path}')`)
      await bar.getByText('Loading the next page').waitFor({ state: 'attached' })
      expect((await page.locator('main').boundingBox())?.y).toBe(before?.y)
      await page.waitForURL(`${product.url}/o/${org}/${path}`)
      await bar.waitFor({ state: 'detached' })
    }
    await page.unroute(isPage, slowly)
    const parts = /\/alerts\/(back-test|preview)\//
    await page.route(parts, slowly)
    await page.goto(at('/new?preset=errors'))
    await hydrated(page)
    const waits = page.locator('.alert-back-test .part-loading')
    await waits.getByText('Testing the rule').waitFor({ state: 'attached' })
    await page.locator('.alert-preview .part-loading').getByText('Writing the message').waitFor({ state: 'attached' })
    const height = (await waits.boundingBox())?.height ?? 0
    expect(height).toBeGreaterThan(300)
    expect(await faults(page)).toEqual([])
    await waits.waitFor({ state: 'detached' })
    expect((await page.locator('.alert-answer').boundingBox())?.height).toBeGreaterThanOrEqual(height)
    expect(found).toEqual([])
    await page.context().close()
  }, 60_000)

  test('long and hostile names stay within a phone on every screen of alerts, and axe finds nothing', async () => {
    const word = 'x'.repeat(64)
    const { channel } = (await write('notification-channels/', { kind: 'email', name: word, target: 'members' }))
      .json as { channel: { id: string } }
    const actions = [{ type: 'channel', channel: channel.id }]
    await write('on-call-schedules/', { name: word, timeZone: 'Europe/Berlin', members: [] })
    const made = await write('alerts/', { name: word.repeat(2), issue: { when: [{ type: 'new' }] }, actions })
    const { id } = made.json as { id: string }
    await write('mutes/', { kind: 'rule', target: id, name: word })
    await ingest(product, state.web, envelopeOf(errorEvent(word, markup, { release: word.repeat(2) })))
    const incident = await until('the incident', 20_000, async () => {
      const [found] = (await api(product, state.web, `/organizations/${org}/incidents/`)).json as { id: string }[]
      return found?.id
    })
    const login = await state.page.context().storageState()
    const { page, errors: found } = await openPage(state.browser, product.url, { width: 390, height: 844, login })
    const alertPaths = ['', '/new', `/${id}`, '/incidents', `/incidents/${incident}`, '/on-call', '/mutes']
    const settings = ['notifications', `notifications/${channel.id}`, 'integrations', 'account/notifications']
    const seen: Record<string, [number, string[]]> = {}
    const paths = [...alertPaths.map((path) => `alerts${path}`), ...settings.map((path) => `settings/${path}`)]
    for (const path of paths) {
      await page.goto(`${product.url}/o/${org}/${path}`)
      await hydrated(page)
      await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
      seen[path] = [await overflow(page), await faults(page)]
    }
    expect(seen).toEqual(Object.fromEntries(paths.map((path) => [path, [0, []]])))
    expect(found).toEqual([])
  }, 60_000)
})
