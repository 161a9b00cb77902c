import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noFilters } from '../../../domain/filters.ts'
import type { RecordHead } from '../../../journal/journal.ts'
import type { ProjectSettings } from '../../../store/meta/meta.ts'
import { recordedMs, refineBody } from '../../pipeline/fixture.cases.ts'
import { sumOf } from '../kind.ts'
import { logLinesMax } from './items.ts'
import { bodyLengthName, logBodyMax } from './line.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const atS = recordedMs / 1000 - 5
const text = (value: string) => ({ type: 'string', value })
const number = (value: number) => ({ type: 'double', value })
const line = (more: object = {}) => ({
  timestamp: atS,
  trace_id: traceId,
  level: 'info',
  body: 'cart 1 loaded',
  ...more,
})

type Change = { header?: object; item?: object; head?: Partial<RecordHead>; settings?: Partial<ProjectSettings> }

function refined(items: unknown, { header = {}, item = {}, head, settings }: Change = {}) {
  const payload = typeof items === 'string' ? items : JSON.stringify({ items, ...item })
  return refineBody([JSON.stringify(header), '{"type":"log"}', payload].join('\n'), head, settings)
}
const rowsOf = (...args: Parameters<typeof refined>) => refined(...args).logs.flatMap(({ rows }) => rows)
const rowOf = (more: object, change?: Change) => {
  const [row] = rowsOf([line(more)], change)
  if (!row) throw new Error('no row')
  return row
}
const ends = ({ outcomes, logs }: ReturnType<typeof refined>) =>
  [...logs.flatMap((group) => group.outcomes), ...outcomes].map(
    (end) => `${end.category} ${end.outcome} ${end.reason} ${end.quantity}`,
  )

test('a line as JavaScript SDKs of version 11 send it', () => {
  const attributes = {
    'sentry.message.template': text('payment %s failed after %s tries'),
    'sentry.message.parameter.0': text('p1'),
    'sentry.message.parameter.1': { type: 'integer', value: 3 },
    'sentry.release': text('shop@1.0.0'),
    'sentry.environment': text('production'),
    'sentry.sdk.name': text('sentry.javascript.browser'),
    'sentry.origin': text('auto.log.console'),
    'server.address': text('db-1'),
    'service.name': text('shop'),
    'logger.name': text('pay'),
    'user.id': text('u7'),
    vip: { type: 'boolean', value: true },
  }
  const sent = { level: 'warn', span_id: '00f067aa0ba902b7', body: 'payment p1 failed after 3 tries', attributes }
  expect(rowOf(sent)).toMatchObject({
    projectId: 7,
    timeUs: atS * 1e6,
    traceId,
    spanId: '00f067aa0ba902b7',
    severity: 13,
    level: 'warning',
    body: 'payment p1 failed after 3 tries',
    template: 'payment %s failed after %s tries',
    service: 'shop',
    host: 'db-1',
    logger: 'pay',
    environment: 'production',
    release: 'shop@1.0.0',
    platform: 'javascript',
    origin: 'auto.log.console',
    repaired: 0,
    truncated: false,
    weight: 1,
    jpos: 1000,
    place: 0,
    attributes: {
      'sentry.message.parameter.0': 'p1',
      'sentry.message.parameter.1': 3,
      'sentry.sdk.name': 'sentry.javascript.browser',
      'server.address': 'db-1',
      'user.id': 'u7',
      vip: true,
    },
  })
  expect(rowOf(sent).userHash).toMatch(/^[0-9a-f]{16}$/)
  expect(rowOf(sent).attributes).not.toHaveProperty(['sentry.message.template'])
})

test.each(['browser-11.12.0-logs-01-log', 'node-11.12.0-log-01-log'])('recorded: %s', (name) => {
  const body = readFileSync(join(import.meta.dirname, '../../../../fixtures/envelopes', `${name}.envelope`))
  const [, header = '{}'] = body.toString().split('\n')
  const { logs, received } = refineBody(body, { receivedMs: 1_795_253_860_000 })
  const claimed: unknown = JSON.parse(header).item_count
  expect([received, logs.flatMap(({ rows }) => rows).length]).toEqual([claimed, claimed])
  expect(logs.flatMap(({ rows }) => rows).every(({ repaired, body: sent }) => repaired === 0 && sent !== '')).toBe(true)
})

describe('patterns', () => {
  test('lines of one template or of one shape have one', () => {
    const [a, b, c, d] = rowsOf([
      line({ body: 'cart 1 loaded' }),
      line({ body: 'cart 27 loaded' }),
      line({ body: 'cart lost' }),
      line({ body: 'anything', attributes: { 'sentry.message.template': text('cart * loaded') } }),
    ])
    expect(a?.pattern).toMatch(/^[0-9a-f]{16}$/)
    expect([b?.pattern, d?.pattern]).toEqual([a?.pattern, a?.pattern])
    expect(c?.pattern).not.toBe(a?.pattern)
  })
  test('an empty line has none', () => expect(rowOf({ body: '' }).pattern).toBe(''))
})

