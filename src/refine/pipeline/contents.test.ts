import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openFileBlobs } from '../../store/blobs/files.ts'
import { discardsOf } from './client-reports.ts'
import { createTools } from './context.ts'
import { plainSettings, recordedMs, refineBody } from './fixture.cases.ts'
import { refineRange } from './worker.ts'

const metrics = 'application/vnd.sentry.items.trace-metric+json'
const spans = 'application/vnd.sentry.items.span.v2+json'
const lines = (count: number) => Array.from({ length: count }, (_, at) => ({ body: `line ${at}`, level: 'info' }))
const container = (items: unknown) => JSON.stringify({ version: 2, items })
const bodyOf = (header: object, payload: string) =>
  `{}\n${JSON.stringify({ length: Buffer.byteLength(payload), ...header })}\n${payload}\n`
const endsOf = (header: object, payload: string) =>
  refineBody(bodyOf(header, payload)).outcomes.map(
    (end) => `${end.itemType} ${end.category} ${end.outcome} ${end.reason} ${end.quantity}`,
  )

describe('an item counts for what it holds, although nothing of it is stored', () => {
  const notStored = 'filtered not_stored_yet'
  test.each<[string, object, string, string[]]>([
    [
      '100 metrics',
      { type: 'trace_metric', item_count: 100, content_type: metrics },
      container(lines(100)),
      [`trace_metric trace_metric ${notStored} 100`],
    ],
    [
      '7 metrics',
      { type: 'trace_metric', item_count: 7, content_type: metrics },
      container(lines(7)),
      [`trace_metric trace_metric ${notStored} 7`],
    ],
    ['no header', { type: 'trace_metric' }, container(lines(3)), [`trace_metric trace_metric ${notStored} 3`]],
    [
      'a header that says less',
      { type: 'trace_metric', item_count: 1 },
      container(lines(3)),
      [`trace_metric trace_metric ${notStored} 3`],
    ],
    [
      'a header that says more',
      { type: 'trace_metric', item_count: 900 },
      container(lines(3)),
      [`trace_metric trace_metric ${notStored} 3`],
    ],
    [
      'a header that is no count',
      { type: 'trace_metric', item_count: 'many' },
      container(lines(3)),
      [`trace_metric trace_metric ${notStored} 3`],
    ],
    ['one by itself', { type: 'trace_metric' }, '{"body":"x"}', [`trace_metric trace_metric ${notStored} 1`]],
    [
      'buckets',
      { type: 'metric_buckets' },
      '[{"name":"a"},{"name":"b"}]',
      [`metric_buckets metric_bucket ${notStored} 2`],
    ],
    ['lines of statsd', { type: 'statsd' }, 'a:1|c\nb:2|g\n\n', [`statsd metric_bucket ${notStored} 2`]],
    [
      'entries of which some are none',
      { type: 'trace_metric', item_count: 4 },
      container([{ body: 'a' }, 5, null, { body: 'b' }]),
      [`trace_metric trace_metric ${notStored} 2`, 'trace_metric trace_metric invalid bad_item 2'],
    ],
  ])('%s', (_name, header, payload, expected) => expect(endsOf(header, payload)).toEqual(expected))

  test.each<[string, object, string, string]>([
    ['no JSON', { type: 'log', item_count: 5 }, '{"items":[{},{},{},{},{', 'log log_item invalid bad_json 5'],
    ['no JSON and no count', { type: 'log' }, '{"items":[', 'log log_item invalid bad_json 1'],
    ['no room for what it says', { type: 'log', item_count: 1e9 }, '{"items":', 'log log_item invalid bad_json 3'],
    ['a negative count', { type: 'log', item_count: -5 }, '{', 'log log_item invalid bad_json 1'],
    ['a fraction', { type: 'log', item_count: 2.5 }, '{'.repeat(30), 'log log_item invalid bad_json 1'],
    ['no list', { type: 'log', item_count: 2 }, '{"items":{"a":1}}', 'log log_item invalid bad_item 2'],
    ['an empty list', { type: 'log', item_count: 9 }, container([]), 'log log_item invalid bad_item 1'],
    ['no lines', { type: 'statsd' }, '\n', 'statsd metric_bucket invalid bad_item 1'],
    [
      'spans',
      { type: 'span', item_count: 5, content_type: spans },
      '{"items":[{},{},{}',
      'span span invalid bad_json 5',
    ],
    ['an old span, which is one', { type: 'span', item_count: 5 }, '{"trace_id":"a"', 'span span invalid bad_json 1'],
    [
      'an empty list of spans',
      { type: 'span', item_count: 5, content_type: spans },
      container([]),
      'span span invalid bad_item 1',
    ],
  ])('what cannot be read counts as its header says, as far as it has room: %s', (_name, header, payload, expected) => {
    expect(endsOf(header, payload)).toEqual([expected])
  })

  test('its bytes are those of the payload, once', () => {
    const payload = container([{ body: 'a' }, 5, 6])
    const { outcomes } = refineBody(bodyOf({ type: 'trace_metric' }, payload))
    expect(outcomes.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(payload.length)
  })

  test.each([
    ['browser-11.12.0-metrics-01-trace_metric', 'trace_metric trace_metric', undefined],
    ['node-11.12.0-metrics-01-trace_metric', 'trace_metric trace_metric', undefined],
  ])('as SDKs were recorded to send it: %s', (name, kind, count) => {
    const body = readFileSync(join(import.meta.dirname, '../../../fixtures/envelopes', `${name}.envelope`))
    const [, header = '{}'] = body.toString().split('\n')
    const claimed: unknown = JSON.parse(header).item_count
    expect(claimed).toBe(count ?? claimed)
    expect(refineBody(body).outcomes.map((end) => `${end.itemType} ${end.category} ${end.quantity}`)).toEqual([
      `${kind} ${claimed}`,
    ])
  })
})

test('what was received is what ended: a log container beside an event and a session', async () => {
  const items = [
    ['{"type":"event"}', '{"message":"m"}'],
    ['{"type":"session"}', '{}'],
    ['{"type":"log","item_count":2}', container([...lines(100), 7])],
    ['{"type":"trace_metric"}', container(lines(4))],
  ]
  const body = Buffer.from(['{}', ...items.flat()].join('\n'))
  const head = {
    kind: 'envelope' as const,
    receivedMs: recordedMs,
    organizationId: 1,
    projectId: 7,
    keyId: 3,
    clientAddress: '',
    userAgent: '',
    origin: '',
    contentType: '',
  }
  const job = { job: 1, from: 0, durable: 1e9, recordsMax: 10, bytesMax: 1e9 }
  const records = [{ jpos: 0, end: body.length + 100, head, body }]
  const made = await refineRange(job, records, 1000, [plainSettings], openFileBlobs(tmpdir()), createTools())
  const received = made.outcomes.filter((end) => end.outcome === 'received')
  const others = [
    ...made.groups.flatMap(({ outcomes }) => outcomes),
    ...made.outcomes.filter((end) => end.outcome !== 'received'),
  ]
  expect(received.map((end) => end.quantity)).toEqual([1 + 1 + 101 + 4])
  expect(others.reduce((sum, end) => sum + end.quantity, 0)).toBe(107)
})

test('bytes that an SDK discarded are not counted as items', () => {
  const of = (...discarded: [category: string, quantity: number][]) =>
    discardsOf(
      Buffer.from(
        JSON.stringify({ discarded_events: discarded.map(([category, quantity]) => ({ category, quantity })) }),
      ),
    ).map(({ category, quantity }) => `${category} ${quantity}`)
  expect(of(['log_item', 3], ['log_byte', 4096])).toEqual(['log_item 3'])
  expect(of(['attachment', 90_000], ['attachment_item', 2])).toEqual(['attachment 2'])
  expect(of(['attachment', 2])).toEqual(['attachment 2'])
})
