import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { faults } from '../axe.ts'
import { choose, hydrated, noChromium, openBrowser, openPage, signIn } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'
import { useRoutedPage } from './routed.ts'

const product = inject('product')
const org = 'access'
/** Elements that make the page wider than its window. Elements with their own scrolling are fine. */
const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('*')]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
    .map((one) => one.outerHTML.slice(0, 160))`)

/** Widths from a phone to a wide screen, in px. */
const widths = [390, 768, 2560, 1440]

/** Elements wider than the window at any of the widths, with all foldable parts open. */
async function tooWideAnywhere(page: Page): Promise<string[]> {
  await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
  const found: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    found.push(...(await tooWide(page)).map((finding) => `${width}: ${finding}`))
  }
  return found
}

/** Inserts a dead letter like processing would. No input that a client can send causes one. */
function putDeadLetter(project: Project): void {
  const blobKey = `dead/access-${project.id}`
  const head = { kind: 'envelope', projectId: Number(project.id), keyId: 0, organizationId: 0, receivedMs: 0 }
  const bytes = `${JSON.stringify(head)}\n{}\n{"type":"event"}\n{"message":"held"}`
  mkdirSync(join(product.data, 'blobs/dead'), { recursive: true, mode: 0o700 })
  writeFileSync(join(product.data, 'blobs', blobKey), bytes, { mode: 0o600 })
  const file = readdirSync(join(product.data, 'meta')).find((name) => name.endsWith('.sqlite')) ?? ''
  const database = new DatabaseSync(join(product.data, 'meta', file), { timeout: 5000 })
  database
    .prepare(
      'insert into dead_item (jpos, project_id, key_id, received_ms, reason, bytes, blob_key) values (0, ?, 0, ?, ?, ?, ?)',
    )
    .run(Number(project.id), Date.now(), 'TypeError in step', bytes.length, blobKey)
  database.close()
}

/** A server error, and the browser event that hides it and has a hydration diff. */
const hiddenError = [
  errorEvent('StockError', 'x', {
    platform: 'node',
    server_name: 'api-1',
    tags: { digest: '2774530905' },
  }),
  errorEvent(
    'Error',
    'Hydration failed because the server rendered HTML.\nhttps://react.dev/link/hydration-mismatch\n\n  <A>\n+   1\n-   2\n',
    { event_id: 'a11'.padEnd(32, '0'), tags: { digest: '2774530905' } },
  ),
]

/** An error of a browser extension, for the noise bar. */
const injected = { filename: 'chrome-extension://abc/inject.js', function: 'f', lineno: 1, colno: 2, in_app: true }
const noise = errorEvent('ExtensionError', 'x', {
  event_id: 'a12'.padEnd(32, '0'),
  exception: { values: [{ type: 'ExtensionError', value: 'x', stacktrace: { frames: [injected] } }] },
})

describe.skipIf(noChromium)('every screen, for people with other ways to see and move', () => {
  const state = {} as { browser: Browser; project: Project; issue: string; page: Page }

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    const crumbs = [{ category: 'ui.click', message: 'button', timestamp: Date.now() / 1000 - 5, level: 'info' }]
    const rich = {
      breadcrumbs: { values: crumbs },
      user: { id: '7', email: 'u@example.test' },
      request: { url: 'https://shop.test/cart?a=1', method: 'GET', headers: { 'User-Agent': 'Mozilla/5.0' } },
      tags: { fruit: 'pear', digest: '2774530904' },
      extra: { cart: { items: [1, 2], total: 3.5 } },
      contexts: { app: { app_name: 'Shop' } },
      release: 'shop@1.0.0',
      environment: 'production',
    }
    for (const type of ['AlphaError', 'BetaError'])
      await ingest(product, state.project, envelopeOf(errorEvent(type, 'x', rich)))
    const issues = await until('two issues', 20_000, async () => {
      const found = (await api(product, state.project, `/organizations/${org}/issues/?query=`)).json as { id: string }[]
      return found.length === 2 && found
    })
    state.issue = issues[0]?.id ?? ''
    for (const event of [...hiddenError, noise]) await ingest(product, state.project, envelopeOf(event))
    // A request with an invalid item, for the request log and the breakdown of outcomes.
    await ingest(product, state.project, '{}\n{"type":"event"}\n{broken')
    putDeadLetter(state.project)
    state.browser = await openBrowser()
    state.page = (await openPage(state.browser, product.url)).page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  const screens: [string, string, string][] = [
    ['the stream', `/o/${org}/issues`, '[data-id]'],
    ['a stream that finds nothing', `/o/${org}/issues?q=NothingLikeThis`, 'main'],
    ['a refused search', `/o/${org}/issues?q=is%3Anonsense`, '[role=alert]'],
    ['an issue', `/o/${org}/issues/ISSUE`, '#tags'],
    ['grouping of an issue', `/o/${org}/issues/ISSUE/grouping`, '.grouping-variant'],
    ['events of an issue', `/o/${org}/issues/ISSUE/events`, '.event-table'],
    ['rules of grouping', `/o/${org}/settings/projects/web/grouping`, 'main textarea'],
    ['releases', `/o/${org}/releases`, '.release-row'],
    ['a release', `/o/${org}/releases/shop%401.0.0`, '.release-issues [data-id]'],
    ['projects', `/o/${org}/projects`, 'table'],
    ['a new project', `/o/${org}/projects/new`, 'main form'],
    ['project setup', `/o/${org}/projects/web/setup`, '[data-testid=dsn]'],
    ['project settings', `/o/${org}/settings/projects/web`, 'main form'],
    ['project keys', `/o/${org}/settings/projects/web/keys`, 'main form'],
    ['inbound filters', `/o/${org}/settings/projects/web/filters`, 'main form'],
    ['rules of ownership', `/o/${org}/settings/projects/web/ownership`, 'main textarea'],
    ['issues that were deleted for good', `/o/${org}/settings/projects/web/tombstones`, 'main'],
    ['project environments', `/o/${org}/settings/projects/web/environments`, 'main li'],
    ['source maps', `/o/${org}/settings/projects/web/source-maps`, 'main pre'],
    ['rejected data', `/o/${org}/settings/projects/web/rejected-data`, 'main table'],
    ['organization', `/o/${org}/settings/organization`, '#delete-organization-typed'],
    ['members', `/o/${org}/settings/members`, 'main form'],
    ['feedback', `/o/${org}/feedback`, 'main h1'],
    ['profile', `/o/${org}/settings/account`, 'main h1'],
    ['language and theme', `/o/${org}/settings/account/appearance`, '#theme'],
    ['sessions', `/o/${org}/settings/account/security`, '#sessions tbody tr'],
    ['API tokens', `/o/${org}/settings/account/tokens`, 'main form'],
    ['organization tokens', `/o/${org}/settings/tokens`, 'main form'],
    ['notifications', `/o/${org}/settings/notifications`, 'main'],
    ['status', `/o/${org}/settings/status`, 'main table'],
    ['the ledger of one project', `/o/${org}/settings/status?project=web&range=1h`, 'main details[open] table'],
    ['a server issue with its browser’s side', '/d/2774530905', '#browser-side'],
    ['a browser event with its server error and its signs', `/e/${'a11'.padEnd(32, '0')}`, '.differences'],
    ['an issue that is noise', `/e/${'a12'.padEnd(32, '0')}`, '.noise-bar'],
    ['an invitation that is none', '/invite/nonsense', 'main h1, body h1'],
    ['a digest', '/d/2774530904', 'main'],
    ['a digest that nobody has', '/d/1', '.digest-places'],
    ['not found', `/o/${org}/no-such-screen`, 'main'],
    ['not found, outside', '/no-such-screen', 'body'],
  ]
  const narrow = [
    'settings/status?project=web',
    'settings/account',
    'settings/account/security',
    'settings/account/tokens',
    'releases',
    'releases/shop%401.0.0',
    'settings/projects/web/rejected-data',
    'projects/web/setup',
    'settings/projects/web/environments',
    'settings/projects/web/source-maps',
    'settings/projects/web/keys',
    'settings/projects/web/grouping',
    'settings/projects/web/filters',
    'settings/projects/web/ownership',
    'settings/projects/web/tombstones',
    'settings/organization',
  ]
  test.each(screens)('%s', async (_name, path, shown) => {
    const page = state.page
    await page.goto(product.url + path.replace('ISSUE', state.issue))
    await page.locator(shown).first().waitFor()
    expect(await tooWideAnywhere(page)).toEqual([])
    expect(await faults(page)).toEqual([])
  })

  test('signing in and setting up', async () => {
    const { page } = await openPage(state.browser, product.url)
    for (const path of [
      '/login',
      '/setup',
      '/forgot-password',
      '/reset-password?secret=none',
      '/confirm-address?secret=none',
      '/unsubscribe?token=none',
    ]) {
      await page.goto(product.url + path)
      await page.locator('h1').first().waitFor()
      expect([path, await faults(page)]).toEqual([path, []])
    }
    await page.context().close()
  })

  test('dialogs, selected rows, errors at fields', async () => {
    const page = state.page
    await page.goto(`${product.url}/o/${org}/issues`)
    await page.locator('[data-id]').first().waitFor()
    await page.locator('[data-id] input[type=checkbox]').first().click()
    expect(await faults(page)).toEqual([])
    await page.keyboard.press('a')
    await page.getByRole('dialog').getByRole('option').first().waitFor()
    expect(await faults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(await faults(page)).toEqual([])
    await page.goto(`${product.url}/o/${org}/settings/projects/web`)
    await page.getByLabel('Allowed origins').fill('a b')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('[aria-invalid=true]').waitFor()
    expect(await faults(page)).toEqual([])
    await page.getByLabel('Allowed origins').fill('')
  })

  describe('with requests that it intercepts', () => {
    useRoutedPage(state, product.url)

    test('an error screen, and a page without a network', async () => {
      const page = state.page
      await page.goto(`${product.url}/o/${org}/issues`)
      await page.locator('[data-id]').first().waitFor()
      await hydrated(page)
      await page.context().setOffline(true)
      await page.locator('.connection-bar[data-standing=offline] [role=status]').waitFor()
      expect(await tooWideAnywhere(page)).toEqual([])
      expect(await faults(page)).toEqual([])
      await page.context().setOffline(false)
      // Says what the bar shows instead, if it stays.
      const standing = () => page.locator('.connection-bar').getAttribute('data-standing')
      await expect.poll(standing, { timeout: 30_000 }).toBe('well')
      // `faults` opened every panel. Those of the views would cover the sort.
      await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = false")
      await page.route(/\/issues\/\?.*limit=/, (route) => route.fulfill({ json: [{ id: '1' }] }))
      await choose(page, 'sort', 'users')
      await page.locator('main [role=alert]', { hasText: 'Application error' }).waitFor()
      await page.unroute(/\/issues\/\?.*limit=/)
      expect(await tooWideAnywhere(page)).toEqual([])
      expect(await faults(page)).toEqual([])
    })
  })

  test('with the keyboard alone: past the navigation, a visible focus at each step, and nothing that moves', async () => {
    const page = state.page
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto(`${product.url}/o/${org}/issues`)
    await page.locator('[data-id]').first().waitFor()
    await hydrated(page)
    await page.keyboard.press('Tab')
    const focused = () =>
      page.evaluate<{ name: string; visible: boolean }>(`(() => {
        const one = document.activeElement
        const { width, height } = one.getBoundingClientRect()
        // Behind the last stop the body has it. The mark of a link in a row, or of a field in a box, may be that of what it stands in.
        const around = [one, one.parentElement, one.closest('li, .search-box')].filter((each) => each)
        const marked = around.some((each) => getComputedStyle(each).boxShadow !== 'none' || getComputedStyle(each).outlineStyle !== 'none')
        return { name: (one.getAttribute('aria-label') ?? one.textContent).trim(), visible: one === document.body || (width > 8 && height > 8 && marked) }
      })()`)
    expect(await focused()).toEqual({ name: 'Skip to content', visible: true })
    const steps: { name: string; visible: boolean }[] = []
    for (let step = 0; step < 40; step++) {
      await page.keyboard.press('Tab')
      steps.push(await focused())
    }
    expect(steps.filter((step) => !step.visible)).toEqual([])
    expect(new Set(steps.map((step) => step.name)).size).toBeGreaterThan(15)
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    const moving =
      'document.getAnimations().filter((one) => one.effect.getComputedTiming().duration > 0).map((one) => String(one.animationName ?? one.transitionProperty))'
    expect(await page.evaluate(moving)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('dialogs of a dead item', async () => {
    const page = state.page
    await page.goto(`${product.url}/o/${org}/settings/status`)
    await page.getByRole('button', { name: 'Look', exact: true }).first().click()
    await page.getByRole('dialog').waitFor()
    expect(await faults(page)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: /show/i }).click()
    await page.getByTestId('dead-text').waitFor()
    expect(await faults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Delete', exact: true }).first().click()
    await page.getByRole('dialog').waitFor()
    expect(await faults(page)).toEqual([])
    await page.keyboard.press('Escape')
  })

  test('the sidebar as icons, and the popups of the frame', async () => {
    const page = state.page
    await page.setViewportSize({ width: 900, height: 900 })
    await page.goto(`${product.url}/o/${org}/settings/projects/web/keys`)
    await hydrated(page)
    expect(await faults(page)).toEqual([])
    for (const opener of ['.shell-organization', '.shell-person', '.settings-switch']) {
      await page.locator(opener).click()
      await page.locator('.menu[open] .menu-panel').waitFor()
      expect([opener, await faults(page)]).toEqual([opener, []])
      expect(await tooWide(page)).toEqual([])
    }
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${product.url}/o/${org}/issues`)
    await hydrated(page)
    await page.locator('.phone-tabs a', { hasText: 'More' }).click()
    await page.locator('.shell-side').waitFor()
    expect(await faults(page)).toEqual([])
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  test('at 390 pixels', async () => {
    const page = state.page
    await page.setViewportSize({ width: 390, height: 844 })
    for (const path of [
      'issues',
      `issues/${state.issue}`,
      `issues/${state.issue}/events`,
      'settings/projects/web',
      'status',
      ...narrow,
    ]) {
      await page.goto(`${product.url}/o/${org}/${path}`)
      await page.locator('main h1').first().waitFor()
      expect([path, await faults(page)]).toEqual([path, []])
      expect([path, await tooWide(page)]).toEqual([path, []])
    }
    await page.setViewportSize({ width: 1440, height: 900 })
  })
})