describe('repairs', () => {
  test.each<[string, object, object]>([
    ['no time', { timestamp: undefined }, { timeUs: recordedMs * 1000, repaired: 1 }],
    ['a time in the future', { timestamp: atS + 3600 }, { timeUs: recordedMs * 1000, repaired: 1 }],
    ['a time long ago', { timestamp: 5 }, { timeUs: recordedMs * 1000, repaired: 1 }],
    ['an unknown level', { level: 'loud' }, { level: 'info', severity: 9, repaired: 1 }],
    ['a level as number only', { level: undefined, severity_number: 17 }, { level: 'error', repaired: 0 }],
    ['a broken trace id', { trace_id: 'xyz' }, { traceId: '', repaired: 1 }],
    ['no trace', { trace_id: undefined }, { traceId: '', repaired: 0 }],
    ['no text', { body: null }, { body: '', repaired: 1 }],
    ['a text that is a number', { body: 7 }, { body: '7', repaired: 0 }],
    ['an object as text', { body: { order: { items: [{ id: 1 }] } } }, { body: '{"order":{"items":[{"id":1}]}}' }],
    ['a text in JSON, as it was sent', { body: '{"a": [1, 2]}' }, { body: '{"a": [1, 2]}', repaired: 0 }],
  ])('%s', (_name, more, expected) => expect(rowOf(more)).toMatchObject(expected))

  test('a long text is cut, and the row says so', () => {
    const row = rowOf({ body: `${'x'.repeat(logBodyMax)}y` })
    expect([row.body.length, row.truncated, row.attributes[bodyLengthName]]).toEqual([logBodyMax, true, logBodyMax + 1])
    expect(rowOf({ body: 'x'.repeat(logBodyMax) }).truncated).toBe(false)
    // The cut is within a pair of surrogates.
    expect(rowOf({ body: `${'x'.repeat(logBodyMax - 1)}😀` }).body.isWellFormed()).toBe(true)
  })

  test('attributes over the limits are left out, and the row counts them', () => {
    const attributes = Object.fromEntries(Array.from({ length: 70 }, (_, n) => [`a${n}`, number(n)]))
    const row = rowOf({ attributes })
    expect([Object.keys(row.attributes).length, row.repaired]).toEqual([64, 6])
  })

  test('a sample rate is the weight', () => {
    expect(rowOf({ attributes: { 'sentry.sample_rate': number(0.25) } })).toMatchObject({ weight: 4, attributes: {} })
  })

  test('all times move by the clock of the sender', () => {
    const sent_at = new Date(recordedMs - 7_200_000).toISOString()
    const row = rowOf({ timestamp: atS - 7200 }, { header: { sent_at } })
    expect(row).toMatchObject({ timeUs: atS * 1e6, repaired: 0 })
  })
})

describe('what the request says about the sender', () => {
  const head = {
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    clientAddress: '198.51.100.7',
  }
  const both = { ingest_settings: { infer_ip: 'auto', infer_user_agent: 'auto' } }
  test('is added if the SDK allows it', () => {
    const row = rowOf({}, { head, item: both })
    expect(row.attributes).toMatchObject({
      'user.ip_address': '198.51.100.7',
      'browser.name': 'Chrome',
      'os.name': 'Linux',
    })
    expect(row.userHash).not.toBe('')
  })
  test.each([
    ['never', { infer_ip: 'never', infer_user_agent: 'never' }],
    ['nothing said', {}],
  ])('and not otherwise: %s', (_name, ingest_settings) => {
    const row = rowOf({}, { head, item: { ingest_settings } })
    expect([row.attributes, row.userHash]).toEqual([{}, ''])
  })
  test('what the line says itself wins', () => {
    const row = rowOf({ attributes: { 'browser.name': text('Own') } }, { head, item: both })
    expect(row.attributes['browser.name']).toBe('Own')
  })
})

