import { beforeAll, expect, test } from 'vitest'
import type { Connection } from './connection.ts'
import type { EventStore } from './event-store.ts'
import { encodeSpanRow } from './traces/encode-span.ts'
import { type SpanChanges, spanRow } from './traces/span-rows.cases.ts'

const day = 86_400_000
/** Wednesday 2026-11-18 10:00 UTC. */
const at = Date.UTC(2026, 10, 18, 10)
const projectId = 157
const jpos = 960_000_000
const token = 'spans:segments-1'

const rows = (list: (SpanChanges & { n: number })[], position = jpos) =>
  Buffer.from(
    list
      .map(({ n, ...changes }) =>
        encodeSpanRow(
          spanRow(n, {
            projectId,
            jpos: position,
            place: n,
            receivedMs: at,
            startUs: at * 1000,
            statement: '',
            measurements: {},
            ...changes,
          }),
        ),
      )
      .join(''),
  )
const load = {
  isSegment: true,
  op: 'pageload',
  route: '/shop',
  measurements: { lcp: 2600 },
  attributes: {
    'url.full': 'https://shop.test/shop?id=1',
    'url.path': '/shop',
    'user_agent.original': 'Mozilla/5.0 (Linux; Android 15) Chrome/140.0.0.0 Mobile Safari/537.36',
    'customer.plan': 'pro',
  },
} as const

/** Cases of the table of segments. Every kind of events store passes them. */
export function segmentsCases(open: () => EventStore, database: () => { connection: Connection; name: string }): void {
  const table = () => `${database().name}.segments`
  const run = (statement: string) => database().connection.command(statement)
  const stored = () =>
    database().connection.rows<Record<string, unknown>>(
      `SELECT toString(day) AS day, is_segment, route, op, browser, device, tags, measurements, label, path, place FROM ${table()}
       WHERE project_id = ${projectId} ORDER BY jpos, place`,
    )

  beforeAll(async () => {
    await open().insert(
      'spans',
      rows([
        { n: 1, ...load },
        { n: 2, isSegment: true, op: 'http.server', route: 'GET /shop', attributes: { 'browser.name': 'Edge' } },
        { n: 3, op: 'ui.webvital.inp', route: '/shop', name: 'button.buy', measurements: { inp: 210 } },
        // Not on a page of its own.
        { n: 4, op: 'db', route: '/shop', measurements: { rows: 3 } },
        { n: 5, op: 'ui.webvital.cls', route: '/shop' },
        ...['https://shop.test/cart?_rsc=1', 'https://shop.test/api'].map((url, at) => ({
          n: 8 + at,
          op: 'http.client',
          route: '/shop',
          attributes: { 'url.full': url },
        })),
      ]),
      token,
    )
  })

  test('segments and spans with a web vital are copied, with the browser and without addresses', async () => {
    expect(await stored()).toEqual([
      {
        day: '2026-11-18',
        is_segment: 1,
        route: '/shop',
        op: 'pageload',
        browser: 'Chrome',
        device: 'mobile',
        tags: { 'customer.plan': 'pro' },
        measurements: { lcp: 2600 },
        label: expect.stringContaining('SELECT'),
        path: '/shop',
        place: 1,
      },
      expect.objectContaining({
        op: 'http.server',
        browser: 'Edge',
        device: '',
        tags: { 'browser.name': 'Edge' },
        place: 2,
      }),
      expect.objectContaining({ op: 'ui.webvital.inp', is_segment: 0, label: 'button.buy', place: 3 }),
      expect.objectContaining({ op: 'http.client', is_segment: 0, path: '/cart', place: 8 }),
    ])
  })

  test('an unclear insert is copied again, once, and the check finds a row that is missing or another one', async () => {
    const whole = await stored()
    expect((await open().check()).rollups).toMatchObject({ segments: 0 })
    await open().settle('spans', token, jpos, jpos + 1)
    expect(await stored()).toEqual(whole)
    await run(`DELETE FROM ${table()} WHERE project_id = ${projectId} AND place = 3`)
    expect((await open().check()).rollups).toMatchObject({ segments: 1 })
    // As many rows, but one of them twice.
    await run(`INSERT INTO ${table()} SELECT * FROM ${table()} WHERE project_id = ${projectId} AND place = 1
      SETTINGS insert_deduplicate = 0`)
    expect((await open().check()).rollups).toMatchObject({ segments: 1 })
    await open().settle('spans', token, jpos, jpos + 1)
    expect(await stored()).toEqual(whole)
    expect((await open().check()).rollups).toMatchObject({ segments: 0 })
  })

  test('a start copies the segments of an older version, and leaves complete ones alone', async () => {
    const whole = await stored()
    for (const empties of [true, false]) {
      await run(`DROP VIEW IF EXISTS ${table()}_feed`)
      if (empties) await run(`TRUNCATE TABLE ${table()}`)
      await open().migrate()
      expect(await stored()).toEqual(whole)
    }
    await open().insert('spans', rows([{ n: 6, ...load }], jpos + 1), 'spans:segments-2')
    expect(await stored()).toHaveLength(whole.length + 1)
    expect((await open().check()).rollups).toMatchObject({ segments: 0 })
  })

  test('own retention deletes the same days, and a removal everything', async () => {
    const old = { n: 7, ...load, receivedMs: at - 5 * day, startUs: (at - 5 * day) * 1000 }
    await open().insert('spans', rows([old], jpos - 1), 'spans:segments-3')
    expect(await stored()).toHaveLength(6)
    expect(await open().removeBefore('spans', [projectId], Date.UTC(2026, 10, 16))).toBe(1)
    expect(await stored()).toHaveLength(5)
    await open().remove(projectId)
    expect(await stored()).toEqual([])
  })
}
