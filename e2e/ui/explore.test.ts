import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'exploring'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const hostile = '<img src=x onerror=alert(1)>\u202e=cmd()'

const event = (n: number) =>
  `{}\n{"type":"event"}\n${JSON.stringify({
    event_id: n.toString(16).padStart(32, '0'),
    message: n === 1 ? hostile : `message ${n % 3}`,
    level: n % 4 === 0 ? 'fatal' : 'error',
    platform: 'node',
    environment: 'production',
    timestamp: Date.now() / 1000 - 60 - n,
    tags: { shelf: n === 1 ? hostile : `shelf-${n % 2}` },
  })}\n`

describe.skipIf(noChromium)('the page Explore', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; project: Project }
  const at = (search = '') => `${product.url}/o/${org}/explore${search}`
  const open = async (search = '') => {
    await state.page.goto(at(search))
    await hydrated(state.page)
  }
  const cells = (page: Page) => page.locator('.explore-table tbody td').allTextContents()
  async function faults(page: Page): Promise<string[]> {
    await page.evaluate(axe)
    return page.evaluate<string[]>(
      "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.filter((v) => /serious|critical/.test(v.impact)).flatMap((v) => v.nodes.map((n) => v.id + ' ' + n.html.slice(0, 200))))",
    )
  }

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
    for (let n = 0; n < 12; n++) await ingest(product, state.project, event(n))
    await until('events', 20_000, async () => {
      const { data } = (
        await api(product, state.project, `/organizations/${org}/events/?dataset=errors&field=count()&statsPeriod=24h`)
      ).json as { data: { 'count()': number }[] }
      return data[0]?.['count()'] === 12
    })
  })
  afterAll(() => state.browser?.close())

  test('counts the errors of a day: chart, table, words and SQL; the sidebar and g x lead there', async () => {
    const { page } = state
    await page.goto(`${product.url}/o/${org}/issues`)
    await hydrated(page)
    await page.keyboard.press('g')
    await page.keyboard.press('x')
    await page.waitForURL(/\/explore/)
    await page.getByRole('heading', { name: 'Explore', level: 1 }).waitFor()
    expect(await cells(page)).toEqual(['12'])
    await page.locator('.time-chart-plot canvas').first().waitFor()
    await page.getByText('The query as SQL').click()
    expect(await page.locator('.explore-words .code').textContent()).toContain('SELECT')
    expect(await page.locator('.explore-meta').textContent()).toMatch(/Read [\d,]+ rows? and/)
  })

  test('groups, series with filters, a formula and the order are in the address', async () => {
    const { page } = state
    await open()
    await page.getByLabel('Add a field').fill('shelf')
    await page.getByLabel('Add a field').press('Enter')
    await page.waitForURL(/by=shelf/)
    await page.getByRole('button', { name: 'Add series' }).click()
    await page.getByLabel('Filter of series b').fill('level:fatal')
    await page.getByLabel('Filter of series b').press('Enter')
    await page.waitForURL(/where\+level/)
    await page.getByRole('button', { name: 'Add formula' }).click()
    await page.getByLabel('Formula c').fill('b / a * 100')
    await page.getByLabel('Formula c').press('Enter')
    await page.waitForURL(/f=b/)
    await page.getByRole('button', { name: 'b: count()' }).click()
    await page.waitForURL(/sort=-b/)
    await page.reload()
    const table = page.locator('.explore-table')
    await table.waitFor()
    expect(await table.locator('tbody tr').count()).toBe(3)
    expect((await table.locator('tbody tr').first().locator('td').allTextContents()).slice(0, 3)).toEqual([
      'shelf-0',
      '6',
      '3',
    ])
    // A hostile value is text, and filters as what it is.
    expect(await page.locator('.explore-table img').count()).toBe(0)
    await table.getByRole('button', { name: /onerror/ }).click()
    await page.waitForURL(/q=/)
    expect((await page.locator('.explore-table tbody tr').first().locator('td').allTextContents())[1]).toBe('1')
  })

  test('a wrong query says where, and keeps the text', async () => {
    const { page } = state
    await open('?by=a+b')
    await page.locator('.explore [role=alert]').waitFor()
    expect(await page.locator('.explore [role=alert]').textContent()).toContain('a b')
    expect(await page.getByRole('group', { name: 'Group by' }).textContent()).toContain('a b')
  })

  test('a query is saved, opened by its link, and deleted', async () => {
    const { page } = state
    await open('?by=level')
    await page.getByText('Saved queries').first().click()
    await page.getByLabel('Save this query as').fill('By level <b>')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL(/saved=\d+/)
    await page.getByRole('heading', { name: 'By level <b>', level: 1 }).waitFor()
    const id = new URL(page.url()).searchParams.get('saved')
    await open(`?saved=${id}`)
    await page.waitForURL(/by=level/)
    await page.getByText('Saved queries').first().click()
    await page.getByRole('button', { name: 'Delete By level <b>' }).click()
    await page.getByText('No query is saved yet.').waitFor()
  })

  test('rows are exported: progress, then a file in which formulas are harmless', async () => {
    const { page } = state
    await open('?mode=rows&c=message&c=level')
    expect(await page.locator('.explore-table tbody tr').count()).toBe(12)
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('button', { name: 'Start export' }).click()
    const link = page.getByRole('link', { name: 'Download' }).first()
    await link.waitFor()
    const [file] = await Promise.all([page.waitForEvent('download'), link.click()])
    const text = readFileSync(await file.path(), 'utf8')
    expect(text.trimEnd().split('\r\n')).toHaveLength(13)
    expect(text).toContain('message,level')
    expect(await page.locator('.dialog').textContent()).toContain('12 rows')
  })

  test('an owner runs SQL over the views of the organization, and nothing else', async () => {
    const { page } = state
    await open('?mode=sql')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.locator('.explore-table').waitFor()
    expect(await cells(page)).toEqual(['error', '9', 'fatal', '3'])
    await page.getByLabel('SQL statement').fill("SELECT * FROM file('/etc/passwd')")
    await page.getByLabel('SQL statement').press('Control+Enter')
    await page.locator('.explore [role=alert]').waitFor()
    expect(await page.locator('.explore [role=alert]').textContent()).toContain('At position')
  })

  test('fits a phone, dark and light, without faults of accessibility', async () => {
    const { page } = state
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const search of ['?by=shelf&s=count()&s=count() where level:fatal', '?mode=rows', '?mode=sql']) {
        await page.setViewportSize({ width: 390, height: 844 })
        await open(search)
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
        // No label of the time axis lies over the zone at its end.
        const ends = await page.locator('.time-chart-x').evaluateAll((axes) =>
          axes.map((axis) => {
            const boxes = [...axis.children]
              .map((label) => label.getBoundingClientRect())
              .filter(({ width }) => width > 0)
            const zone = boxes.pop()
            return Math.max(0, ...boxes.map(({ right }) => right)) <= (zone?.left ?? 0)
          }),
        )
        expect([search, ends]).toEqual([search, search.includes('mode') ? [] : [true]])
        expect(await faults(page)).toEqual([])
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    expect([state.watched.errors, state.watched.dialogs]).toEqual([[], []])
  })
})
