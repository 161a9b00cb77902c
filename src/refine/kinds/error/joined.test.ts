import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { testClock } from '../../../base/clock.ts'
import type { MetaStore } from '../../../store/meta/meta-store.ts'
import { openSqliteMeta } from '../../../store/meta/sqlite.ts'
import { recordedMs, refineEvent } from '../../pipeline/fixture.cases.ts'

// Many errors at one moment, as @sentry/nextjs sends them: the recorded events of one error with other numbers.

const root = join(import.meta.dirname, '../../../..')
type Sent = Record<string, unknown> & { tags: Record<string, unknown>; contexts: { trace: { trace_id: string } } }

/** The event of a recorded envelope, as text with replaceable parts. */
function recorded(side: 'client-07' | 'server-08'): string {
  const body = readFileSync(join(root, `fixtures/envelopes/nextjs-11.8.0-${side}-event.envelope`), 'utf8')
  const line = body.split('\n').find((entry) => entry.includes('"exception"'))
  if (!line) throw new Error(`${side} holds no event`)
  return line
}
const texts = { browser: recorded('client-07'), server: recorded('server-08') }
const traceId = '628c54097f874d69b81d374e68c5c365'
/** All zeros is not a valid id. */
const id = (n: number) => (n + 1).toString(16).padStart(32, '0')
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

/** One end of error `n`. */
const sent = (side: 'browser' | 'server', n: number, trace = `${n}`): Sent => ({
  ...JSON.parse(
    texts[side]
      .replaceAll('3859755225', `${2_000_000_000 + n}`)
      .replaceAll('secret server failure 42', `no stock for ${n}`)
      .replaceAll(traceId, id(90_000 + Number(trace))),
  ),
  event_id: id((side === 'server' ? 50_000 : 0) + n),
})

async function opened(): Promise<MetaStore> {
  const meta = await openSqliteMeta(':memory:', { clock: testClock(recordedMs), readers: 0 })
  onTestFinished(() => meta.close())
  const { id: organizationId } = await meta.organizations.createOrganization({
    slug: 'acme',
    name: 'Acme',
    ownerUserId: 'ann',
  })
  await meta.projects.createProject({ organizationId, slug: 'web', name: 'Web', platform: 'javascript-nextjs' })
  return meta
}

/** Refines events of one moment, then commits and links them in the given order. */
async function take(meta: MetaStore, events: readonly Sent[]): Promise<void> {
  const effects = events.map((event) => refineEvent(event, { projectId: 1, keyId: 1 }).effect)
  const from = await meta.batches.cursor('events')
  const none = { attachments: [], outcomes: [], dead: [] }
  await meta.batches.commitBatch(await meta.batches.openBatch(from, from + 1), { events: effects, ...none }, recordedMs)
  while ((await meta.errorLinks.linkErrors(100, recordedMs)).looked > 0);
}

async function count(meta: MetaStore, total: number) {
  const links = await Array.fromAsync(
    numbers(total),
    async (n) => (await meta.errorLinks.errorLinkOf(1, id(n)))?.server.eventId,
  )
  const right = links.filter((link, n) => link === id(50_000 + n)).length
  return { right, wrong: links.filter((link) => link !== undefined).length - right }
}

test('50 requests that fail at the same moment, without the hook: each browser finds its own', async () => {
  const meta = await opened()
  await take(
    meta,
    numbers(50).map((n) => sent('browser', n)),
  )
  await take(
    meta,
    numbers(50).map((n) => sent('server', n)),
  )
  expect(await count(meta, 50)).toEqual({ right: 50, wrong: 0 })
})

test('50 parts of one page that fail at the same moment, without the hook: none is guessed', async () => {
  const meta = await opened()
  const crumbsOf = (n: number) => sent('browser', n, '1').breadcrumbs as unknown[]
  // One tab: each event has the breadcrumbs of all errors before it.
  const browsers = numbers(50).map((n) => ({
    ...sent('browser', n, '1'),
    breadcrumbs: numbers(n + 1).flatMap(crumbsOf),
  }))
  const servers = numbers(50).map((n) => sent('server', n, '1'))
  await take(meta, [...browsers, ...servers])
  expect(await count(meta, 50)).toEqual({ right: 0, wrong: 0 })
  for (const n of numbers(50)) expect((await meta.errorLinks.errorEndState(1, id(n)))?.alone).toBe('several')
})

type Hook = (event: Sent, hint: { originalException: unknown }) => Sent

/** The function in docs/digests.md, as users copy it. */
async function hookOfDocs(): Promise<Hook> {
  const page = readFileSync(join(root, 'docs/digests.md'), 'utf8')
  const code = /```ts\n(.*?)```/s.exec(page)?.[1] ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'mishap-hook-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'hook.ts')
  writeFileSync(file, code)
  const { withDigest } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { withDigest: Hook }
  return withDigest
}

test('1,000 with the hook, all of one trace: each finds its own', async () => {
  const withDigest = await hookOfDocs()
  const meta = await opened()
  const hooked = (side: 'browser' | 'server') => (n: number) =>
    withDigest(sent(side, n, '1'), {
      originalException: Object.assign(new Error(), { digest: `${2_000_000_000 + n}` }),
    })
  await take(meta, numbers(1000).map(hooked('server')))
  await take(meta, numbers(1000).map(hooked('browser')))
  expect(await count(meta, 1000)).toEqual({ right: 1000, wrong: 0 })
}, 60_000)

test('the hook takes whatever was thrown, and leaves other errors alone', async () => {
  const withDigest = await hookOfDocs()
  for (const originalException of [undefined, null, 'text', 7, new Error('x'), { digest: 7 }])
    expect(withDigest({ ...sent('browser', 1), tags: { a: 'b' } }, { originalException }).tags).toEqual({ a: 'b' })
})
