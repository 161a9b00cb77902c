import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { RestOverview } from '../../src/contract/overview.ts'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'overlook'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const markup = '<img src=https://evil.example/x.png onerror=alert(1)>'

describe.skipIf(noChromium)('the overview', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; web: Project; quiet: Project }
  const at = (search = '') => `${product.url}/o/${org}${search}`

  const overview = async () => (await api(product, state.web, `/organizations/${org}/overview/`)).json as RestOverview

  async function faults(page: Page): Promise<string[]> {
    await page.evaluate(axe)
    return page.evaluate<string[]>(
      "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.filter((v) => /serious|critical/.test(v.impact)).flatMap((v) => v.nodes.map((n) => v.id + ' ' + n.html.slice(0, 200))))",
    )
  }
  const isTooWide = (page: Page) => page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')

  beforeAll(async () => {
    state.web = bootstrap(product, org, 'web')
    state.quiet = bootstrap(product, org, 'quiet')
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  test('is the first page after sign-in; without events it offers to connect each project', async () => {
    const { page } = state
    await page.goto(`${product.url}/`)
    expect(new URL(page.url()).pathname).toBe(`/o/${org}`)
    const main = page.getByRole('main')
    await main.getByRole('heading', { name: 'No events yet' }).waitFor()
    const links = main.getByRole('link', { name: /^Connect / })
    const paths = await links.evaluateAll((found) => found.map((link) => link.getAttribute('href')))
    expect(paths).toEqual(expect.arrayContaining([`/o/${org}/projects/web/setup`, `/o/${org}/projects/quiet/setup`]))
    expect(await faults(page)).toEqual([])
  })

  test('shows what happened, what is new and each project', async () => {
    const { page, web } = state
    const frames = [{ function: 'total', filename: 'cart.js', in_app: true }]
    for (const user of ['1', '2', '3'])
      await ingest(
        product,
        web,
        envelopeOf(
          errorEvent('CartError', markup, {
            user: { id: user },
            release: 'web@4.19.0',
            exception: { values: [{ type: 'CartError', value: markup, stacktrace: { frames } }] },
          }),
        ),
      )
    await until('three events', 20_000, async () => (await overview()).events?.now === 3)
    // The organization also has Mishap's own project, which sends transactions.
    await page.goto(at('?project=web'))
    await hydrated(page)
    const fact = async (label: string) => page.locator('.fact', { hasText: label }).locator('.fact-value').textContent()
    expect([await fact('Events'), await fact('Users affected'), await fact('Unresolved')]).toEqual(['3', '3', '1'])
    // No sessions and no transactions: a dash with its reason.
    expect(await fact('Crash-free sessions')).toBe('–')
    expect(await page.locator('.fact', { hasText: 'Failure rate' }).getAttribute('title')).toMatch(/tracesSampleRate/)
    await page.getByRole('img', { name: 'Events over time: 3 events' }).waitFor()
    await page.getByRole('img', { name: 'Users over time: 3 users' }).waitFor()
    const issue = page.getByRole('region', { name: /New, regressed/ }).getByRole('listitem')
    expect(await issue.textContent()).toContain(markup)
    const rows = page.getByRole('region', { name: 'Projects' }).getByRole('row')
    expect((await rows.allTextContents()).some((text) => text.startsWith('web4.19.0'))).toBe(true)
    expect(await page.getByRole('list', { name: 'Releases' }).getByRole('link').first().textContent()).toBe('4.19.0')
    expect(await faults(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await faults(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'light' })
  })

  test('"Assign" opens the list of assignees at once; a reload does not open it again', async () => {
    const { page, web } = state
    const [issue] = (await api(product, web, `/organizations/${org}/issues/?query=CartError`)).json as { id: string }[]
    // The link of an escalating issue. It takes a day of events to make one.
    await page.goto(at(`/issues/${issue?.id}#assign`))
    await page.getByRole('dialog').getByText(`owner@${org}.test`).first().waitFor()
    expect(new URL(page.url()).hash).toBe('')
    await page.reload()
    await hydrated(page)
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('fits from a phone to a wide screen', async () => {
    const { page } = state
    for (const width of [390, 768, 1024, 1440, 2560]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await isTooWide(page), String(width)).toBe(false)
    }
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await faults(page)).toEqual([])
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  test('the scope is in the URL and narrows every part', async () => {
    const { page } = state
    await page.goto(at('?project=quiet&t=24h'))
    const rows = page.getByRole('region', { name: 'Projects' }).locator('tbody tr')
    expect(await rows.count()).toBe(1)
    await page.getByText('No new, regressed or escalating issues.').waitFor()
    await page.getByRole('img', { name: 'Events over time: 0 events' }).waitFor()
  })

  test('reads without scripts', async () => {
    const { page } = state
    const context = await state.browser.newContext({
      javaScriptEnabled: false,
      storageState: await page.context().storageState(),
    })
    const bare = await context.newPage()
    await bare.goto(at())
    expect(await bare.getByRole('region', { name: 'Projects' }).locator('tbody tr').count()).toBeGreaterThan(1)
    expect(await bare.locator('.overview-issue').count()).toBe(1)
    await context.close()
  })

  test('made no foreign request and ran no foreign script', () => {
    const { errors, foreign, dialogs } = state.watched
    expect({ errors, foreign, dialogs }).toEqual({ errors: [], foreign: [], dialogs: [] })
  })
})