describe('scrubbing', () => {
  test('secrets leave texts, JSON and attributes', () => {
    const row = rowOf({
      body: 'login with password=PLANTED1 and {"api_key": "PLANTED2"}',
      attributes: { password: text('PLANTED3'), url: text('https://ann:PLANTED4@shop.test/') },
    })
    expect(JSON.stringify(row)).not.toContain('PLANTED')
    expect(row.attributes['password']).toBe('[Filtered]')
    const json = rowOf({ body: { user: { password: 'PLANTED5' } } })
    expect(json.body).toBe('{"user":{"password":"[Filtered]"}}')
  })
  test('a body of many levels', () => {
    const levels = 200_000
    const { logs } = refined(`{"items":[{"body":${'['.repeat(levels)}${']'.repeat(levels)}}]}`)
    expect(logs[0]?.rows[0]?.body).toBe(`${'['.repeat(100)}"[Array of 1]"${']'.repeat(100)}`)
  })
  test('a secret parameter leaves the text around it too', () => {
    const row = rowOf({
      body: 'welcome hunter2 again',
      attributes: {
        'sentry.message.template': text('welcome {password} again'),
        'sentry.message.parameter.password': text('hunter2'),
      },
    })
    expect([row.body, row.attributes]).toEqual([
      'welcome [Filtered] again',
      { 'sentry.message.parameter.password': '[Filtered]' },
    ])
  })
  test('secret parameters within each other, and within what replaces them', () => {
    const row = rowOf({
      body: 'ok hunter2 hunter22',
      attributes: {
        'sentry.message.parameter.password': text('hunter2'),
        'sentry.message.parameter.secret': text('hunter22'),
        'sentry.message.parameter.token': text('Filter'),
        'sentry.message.parameter.passwd': text('ter'),
      },
    })
    expect(row.body).toBe('ok [Filtered] [Filtered]')
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`sentry.message.parameter.password${at}`, text(at % 2 ? 'ter' : 'Fil')]),
    )
    expect(rowOf({ body: 'Filter', attributes: many }).body).toBe('[Filtered][Filtered]')
  })
  test('the project’s own words and addresses', () => {
    const settings = { sensitiveFields: ['plan'], scrubIpAddresses: true }
    const attributes = { plan: text('gold'), 'user.ip_address': text('198.51.100.7') }
    const row = rowOf({ attributes }, { settings })
    expect(row.attributes).toEqual({ plan: '[Filtered]', 'user.ip_address': '[ip]' })
    expect(row.userHash).toBe('')
  })
  test('the pattern does not depend on a secret', () => {
    const of = (secret: string) => rowOf({ body: `token=${secret}x ok` }).pattern
    expect(of('abc')).toBe(of('def'))
  })
})

describe('outcomes', () => {
  test('each line has one', () => {
    const all = refined([line(), 5, null, {}, line()])
    expect(ends(all)).toEqual(['log_item stored ok 2', 'log_item invalid bad_item 3'])
    const bytes = [...all.logs.flatMap((group) => group.outcomes), ...all.outcomes].reduce((n, end) => n + end.bytes, 0)
    expect([all.received, bytes]).toEqual([5, JSON.stringify({ items: [line(), 5, null, {}, line()] }).length])
  })
  test.each<[string, unknown, string[]]>([
    ['no JSON', '{', ['log_item invalid bad_json 1']],
    ['no list', '{"items":7}', ['log_item invalid bad_item 1']],
    ['an empty list', [], ['log_item invalid bad_item 1']],
    ['one line by itself', JSON.stringify(line()), ['log_item stored ok 1']],
  ])('%s', (_name, items, expected) => expect(ends(refined(items))).toEqual(expected))
  test('lines over the limit of a container', () => {
    const all = refined(Array.from({ length: logLinesMax + 7 }, () => line()))
    expect(ends(all)).toEqual([`log_item stored ok ${logLinesMax}`, 'log_item invalid too_many_items 7'])
    expect(all.received).toBe(logLinesMax + 7)
    expect(new Set(all.logs.flatMap(({ rows }) => rows.map(({ place }) => place))).size).toBe(logLinesMax)
  })
  test.each<[string, Partial<ProjectSettings['filters']>, object, string]>([
    ['a release', { releases: ['shop@*'] }, { 'sentry.release': text('shop@1.0.0') }, 'release_version'],
    ['an address', { addresses: ['198.51.100.7'] }, { 'user.ip_address': text('198.51.100.7') }, 'ip_address'],
  ])('the project filters %s', (_name, filters, attributes, reason) => {
    const settings = { filters: { ...noFilters, ...filters } }
    expect(ends(refined([line({ attributes }), line()], { settings }))).toEqual([`log_item filtered ${reason} 2`])
    expect(ends(refined([line()], { settings }))).toEqual(['log_item stored ok 1'])
  })
  test('a container that is sent again has the same key, another one does not', () => {
    const keyOf = (...lines: object[]) => refined(lines).logs[0]?.key
    expect(keyOf(line())).toBe(keyOf(line()))
    expect(keyOf(line())).not.toBe(keyOf(line({ body: 'cart 2 loaded' })))
  })
  test('a group has as many outcomes as rows', () => {
    for (const { rows, outcomes } of refined([line(), line()]).logs) expect(sumOf(outcomes)).toBe(rows.length)
  })
})
