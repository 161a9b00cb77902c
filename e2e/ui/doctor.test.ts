import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { bundleOf, debugId, sha1Of } from '../../src/operations/archive.cases.ts'
import { hydrated, noChromium, openBrowser, openPage, signIn, type Watched } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, eventId, ingest, type Project, until } from '../product.ts'
import { observeShift, type Shift, shiftOf } from '../shift.ts'

const product = inject('product')
const org = 'whymap'
/** Markup and a character that reverses the text direction, in a URL that a page reports. */
const hostile = "https://shop.test/<img src=x onerror=alert(1)>/'$(id)'\u202e.js"

describe.skipIf(noChromium)('why a stack is not readable', () => {
  const state = {} as { browser: Browser; watched: Watched; project: Project; groups: Record<string, string> }
  const page = (): Page => state.watched.page
  const doctor = () => page().getByRole('region', { name: 'Why this stack is not readable' })

  async function send(type: string, url: string, more: object = {}): Promise<void> {
    const frames = [{ filename: url, abs_path: url, function: 'f', lineno: 1, colno: 3, in_app: true }]
    const exception = { values: [{ type, value: 'x', stacktrace: { frames } }] }
    const event = errorEvent(type, 'x', { exception, ...more })
    expect((await ingest(product, state.project, envelopeOf(event))).status).toBe(200)
    state.groups[type] = await until('the event', 20_000, async () => {
      const { status, json } = await api(product, state.project, `/projects/${org}/web/events/${event.event_id}/`)
      return status === 200 && (json as { groupID: string }).groupID
    })
  }

  async function upload(bytes: Buffer): Promise<void> {
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(bytes)]), sha1Of(bytes))
    await api(product, state.project, `/organizations/${org}/chunk-upload/`, { method: 'POST', body: form })
    const body = JSON.stringify({ checksum: sha1Of(bytes), chunks: [sha1Of(bytes)], projects: ['web'], version: 'w@1' })
    await until('the bundle', 10_000, async () => {
      const path = `/organizations/${org}/artifactbundle/assemble/`
      const answer = await api(product, state.project, path, { method: 'POST', body })
      return (answer.json as { state: string }).state === 'ok'
    })
  }

  /** Layout shifts of a page until its scripts have been idle for a second. Its fonts load late. */
  async function shiftAt(path: string, width: number): Promise<Shift> {
    const viewport = { width, height: 900 }
    const context = await state.browser.newContext({ viewport, storageState: await page().context().storageState() })
    try {
      const fresh = await context.newPage()
      await context.route('**/*.woff2', (route) => pause(500).then(() => route.continue()))
      await fresh.addInitScript(observeShift)
      await fresh.goto(`${product.url}/o/${org}/${path}`)
      await hydrated(fresh)
      await fresh.waitForTimeout(1000)
      return await shiftOf(fresh)
    } finally {
      await context.close()
    }
  }

  beforeAll(async () => {
    state.groups = {}
    state.project = bootstrap(product, org, 'web')
    state.browser = await openBrowser()
    state.watched = await openPage(state.browser, product.url, { width: 390, height: 844 })
    await signIn(page(), product.url, `owner@${org}.test`)
  })
  afterAll(() => state.browser?.close())

  test('before any upload: one sentence, the command, all steps on demand; nothing where there is nothing to map', async () => {
    const trace = { trace_id: eventId(), span_id: 'a'.repeat(16) }
    await send('NoUpload', 'https://shop.test/app.js', { contexts: { trace } })
    await send('Native', '[native code]')
    await page().goto(`${product.url}/o/${org}/issues/${state.groups.NoUpload}`)
    await doctor().getByText('The project web has no uploaded files.').waitFor()
    const url = product.url.replace('127.0.0.1', 'localhost')
    expect(await doctor().locator('pre').textContent()).toBe(
      `npx @sentry/cli --url ${url} sourcemaps inject ./dist\nnpx @sentry/cli --url ${url} sourcemaps upload --org ${org} --project web ./dist`,
    )
    const steps = doctor().getByRole('button', { name: 'All steps' })
    await steps.focus()
    await page().keyboard.press('Enter')
    const items = doctor().getByRole('listitem')
    expect(await items.count()).toBe(7)
    expect(await items.nth(0).textContent()).toContain('https://shop.test/app.js')
    expect(await items.nth(2).textContent()).toContain('fails')
    expect(await items.nth(6).textContent()).toContain('not reached')

    await page().goto(`${product.url}/o/${org}/issues/${state.groups.Native}`)
    await page().getByRole('heading', { name: 'Native' }).first().waitFor()
    expect(await doctor().count()).toBe(0)
  })

  test.each([
    ['list', 390],
    ['list', 1440],
    ['issue', 390],
    ['issue', 1440],
  ] as const)('nothing on the %s moves by itself, %d px wide', async (screen, width) => {
    // On a busy machine, a part can load after the page. One of three visits must have no shift.
    const seen: Shift[] = []
    do seen.push(await shiftAt(screen === 'list' ? 'issues' : `issues/${state.groups.NoUpload}`, width))
    while (seen.length < 3 && (seen.at(-1)?.shift ?? 0) > 0)
    expect(seen.at(-1)).toEqual({ shift: 0, moved: [] })
  })

  test('hostile names are text and fit a phone; in German, too', async () => {
    await upload(bundleOf())
    await send('Hostile', hostile, { release: "w@2'$(id)<b>" })
    await page().goto(`${product.url}/o/${org}/issues/${state.groups.Hostile}`)
    await doctor().getByText('All steps').click()
    expect(await doctor().textContent()).toContain('<img src=x onerror=alert(1)>')
    expect(await doctor().locator('img').count()).toBe(0)
    expect(await page().evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)

    await page()
      .context()
      .addCookies([{ name: 'locale', value: 'de', url: product.url }])
    await page().reload()
    const german = page().getByRole('region', { name: 'Warum dieser Stack nicht lesbar ist' })
    await german.getByRole('button', { name: 'Alle Schritte' }).waitFor()
    expect(await german.textContent()).toMatch(/Das Event|Für das Release|Keine hochgeladene/)
    await page()
      .context()
      .addCookies([{ name: 'locale', value: 'en', url: product.url }])
    expect(state.watched).toMatchObject({ errors: [], foreign: [], dialogs: [] })
  })

  test('a bundle says which of its maps is broken', async () => {
    await page().goto(`${product.url}/o/${org}/settings/projects/web/source-maps`)
    await page().locator('main tbody a').first().click()
    const check = page().getByRole('region', { name: 'Check' }).first()
    await check.getByText('The map ~/app.js.map is not a valid source map.').waitFor()
    expect(await check.locator('tbody tr').first().textContent()).toContain(debugId)
    expect(await check.locator('tbody tr').first().textContent()).toContain('wrong')
  })

  test('so does the page of its release', async () => {
    const body = JSON.stringify({ version: 'w@1', projects: ['web'] })
    const created = await api(product, state.project, `/organizations/${org}/releases/`, { method: 'POST', body })
    expect([201, 208]).toContain(created.status)
    await page().goto(`${product.url}/o/${org}/releases/w%401`)
    // Streamed HTML is briefly in a hidden container next to the rendered copy. So look only in the visible content.
    const verdict = page().locator('#content .doctor[data-verdict="wrong"]')
    await verdict.getByText('The map ~/app.js.map is not a valid source map.').waitFor()
    expect(await page().evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
    expect(state.watched).toMatchObject({ errors: [], dialogs: [] })
  })
})
