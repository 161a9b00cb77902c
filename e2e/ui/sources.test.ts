import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { bundleOf, debugId, sha1Of } from '../../src/operations/archive.cases.ts'
import { noChromium, openBrowser, openPage, signIn } from '../browser.ts'
import { api, bootstrap, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'sources'

describe.skipIf(noChromium)('source maps of a project', () => {
  const state = {} as { browser: Browser; page: Page; project: Project }
  const at = (path: string) => `${product.url}/o/${org}${path}`
  const home = '/settings/projects/web/source-maps'

  async function upload(bytes: Buffer, version: string): Promise<void> {
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(bytes)]), sha1Of(bytes))
    await api(product, state.project, `/organizations/${org}/chunk-upload/`, { method: 'POST', body: form })
    const body = JSON.stringify({ checksum: sha1Of(bytes), chunks: [sha1Of(bytes)], projects: ['web'], version })
    await until('the bundle', 10_000, async () => {
      const path = `/organizations/${org}/artifactbundle/assemble/`
      const answer = await api(product, state.project, path, { method: 'POST', body })
      return (answer.json as { state: string }).state === 'ok'
    })
  }

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    state.browser = await openBrowser()
    state.page = (await openPage(state.browser, product.url)).page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  test('none: the commands; then the list, the search, one bundle, and its end by typing its name', async () => {
    const { page } = state
    await page.goto(at('/settings/projects/web'))
    await page.getByRole('link', { name: 'Source maps' }).click()
    await page.getByRole('heading', { name: 'No source maps yet' }).waitFor()
    expect(await page.locator('main pre').textContent()).toContain('sourcemaps upload ./dist')

    await upload(bundleOf({ id: '1'.repeat(32) }), 'shop@1<b>')
    await upload(bundleOf({ id: '2'.repeat(32), script: 'other' }), 'shop@2')
    await page.goto(at(home))
    const rows = page.locator('main tbody tr')
    expect(await rows.count()).toBe(2)
    expect(await rows.last().textContent()).toContain('shop@1<b>')
    await page.getByLabel('Release, dist, URL').fill('shop@2')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.waitForURL(/q=shop/)
    expect(await rows.count()).toBe(1)
    await page.goto(at(`${home}?q=never`))
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    await page.getByRole('link', { name: 'Clear' }).click()
    await page.getByRole('link', { name: '11111111' }).click()
    const files = page.getByRole('region', { name: 'Files' })
    await files.getByText('~/app.js.map').waitFor()
    expect(await files.locator('tbody').textContent()).toContain(debugId)

    await page.getByLabel('Type 11111111').fill('22222222')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The text does not match.').waitFor()
    await page.getByLabel('Type 11111111').fill('11111111')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/source-maps$/)
    await until('one row', 5000, async () => (await rows.count()) === 1)
    expect(await rows.textContent()).toContain('shop@2')
  })
})
