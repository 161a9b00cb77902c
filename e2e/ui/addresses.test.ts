// URLs of other tools: Sentry's URLs lead to the matching screens, and .json and .md return the event.
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { loginOf, noChromium, openBrowser } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, eventId, ingest, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'addresses'

describe.skipIf(noChromium)('addresses', () => {
  const ids = [eventId(), eventId()]
  const state = {} as { browser: Browser; context: BrowserContext; project: Project; id: string; shortId: string }
  const get = (path: string, redirects = 0) =>
    state.context.request.get(`${product.url}${path}`, { maxRedirects: redirects, failOnStatusCode: false })

  beforeAll(async () => {
    state.project = bootstrap(product, org, 'web')
    for (const [at, id] of ids.entries()) {
      const event = {
        ...errorEvent('AddressError', `number ${at}`),
        event_id: id,
        timestamp: Date.now() / 1000 - 60 + at,
      }
      expect((await ingest(product, state.project, envelopeOf(event))).status).toBe(200)
    }
    const [issue] = await until('the issue', 20_000, async () => {
      const found = (await api(product, state.project, `/organizations/${org}/issues/?query=`)).json as {
        id: string
        shortId: string
        count: string
      }[]
      return found[0]?.count === '2' && found
    })
    Object.assign(state, { id: issue?.id, shortId: issue?.shortId })
    state.browser = await openBrowser()
    const login = await loginOf(state.browser, product.url, `owner@${org}.test`)
    state.context = await state.browser.newContext({ storageState: login })
  })
  afterAll(() => state.browser?.close())

  test.each<[form: string, to: string]>([
    [`/organizations/${org}/issues/ID/`, `/o/${org}/issues/ID`],
    [`/organizations/${org}/issues/ID/?project=1`, `/o/${org}/issues/ID?project=1`],
    [`/organizations/${org}/issues/ID/events/${ids[0]}/`, `/o/${org}/issues/ID/events/${ids[0]}`],
    [`/organizations/${org}/issues/?query=AddressError`, `/o/${org}/issues?q=AddressError`],
    [`/organizations/${org}/releases/`, `/o/${org}/releases`],
    [`/settings/${org}/projects/web/keys/`, `/o/${org}/settings/projects/web/keys`],
    [`/${org}/web/issues/ID/`, `/o/${org}/issues/ID`],
    [`/o/${org}/status`, `/o/${org}/settings/status`],
    [`/o/${org}/projects/web/ingest`, `/o/${org}/settings/projects/web/rejected-data`],
    [`/o/${org}/settings`, `/o/${org}/settings/account`],
  ])('%s leads to %s, which is there', async (form, to) => {
    const from = form.replace('ID', state.id)
    const wanted = to.replace('ID', state.id)
    let path = from
    for (let hops = 0; hops < 3; hops++) {
      const answer = await get(path)
      const location = answer.headers().location
      if (location === undefined) break
      expect([307, 308]).toContain(answer.status())
      path = location.replace(product.url, '')
    }
    const at = new URL(path, product.url)
    const target = new URL(wanted, product.url)
    expect(at.pathname.replace(/\/$/, '')).toBe(target.pathname)
    for (const [key, value] of target.searchParams) expect(at.searchParams.get(key)).toBe(value)
    expect((await get(path, 3)).status()).toBe(200)
  })

  test('Sentry’s addresses of an issue of somebody else are a 404, like those of no issue', async () => {
    const other = bootstrap(product, 'addresses-of-others', 'web', 'javascript', 'stranger@addresses.test')
    const event = errorEvent('ForeignError', 'not yours')
    expect((await ingest(product, other, envelopeOf(event))).status).toBe(200)
    const id = await until('the issue', 20_000, async () => {
      const found = (await api(product, other, `/organizations/${other.org}/issues/?query=`)).json as { id: string }[]
      return found[0]?.id
    })
    for (const path of [
      `/organizations/${other.org}/issues/${id}/`,
      `/${other.org}/web/issues/${id}/`,
      // In the own organization, an id of another one is no issue.
      `/organizations/${org}/issues/${id}/`,
      `/${org}/web/issues/${id}/`,
      `/organizations/${org}/issues/999999/`,
      '/organizations/nobody/issues/1/',
    ]) {
      const answer = await get(path, 4)
      expect([path, answer.status()]).toEqual([path, 404])
      expect(await answer.text()).not.toContain('ForeignError')
    }
  })

  test.each<[word: string, status: number, message: string]>([
    [ids[0] ?? '', 200, 'number 0'],
    [ids[1] ?? '', 200, 'number 1'],
    ['1', 200, 'number 0'],
    ['first', 200, 'number 0'],
    ['latest', 200, 'number 1'],
    ['f'.repeat(32), 404, ''],
    ['9', 404, ''],
  ])('events/%s.json and .md answer %i', async (word, status, message) => {
    const path = `/o/${org}/issues/${state.id}/events/${word}`
    const [json, markdown] = [await get(`${path}.json`), await get(`${path}.md`)]
    expect([json.status(), markdown.status()]).toEqual([status, status])
    if (status !== 200) return
    expect(JSON.stringify(await json.json())).toContain(message)
    expect(await markdown.text()).toContain(message)
  })

  test('what stands in the browser’s address line is what the API takes', async () => {
    for (const name of [state.id, state.shortId, state.shortId.toLowerCase()])
      for (const path of [`/organizations/${org}/issues/${name}/`, `/issues/${name}/`]) {
        const { status, json } = await api(product, state.project, path)
        expect([path, status, (json as { id: string; permalink: string }).id]).toEqual([path, 200, state.id])
        expect((json as { permalink: string }).permalink).toMatch(new RegExp(`/o/${org}/issues/${state.id}$`))
      }
  })
})
