import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'grouping'

type Row = { id: string; shortId: string; title: string; count: string }

const frame = (name: string, app = true) => ({
  filename: `src/${name}.ts`,
  abs_path: `/srv/src/${name}.ts`,
  module: `shop.${name}`,
  function: name,
  lineno: 3,
  in_app: app,
  context_line: `return ${name}(cart)`,
})
const failed = (names: string[], value: string) =>
  errorEvent('TypeError', value, {
    platform: 'node',
    exception: {
      values: [
        {
          type: 'TypeError',
          value,
          stacktrace: { frames: [frame('serve', false), ...names.map((name) => frame(name))] },
        },
      ],
    },
  })

describe.skipIf(noChromium)('grouping on the screens', () => {
  const state = {} as { browser: Browser; project: Project; watched: Watched; page: Page }
  const issues = async () => (await api(product, state.project, `/organizations/${org}/issues/?query=`)).json as Row[]
  const send = (names: string[], value: string) => ingest(product, state.project, envelopeOf(failed(names, value)))
  const open = async (path: string) => {
    await state.page.goto(`${product.url}/o/${org}${path}`)
    await hydrated(state.page)
  }

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    await send(['main', 'cart', 'pay'], 'pay failed')
    await send(['main', 'cart', 'pay'], 'pay failed again')
    await send(['main', 'cart', 'pay', 'round'], 'round failed')
    await until('two issues', 20_000, async () => (await issues()).length === 2)
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url)
    state.page = state.watched.page
    await signIn(state.page, product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  test('an issue tells why; the nearest is merged by one key, and a hash is taken out again', async () => {
    const { page } = state
    const pay = (await issues()).find((issue) => issue.count === '2')
    const round = (await issues()).find((issue) => issue.count === '1')
    await open(`/issues/${pay?.shortId}`)
    await page.getByRole('link', { name: 'Explain, split, merge' }).click()
    await page.getByText('shop.pay').first().waitFor()
    expect(await page.getByText('not in your own code').count()).toBe(0)
    await page.getByLabel('Also show what is ignored').check()
    await page.getByText('not in your own code').first().waitFor()
    await page.getByText(round?.shortId ?? '').waitFor()
    await page.keyboard.press('m')
    await page.getByText(`${round?.shortId} is part of ${pay?.shortId} now.`).waitFor()
    await until('one issue', 10_000, async () => (await issues()).map((issue) => issue.count).join() === '3')
    // The old link leads to the merged issue.
    await open(`/issues/${round?.shortId}/grouping`)
    expect(page.url()).toContain(`/issues/${pay?.shortId}/grouping`)
    const row = page.getByRole('row').filter({ hasText: `Came from ${round?.shortId}` })
    // Own code and all frames each have a hash.
    for (const box of await row.getByRole('checkbox').all()) await box.check()
    await page.getByRole('button', { name: 'Split off 2 hashes' }).click()
    await page.getByText(`1 event went to ${round?.shortId}.`).waitFor()
    await until('two issues', 10_000, async () => (await issues()).length === 2)
  })

  test('a key that is held merges the nearest, and not one after the other', async () => {
    const { page } = state
    await send(['main', 'cart', 'pay', 'ship'], 'ship failed')
    await send(['main', 'cart', 'pay', 'tax'], 'tax failed')
    await until('four issues', 20_000, async () => (await issues()).length === 4)
    const pay = (await issues()).find((issue) => issue.count === '2')
    await open(`/issues/${pay?.shortId}/grouping`)
    const rows = page.locator('[data-similar]')
    expect(await rows.count()).toBe(3)
    for (let presses = 0; presses < 8; presses++) {
      await page.keyboard.down('m')
      await page.waitForTimeout(100)
    }
    await page.keyboard.up('m')
    await until('the list without it', 10_000, async () => (await rows.count()) === 2)
    expect(await issues()).toHaveLength(3)
  })

  test('rules: wrong ones say where; a preview says what they would do; saved ones group what comes', async () => {
    const { page } = state
    await open('/settings/projects/web/grouping')
    const rules = page.getByLabel('Fingerprint rules')
    await rules.fill('type:TypeError')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('Line 1, column 15: expected -> and a fingerprint.').waitFor()
    await rules.fill('type:TypeError -> all-of-them title="All of them"')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('5 of the newest 5 events would belong to another issue; one issue would be new.').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The rules are saved.').waitFor()
    await send(['other'], 'something else')
    await send(['main', 'cart', 'pay'], 'pay failed')
    const all = await until('the new issue', 20_000, async () =>
      (await issues()).find((issue) => issue.title === 'All of them'),
    )
    await until('both of them', 20_000, async () =>
      (await issues()).some((issue) => issue.count === '2' && issue.id === all.id),
    )
    expect(state.watched.errors).toEqual([])
  })
})
