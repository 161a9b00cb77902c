import { describe, expect, test } from 'vitest'
import { noFilters } from '../../domain/filters.ts'
import type { RecordKind } from '../../journal/journal.ts'
import { attributesOf, jsonBody, jsonLog, jsonLogsBody, jsonSpan, spanHex, startNano } from '../../wire/otlp.cases.ts'
import { recordedMs, refineBody } from '../pipeline/fixture.cases.ts'
import type { RowGroup } from './kind.ts'
import { streamedType } from './span/items.ts'

// A recovery refines a record whose rows are stored in part. It must give the rows that the first run gave.

const traceId = '7'.repeat(32)
const atS = recordedMs / 1000
const [listed, other] = ['old@1', 'new@2']
const filters = { ...noFilters, releases: ['old@*'], addresses: ['203.0.114.0/24'] }

/** An envelope with an item for each release, each with two entries. */
const envelope = (type: string, contentType: string, entriesOf: (release: string, at: number) => unknown) =>
  [
    '{}',
    ...[listed, other, listed, other].flatMap((release, at) => [
      JSON.stringify({ type, item_count: 2, content_type: contentType }),
      JSON.stringify(entriesOf(release, at)),
    ]),
  ].join('\n')

const text = (value: string) => ({ value, type: 'string' })
const logs = envelope('log', 'application/vnd.sentry.items.log+json', (release, at) => ({
  items: [0, 1].map((n) => ({
    timestamp: atS,
    trace_id: traceId,
    level: 'info',
    body: `line ${at} ${n}`,
    attributes: { 'sentry.release': text(release) },
  })),
}))
const spanAt = (at: number) => ({ trace_id: traceId, span_id: spanHex(at), name: `span ${at}` })
const spans = envelope('span', streamedType, (release, at) => ({
  items: [0, 1].map((n) => ({
    ...spanAt(at * 10 + n),
    start_timestamp: atS - 1,
    end_timestamp: atS,
    attributes: { 'sentry.release': text(release) },
  })),
}))
const transactions = envelope('transaction', 'application/json', (release, at) => ({
  release,
  transaction: `GET /${at}`,
  start_timestamp: atS - 2,
  timestamp: atS,
  contexts: { trace: { ...spanAt(at * 10), op: 'http.server' } },
  spans: [{ ...spanAt(at * 10 + 1), parent_span_id: spanHex(at * 10), start_timestamp: atS - 1, timestamp: atS }],
}))
const metrics = envelope('trace_metric', 'application/vnd.sentry.items.trace-metric+json', (release, at) => ({
  items: [0, 1].map((n) => ({
    timestamp: atS,
    trace_id: traceId,
    name: `orders ${at} ${n}`,
    type: 'counter',
    value: 1,
    attributes: { 'sentry.release': text(release) },
  })),
}))

const releases = [listed, other, listed, other]
const otlpSpans = {
  resourceSpans: releases.flatMap(
    (release, at) =>
      jsonBody([jsonSpan(at * 10), jsonSpan(at * 10 + 1)], { 'service.name': `s${at}`, 'service.version': release })
        .resourceSpans,
  ),
}
const otlpLogs = {
  resourceLogs: releases.flatMap(
    (release, at) =>
      jsonLogsBody([jsonLog(at * 10), jsonLog(at * 10 + 1)], { 'service.version': release }).resourceLogs,
  ),
}
const otlpMetrics = {
  resourceMetrics: releases.map((release, at) => ({
    resource: { attributes: attributesOf({ 'service.version': release, 'service.name': `s${at}` }) },
    scopeMetrics: [
      {
        scope: {},
        metrics: [0, 1].map((n) => ({
          name: `queue ${at} ${n}`,
          gauge: { dataPoints: [{ timeUnixNano: String(startNano), asDouble: n }] },
        })),
      },
    ],
  })),
}
const visits = ['203.0.114.9', '198.51.100.1', '203.0.114.9', '198.51.100.1', '198.51.100.1', '203.0.114.9']
const vercel = visits.map((clientIp, at) => ({
  id: `${at}`,
  source: 'lambda',
  host: 'shop.test',
  timestamp: recordedMs - 5000,
  level: 'info',
  message: `line ${at}`,
  proxy: {
    timestamp: recordedMs - 5000,
    method: 'GET',
    host: 'shop.test',
    path: '/',
    clientIp,
    userAgent: ['Mozilla'],
  },
}))
const heroku = visits.map((address, at) => {
  const line = `<158>1 2026-11-21T09:39:58Z host heroku router - at=info host=shop.test path="/${at}" fwd="${address}"`
  return `${Buffer.byteLength(line)} ${line}`
})

const bodies: [name: string, kind: RecordKind, body: string, kept: number][] = [
  ['log containers', 'envelope', logs, 4],
  ['span items', 'envelope', spans, 4],
  ['transactions', 'envelope', transactions, 4],
  ['metric containers', 'envelope', metrics, 4],
  ['spans over OTLP', 'otlp', JSON.stringify(otlpSpans), 4],
  ['logs over OTLP', 'otlp_logs', JSON.stringify(otlpLogs), 4],
  ['metrics over OTLP', 'otlp_metrics', JSON.stringify(otlpMetrics), 4],
  ['a drain of Vercel', 'vercel_logs', JSON.stringify(vercel), 3],
  ['a drain of Heroku', 'heroku_logs', heroku.join(''), 3],
]

/** Rows, groups and outcomes of a body. `stored`: places of rows that are stored already. */
function refined(kind: RecordKind, body: string, filtered: boolean, stored?: readonly number[]) {
  const head = { kind, contentType: kind === 'heroku_logs' ? 'application/logplex-1' : 'application/json' }
  const settings = filtered ? { filters } : {}
  const { groups, outcomes, received } = refineBody(
    body,
    head,
    settings,
    undefined,
    stored && new Map([[1000, new Set(stored)]]),
  )
  const rowsOf = (group: RowGroup) =>
    group.rows.map((row, at) => ({ ...row, place: group.places?.[at] ?? group.place + at }))
  return {
    rows: groups.flatMap(rowsOf),
    keys: groups.map(({ key, index, place }) => [key, index, place]),
    ends: [...groups.flatMap((group) => group.outcomes), ...outcomes],
    received,
  }
}

describe.each(bodies)('%s', (_name, kind, body, kept) => {
  const first = refined(kind, body, true)
  const places = first.rows.map(({ place }) => place)

  test('some are filtered', () => {
    expect(places).toHaveLength(kept)
    expect(new Set(places).size).toBe(kept)
    expect(first.ends.some(({ outcome }) => outcome === 'filtered')).toBe(true)
  })
  test.each([1, 2, 3, 4])('with the first %d rows stored, a recovery gives the same', (count) => {
    expect(refined(kind, body, true, places.slice(0, count))).toEqual(first)
    expect(refined(kind, body, true, places.slice(-count))).toEqual(first)
  })
  test('rows that were stored before there was a filter are kept', () => {
    const whole = refined(kind, body, false)
    expect(whole.rows.length).toBeGreaterThan(kept)
    expect(
      refined(
        kind,
        body,
        true,
        whole.rows.map(({ place }) => place),
      ),
    ).toEqual(whole)
  })
})
