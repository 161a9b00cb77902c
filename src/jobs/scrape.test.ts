import { describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { silent } from '../base/observe.ts'
import type { OutgoingRequest } from '../base/outgoing.ts'
import { originAllowed } from '../ingest/origins.ts'
import type { ScrapedFiles } from '../operations/artifacts.ts'
import { mapOf } from '../refine/pipeline/scripts.ts'
import type { DueScrape, ScrapeSettings } from '../store/meta/projects/scrape.ts'
import { createScraping, type ScrapeDeps } from './scrape.ts'

const hourMs = 3_600_000
const url = 'https://cdn.shop.test/a/app.js'
const due: DueScrape = { projectId: 7, organizationId: 1, release: 'shop@1', dist: '', url, lastMs: 1 }
const script = 'x()\n//# sourceMappingURL=app.js.map\n'
const map = '{"version":3}'

type Page = { status?: number; headers?: Record<string, string>; body: string } | Error

/** Web pages by address, and the files stored from them. */
function world(pages: Record<string, Page>, settings: Partial<ScrapeSettings> = {}, dues = [due]) {
  const clock = testClock()
  const state = { asked: [] as OutgoingRequest[], stored: [] as ScrapedFiles[], ends: [] as object[], dropped: 0 }
  const deps: ScrapeDeps = {
    clock,
    observe: silent,
    mapOf,
    random: () => 0.5,
    meta: {
      artifacts: {
        scrapeSettings: async () => ({ on: true, verifyTls: true, sealedToken: '', origins: [], ...settings }),
        dueScrapes: async () => dues,
        setScrape: async (item, value) => void state.ends.push({ url: item.url, ...value }),
        dropScrapes: async (beforeMs) => {
          state.dropped = beforeMs
          return 0
        },
      },
    },
    artifacts: { addScraped: async (files) => void state.stored.push(files) },
    outgoing: {
      send: async (request) => {
        state.asked.push(request)
        if (request.allows?.(new URL(request.url)) === false)
          throw new MishapError('OUTGOING_REFUSED', { detail: 'none of the origins' })
        const page = pages[request.url] ?? { status: 404, body: 'no' }
        if (page instanceof Error) throw page
        return {
          status: page.status ?? 200,
          headers: page.headers ?? {},
          body: Buffer.from(page.body),
          url: request.url,
          address: '198.51.100.7',
        }
      },
    },
    open: (sealed) => `opened ${sealed}`,
    allowed: (address, origins) => originAllowed(new URL(address).origin, [...origins]),
  }
  return { ...createScraping(deps), state, clock }
}

const filesOf = ({ stored }: { stored: ScrapedFiles[] }) =>
  stored[0]?.files.map((file) => [file.url, file.bytes.toString(), file.headers, file.isMap])

describe('a script that nobody uploaded', () => {
  test('is fetched with the map that its last comment names, and asked for again within the hour', async () => {
    const { run, state, clock } = world({ [url]: { body: script }, [`${url}.map`]: { body: map } })
    expect(await run()).toEqual({ fetched: 1, failed: 0 })
    expect(filesOf(state)).toEqual([
      [url, script, { sourcemap: 'app.js.map' }, false],
      [`${url}.map`, map, {}, true],
    ])
    expect(state.stored[0]).toMatchObject({ projectId: 7, organizationId: 1, release: 'shop@1', dist: '' })
    expect(state.ends).toEqual([{ url, nextMs: clock.now() + hourMs * 0.875, fetchedMs: clock.now(), failure: '' }])
    expect(state.asked.map((item) => [item.method, item.verifyTls, Object.keys(item.headers ?? {})])).toEqual(
      [1, 2].map(() => ['GET', true, ['user-agent', 'accept']]),
    )
    expect(state.dropped).toBe(clock.now() - 30 * 24 * hourMs)
  })

  test('drops scripts without events once an hour', async () => {
    const { run, state, clock } = world({}, {}, [])
    const dropped: number[] = []
    for (const waitMs of [0, 3000, hourMs - 3001, 1, 3000]) {
      clock.advance(waitMs)
      state.dropped = 0
      await run()
      dropped.push(state.dropped)
    }
    const startMs = clock.now() - hourMs - 3000
    expect(dropped).toEqual([startMs, 0, 0, startMs + hourMs, 0].map((atMs) => atMs && atMs - 30 * 24 * hourMs))
  })

  test.each<[string, Page, [string, string][]]>([
    ['by a header', { body: 'x()', headers: { sourcemap: '/maps/1' } }, [['https://cdn.shop.test/maps/1', map]]],
    [
      'by an older header',
      { body: 'x()', headers: { 'x-sourcemap': 'https://shop.test/2' } },
      [['https://shop.test/2', map]],
    ],
    ['in itself', { body: 'x()\n//# sourceMappingURL=data:application/json,%7B%7D\n' }, []],
  ])('names its map %s', async (_name, page, maps) => {
    const { run, state } = world({ [url]: page, ...Object.fromEntries(maps.map(([at, body]) => [at, { body }])) })
    expect(await run()).toEqual({ fetched: 1, failed: 0 })
    expect(
      filesOf(state)
        ?.slice(1)
        .map(([at, body]) => [at, body]),
    ).toEqual(maps)
  })

  test.each<[string, Record<string, Page>, string]>([
    ['is not there', {}, 'It answered 404.'],
    ['is a page', { [url]: { body: '\n <!doctype html>' } }, 'It answered with an HTML page.'],
    ['names no map', { [url]: { body: 'x()' } }, 'The script names no source map.'],
    ['has no map', { [url]: { body: script } }, 'Its source map: It answered 404.'],
    [
      'has a page for a map',
      { [url]: { body: script }, [`${url}.map`]: { body: '<html>' } },
      'Its source map: It answered with an HTML page.',
    ],
    [
      'lies inside',
      { [url]: new MishapError('OUTGOING_REFUSED', { detail: 'at 10.0.0.1, a private address.' }) },
      'at 10.0.0.1, a private address.',
    ],
    ['breaks', { [url]: new Error('secret path') }, 'It could not be stored.'],
  ])('that %s is not asked for again at once', async (_name, pages, failure) => {
    const { run, state, clock } = world(pages)
    expect(await run()).toEqual({ fetched: 0, failed: 1 })
    expect(state.stored).toEqual([])
    expect(state.ends).toEqual([{ url, nextMs: clock.now() + hourMs * 0.875, fetchedMs: clock.now(), failure }])
  })

  test.each<[string, string[], asked: boolean]>([
    ['all', [], true],
    ['all by name', ['*'], true],
    ['its host', ['cdn.shop.test'], true],
    ['its domain', ['*.shop.test'], true],
    ['its scheme and port', ['https://cdn.shop.test:443'], true],
    ['another scheme', ['http://cdn.shop.test'], false],
    ['another port', ['cdn.shop.test:8443'], false],
    ['another host', ['shop.test'], false],
  ])('is fetched where %s may be asked', async (_name, origins, asked) => {
    const { run } = world({ [url]: { body: script }, [`${url}.map`]: { body: map } }, { origins })
    expect(await run()).toEqual(asked ? { fetched: 1, failed: 0 } : { fetched: 0, failed: 1 })
  })
})

test.each<[string, string[], string, string | undefined]>([
  ['to origins that are named', ['*.shop.test'], 'v1.abc', 'opened v1.abc'],
  ['not to all of them', ['*', 'cdn.shop.test'], 'v1.abc', undefined],
  ['not to all of a scheme', ['cdn.shop.test', 'https://*'], 'v1.abc', undefined],
  ['not to all of a port', ['*:443'], 'v1.abc', undefined],
  ['not to all of any port', ['https://*:*'], 'v1.abc', undefined],
  ['not where none is named', [], 'v1.abc', undefined],
  ['not without one', ['*.shop.test'], '', undefined],
])('a token goes %s', async (_name, origins, sealedToken, want) => {
  const { run, state } = world({ [url]: { body: script } }, { origins, sealedToken, verifyTls: false })
  await run()
  expect(state.asked.map((item) => [item.headers?.['x-sentry-token'], item.verifyTls])).toEqual(
    [1, 2].map(() => [want, false]),
  )
})

test('many are fetched four at a time, and one that fails keeps none of the others', async () => {
  const dues = Array.from({ length: 9 }, (_, at) => ({ ...due, url: `https://cdn.shop.test/${at}.js` }))
  const inline = { body: 'x()\n//# sourceMappingURL=data:application/json,%7B%7D' }
  const pages = Object.fromEntries(dues.map((item, at) => [item.url, at === 4 ? new Error('x') : inline]))
  const { run, state } = world(pages, {}, dues)
  expect(await run()).toEqual({ fetched: 8, failed: 1 })
  expect(state.ends).toHaveLength(9)
})
