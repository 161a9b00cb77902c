import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { makeDump } from '../../src/refine/kinds/minidump/fixture.cases.ts'
import { noChromium, openBrowser, openPage, signIn } from '../browser.ts'
import { api, bootstrap, type Project, until } from '../product.ts'

const product = inject('product')
const org = 'dumps'
const dump = makeDump({ crash: { code: 11, flags: 1, address: 0x10n } })

/** Uploads a file like a crash reporter. */
function upload(project: Project, bytes: Buffer, name: string, fields: Record<string, string> = {}): Promise<Response> {
  const form = new FormData()
  for (const [key, value] of Object.entries(fields)) form.set(key, value)
  form.set('upload_file_minidump', new Blob([new Uint8Array(bytes)]), name)
  form.set('log', new Blob(['one\ntwo\n']), 'game.log')
  return fetch(`${product.url}/api/${project.id}/minidump/?sentry_key=${project.key}`, { method: 'POST', body: form })
}

type Event = { eventID: string; groupID: string; attachments: { id: string; name: string; size: number }[] }

describe('minidumps', () => {
  const state = {} as { project: Project; event: Event; browser?: Browser }
  beforeAll(async () => {
    state.project = bootstrap(product, org, 'game', 'native')
    const answer = await upload(state.project, gzipSync(dump), 'crash.dmp.gz', { 'sentry[release]': 'game@1' })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain'])
    const id = (await answer.text()).replaceAll('-', '')
    state.event = await until('the event', 20_000, async () => {
      const found = await api(product, state.project, `/projects/${org}/game/events/${id}/`)
      return found.status === 200 && (found.json as Event)
    })
  })
  afterAll(() => state.browser?.close())

  test('the ledger counts the event and its files', async () => {
    const ledger = await until('the counts', 10_000, async () => {
      const { rows } = (await api(product, state.project, `/organizations/${org}/ledger/?range=1h&project=game`))
        .json as { rows: { category: string; outcome: string; quantity: number }[] }
      return rows.length > 0 && rows.map((row) => `${row.category} ${row.outcome} ${row.quantity}`)
    })
    expect(ledger.toSorted()).toEqual(['attachment stored 2', 'error stored 1'])
  })

  test.skipIf(noChromium)(
    'the issue says what crashed and that it is not symbolicated, and gives the dump',
    async () => {
      state.browser = await openBrowser()
      const { page, errors } = await openPage(state.browser, product.url)
      await signIn(page, product.url, `owner@${org}.test`)
      await page.goto(`${product.url}/o/${org}/issues/${state.event.groupID}`)
      await page.getByRole('heading', { name: 'SIGSEGV / SEGV_MAPERR' }).first().waitFor()
      await page.getByText('Native stacks are not symbolicated.').waitFor()
      await page.getByText('0x400abc').first().waitFor()
      const saved = page.waitForEvent('download')
      await page.getByRole('link', { name: 'crash.dmp' }).click()
      const file = await (await saved).path()
      expect(readFileSync(file).equals(dump)).toBe(true)
      expect(errors).toEqual([])
    },
  )

  test('what is no minidump is refused with what to do', async () => {
    const answer = await upload(state.project, Buffer.from('PK\x03\x04 no dump'), 'crash.dmp')
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'ACCEPT_MINIDUMP' }])
  })
})
