import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { RestDashboard } from '../../src/contract/explore/dashboards.ts'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'
import { useRoutedPage } from './routed.ts'

const product = inject('product')
const org = 'boards'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const markup = '<img src=https://evil.example/x.png onerror=alert(1)>'
const count = { fields: ['count()'], aggregates: ['count()'], columns: [], conditions: '', orderby: '', name: '' }

describe.skipIf(noChromium)('dashboards', () => {
  const state = {} as { browser: Browser; watched: Watched; page: Page; web: Project }
  const at = (path = '') => `${product.url}/o/${org}/dashboards${path}`
  const body = (value: unknown) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) })
  const create = async (value: unknown) =>
    (await api(product, state.web, `/organizations/${org}/dashboards/`, { method: 'POST', ...body(value) }))
      .json as RestDashboard
  const read = async (id: string) =>
    (await api(product, state.web, `/organizations/${org}/dashboards/${id}/`)).json as RestDashboard
  const tile = (name: string) => state.page.getByRole('region', { name, exact: true })
  async function faults(page: Page): Promise<string[]> {
    await page.evaluate(axe)
    return page.evaluate<string[]>(
      "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.filter((v) => /serious|critical/.test(v.impact)).flatMap((v) => v.nodes.map((n) => v.id + ' ' + n.html.slice(0, 200))))",
    )
  }

  beforeAll(async () => {
    state.web = bootstrap(product, org, 'web')
    for (const [type, release] of [
      [markup, 'web@1'],
      ['BetaError', 'web@2'],
      ['BetaError', 'web@2'],
    ] as const)
      await ingest(product, state.web, envelopeOf(errorEvent(type, markup, { release, environment: 'production' })))
    await until('three events', 20_000, async () => {
      const found = await api(product, state.web, `/organizations/${org}/issues/?query=`)
      return (found.json as { count: string }[]).reduce((sum, issue) => sum + Number(issue.count), 0) === 3
    })
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  test('the list shows ready-made dashboards, finds titles, and g d leads to it', async () => {
    const { page } = state
    await page.goto(`${product.url}/o/${org}/issues`)
    await hydrated(page)
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    await page.waitForURL(at())
    const rows = page.getByRole('list', { name: 'Dashboards' }).getByRole('listitem')
    await expect.poll(() => rows.count()).toBe(4)
    await page.keyboard.press('/')
    await page.keyboard.type('vitals')
    await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining('Web vitals')])
    expect(await faults(page)).toEqual([])
  })

  test('a ready-made dashboard loads each tile alone, and its duplicate can be edited', async () => {
    const { page } = state
    await page.goto(at('/health'))
    await hydrated(page)
    expect(await page.getByRole('button', { name: 'Edit', exact: true }).count()).toBe(0)
    await expect.poll(() => tile('Errors').locator('.board-number b').textContent()).toBe('3')
    await expect
      .poll(() => tile('Unresolved issues').getByRole('link').allTextContents())
      .toContain(`BetaError: ${markup}`)
    await expect.poll(() => tile('Errors by project').locator('.u-over').count()).toBe(1)
    expect(await faults(page)).toEqual([])
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await page.waitForURL(/dashboards\/\d+$/)
    await page.getByRole('heading', { name: 'Copy of Application health' }).waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
  })

  test('a tile is added by its form and saved; hostile titles and texts stay text', async () => {
    const { page, watched } = state
    await page.goto(at())
    await hydrated(page)
    await page.getByRole('button', { name: 'Create dashboard' }).click()
    await page.waitForURL(/dashboards\/\d+$/)
    await page.getByRole('button', { name: 'Add tile' }).click()
    const form = page.getByRole('dialog', { name: 'Add tile' })
    await form.getByLabel('Title').fill(markup)
    await form.getByLabel('Kind').selectOption('table')
    await form.getByLabel('Group by').fill('release')
    await form.getByRole('button', { name: 'Apply' }).click()
    await expect
      .poll(() => tile(markup).getByRole('row').allTextContents())
      .toEqual(['releasecount()', 'web@22', 'web@11'])
    await page.getByRole('button', { name: 'Add tile' }).click()
    await form.getByLabel('Kind').selectOption('text')
    await form.getByLabel('Title').fill('Notes')
    await form.getByLabel('Text').fill(`# Head\n${markup}`)
    await form.getByRole('button', { name: 'Apply' }).click()
    await page.getByLabel('Title', { exact: true }).fill(`Shop ${markup}`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: `Shop ${markup}` }).waitFor()
    expect(await tile('Notes').locator('.board-text').textContent()).toBe(`# Head\n${markup}`)
    const stored = await read(page.url().split('/').at(-1) ?? '')
    expect(stored.widgets.map(({ title, displayType }) => [title, displayType])).toEqual([
      [markup, 'table'],
      ['Notes', 'text'],
    ])
    expect([watched.errors, watched.foreign, watched.dialogs]).toEqual([[], [], []])
    expect(await faults(page)).toEqual([])
  })

  test('tiles move and change their size by drag and by keys', async () => {
    const { page, watched } = state
    const line = { displayType: 'line', widgetType: 'error-events', queries: [count] }
    const widgets = [
      { ...line, title: 'One', layout: { x: 0, y: 0, w: 3, h: 2, minH: 1 } },
      { ...line, title: 'Two', displayType: 'big_number', layout: { x: 3, y: 0, w: 3, h: 2, minH: 1 } },
    ]
    const { id } = await create({ title: 'Moves', widgets })
    await page.goto(at(`/${id}`))
    await hydrated(page)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const handle = page.getByRole('button', { name: 'Move One', exact: true })
    await handle.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Shift+ArrowRight')
    await page.getByText('Column 1, row 1, 4 wide, 2 high').waitFor({ state: 'attached' })
    // Drag the second tile by its head to the left end.
    const head = page.getByRole('heading', { name: 'Two', exact: true })
    // It still glides to the place that the first tile left it. `hover` waits until it stands.
    await head.hover({ position: { x: 40, y: 8 } })
    const box = await head.boundingBox()
    if (!box) throw new Error('no tile')
    await page.mouse.down()
    await page.mouse.move(box.x - 300, box.y + 12, { steps: 8 })
    await page.mouse.move(box.x - 700, box.y + 12, { steps: 8 })
    await page.mouse.up()
    await expect.poll(async () => (await head.boundingBox())?.x ?? 999).toBeLessThan(box.x - 300)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
    const places = (await read(id)).widgets.map(({ layout }) => layout)
    expect(places[0]?.w).toBe(4)
    expect(places[1]?.x).toBe(0)
    const cells = places.flatMap(({ x, y, w, h }) =>
      Array.from({ length: w * h }, (_cell, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(watched.errors).toEqual([])
  })

  describe('with requests that it intercepts', () => {
    useRoutedPage(state, product.url)

    test('keys that follow each other quickly all count, and the handle keeps the focus', async () => {
      const { page } = state
      const line = { displayType: 'line', widgetType: 'error-events', queries: [count] }
      const widgets = ['One', 'Two', 'Three'].map((title, at) => ({
        ...line,
        title,
        layout: { x: at === 1 ? 3 : 0, y: at === 2 ? 2 : 0, w: 3, h: 2, minH: 1 },
      }))
      const { id } = await create({ title: 'Quick', widgets })
      // The answers come while the tiles are moved, and with the first one the code of charts.
      const isData = (url: URL) => /\/widgets\/.*\/data\//.test(url.pathname)
      await page.route(isData, async (route) => {
        await new Promise((done) => setTimeout(done, 1000))
        await route.continue()
      })
      await page.goto(at(`/${id}`))
      await hydrated(page)
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      const handle = page.getByRole('button', { name: 'Move One', exact: true })
      await handle.focus()
      await tile('One').getByText('Table', { exact: true }).waitFor()
      await page.unroute(isData)
      const status = page.locator('.board-editing > [role="status"]')
      // One passes Three and comes back, so its place in the document changes. Nothing waits between two keys.
      const round = [
        ['Shift+ArrowRight', 'Column 1, row 1, 4 wide, 2 high'],
        ['Shift+ArrowRight', 'Column 1, row 1, 5 wide, 2 high'],
        ['Shift+ArrowLeft', 'Column 1, row 1, 4 wide, 2 high'],
        ['ArrowDown', 'Column 1, row 3, 4 wide, 2 high'],
        ['ArrowUp', 'Column 1, row 1, 4 wide, 2 high'],
        ['Shift+ArrowLeft', 'Column 1, row 1, 3 wide, 2 high'],
      ] as const
      for (let times = 0; times < 5; times++)
        for (const [key, said] of round) {
          await page.keyboard.press(key)
          expect([
            await status.textContent(),
            await handle.evaluate((own) => own === own.ownerDocument.activeElement),
          ]).toEqual([said, true])
        }
      await page.keyboard.press('Shift+ArrowDown')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
      const stored = (await read(id)).widgets.find(({ title }) => title === 'One')
      expect(stored?.layout).toMatchObject({ x: 0, y: 0, w: 3, h: 3 })
    })

    test('when a tile fails, the others keep working, and it names the cause', async () => {
      const { page } = state
      const { id } = await create({
        title: 'Fails',
        widgets: [
          { title: 'Good', displayType: 'big_number', widgetType: 'error-events', queries: [count] },
          {
            title: 'Wrong',
            displayType: 'line',
            widgetType: 'error-events',
            queries: [{ ...count, conditions: 'level:' }],
          },
          { title: 'Cut off', displayType: 'bar', widgetType: 'error-events', queries: [count] },
        ],
      })
      await page.route('**/widgets/3/data/**', (route) => route.fulfill({ status: 500, body: 'no' }))
      await page.goto(at(`/${id}`))
      await hydrated(page)
      await expect.poll(() => tile('Good').locator('.board-number b').textContent()).toBe('3')
      await expect.poll(() => tile('Wrong').getByRole('alert').textContent()).toMatch(/QUERY_SYNTAX/)
      await expect.poll(() => tile('Cut off').getByRole('alert').textContent()).toMatch(/HTTP 500/)
      await page.unroute('**/widgets/3/data/**')
      await tile('Cut off').getByRole('button', { name: 'Try again' }).click()
      await expect.poll(() => tile('Cut off').locator('.u-over').count()).toBe(1)
    })
  })

  test('variables apply to all tiles and are in the URL; f shows full screen', async () => {
    const { page } = state
    const { id } = await create({
      title: 'Variables',
      attribute: 'environment',
      widgets: [
        { title: 'Count', displayType: 'big_number', widgetType: 'error-events', queries: [count] },
        {
          title: 'List',
          displayType: 'table',
          widgetType: 'issue',
          queries: [{ conditions: 'is:unresolved', orderby: 'freq' }],
        },
      ],
    })
    await page.goto(at(`/${id}`))
    await hydrated(page)
    await expect.poll(() => tile('Count').locator('.board-number b').textContent()).toBe('3')
    await page.getByLabel('Release', { exact: true }).fill('web@1')
    await page.keyboard.press('Enter')
    await page.waitForURL(/release=web%401/)
    await expect.poll(() => tile('Count').locator('.board-number b').textContent()).toBe('1')
    await expect.poll(() => tile('List').getByRole('listitem').count()).toBe(1)
    await page.getByLabel('environment', { exact: true }).fill('staging')
    await page.keyboard.press('Enter')
    await page.waitForURL(/value=staging/)
    await expect.poll(() => tile('List').textContent()).toContain('No issue matches.')
    await page.reload()
    await hydrated(page)
    await expect.poll(() => page.getByLabel('Release', { exact: true }).inputValue()).toBe('web@1')
    await page.locator('h1').click()
    await page.keyboard.press('f')
    await expect.poll(() => page.locator('.board[data-full]').count()).toBe(1)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('.board[data-full]').count()).toBe(0)
  })

  test('a chart is read by keys and as a table', async () => {
    const { page } = state
    const { id } = await create({
      title: 'Chart',
      widgets: [{ title: 'Errors', displayType: 'bar', widgetType: 'error-events', queries: [count] }],
    })
    await page.goto(at(`/${id}`))
    await hydrated(page)
    const reader = tile('Errors').getByRole('slider')
    await reader.focus()
    await page.keyboard.press('End')
    await expect.poll(() => reader.getAttribute('aria-valuetext')).toMatch(/: count\(\) \d$/)
    await tile('Errors').getByRole('button', { name: 'Table' }).click()
    // The events came within two intervals, because the test may run over the turn of one.
    const values = (await tile('Errors').getByRole('row').allTextContents()).map((row) =>
      Number(/(\d)$/.exec(row)?.[1] ?? 0),
    )
    expect(values.reduce((sum, value) => sum + value, 0)).toBe(3)
    expect(await faults(page)).toEqual([])
  })

  test('deleting can be undone', async () => {
    const { page } = state
    await create({ title: 'Short-lived', widgets: [{ title: 'T', displayType: 'text', description: 'x' }] })
    await page.goto(at())
    await hydrated(page)
    const row = page.getByRole('link', { name: 'Short-lived' })
    await page.getByRole('button', { name: 'Delete Short-lived' }).click()
    await expect.poll(() => row.count()).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => row.count()).toBe(1)
  })

  test('a phone shows one column without sideways scrolling, dark as well', async () => {
    const { page } = state
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const path of ['', '/health']) {
      await page.goto(at(path))
      await hydrated(page)
      expect(await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')).toBe(false)
      expect(await faults(page)).toEqual([])
    }
    await expect.poll(() => tile('Errors').locator('.board-number b').textContent()).toBe('3')
    const lefts = await page
      .locator('.board-tile')
      .evaluateAll((tiles) => tiles.map((own) => own.getBoundingClientRect().x))
    expect(new Set(lefts).size).toBe(1)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.emulateMedia({ colorScheme: 'light' })
  })
})
