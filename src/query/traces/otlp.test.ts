import { describe, expect, test } from 'vitest'
import type { SeenSpan } from '../../store/events/span-store.ts'
import { toOtlp } from './otlp.ts'

const span: SeenSpan = {
  projectId: 1,
  traceId: 'ab'.repeat(16),
  spanId: '1'.repeat(16),
  parentId: '2'.repeat(16),
  segmentId: '',
  isSegment: false,
  transaction: 't',
  op: 'http.client',
  name: '',
  description: 'GET /',
  startUs: 1_700_000_000_000_001,
  durationUs: 5,
  selfUs: -1,
  status: 'internal_error',
  kind: '',
  origin: '',
  cut: '',
  attributes: { n: 1, d: 1.5, b: true, l: ['x'], o: { a: 1 } },
  events: '',
  route: '',
  category: '',
  statement: '',
  weight: 1,
  failed: true,
  httpStatus: 0,
  clockShiftUs: 0,
  measurements: {},
  links: '[{"trace_id":"cc","span_id":"dd","sampled":true}]',
  platform: 'node',
  release: 'r@1',
  environment: '',
  userHash: '',
  receivedMs: 0,
  repaired: 0,
}

type Sent = { [key: string]: unknown }
const resourcesOf = (...spans: SeenSpan[]) =>
  (toOtlp(spans, (id) => `project-${id}`) as { resourceSpans: { resource: Sent; scopeSpans: { spans: Sent[] }[] }[] })
    .resourceSpans
const sent = (more: Partial<SeenSpan>) => resourcesOf({ ...span, ...more })[0]?.scopeSpans[0]?.spans[0] ?? {}

test('OTLP has nanoseconds as text, typed attributes, kinds and states, by project and release', () => {
  expect(
    toOtlp([span, { ...span, release: 'r@2', parentId: '', status: 'ok', failed: false }], () => 'web'),
  ).toMatchObject({
    resourceSpans: [
      {
        resource: {
          attributes: [
            { key: 'service.name', value: { stringValue: 'web' } },
            { key: 'service.version', value: { stringValue: 'r@1' } },
            {},
          ],
        },
        scopeSpans: [
          {
            spans: [
              {
                parentSpanId: '2'.repeat(16),
                name: 'GET /',
                kind: 3,
                startTimeUnixNano: '1700000000000001000',
                endTimeUnixNano: '1700000000000006000',
                attributes: expect.arrayContaining([
                  { key: 'n', value: { intValue: '1' } },
                  { key: 'd', value: { doubleValue: 1.5 } },
                  { key: 'b', value: { boolValue: true } },
                  { key: 'l', value: { arrayValue: { values: [{ stringValue: 'x' }] } } },
                  { key: 'o', value: { stringValue: '{"a":1}' } },
                ]),
                links: [{ traceId: 'cc', spanId: 'dd', flags: 1 }],
                status: { code: 2, message: 'internal_error' },
              },
            ],
          },
        ],
      },
      { scopeSpans: [{ spans: [{ status: { code: 1 } }] }] },
    ],
  })
})

describe('events', () => {
  test('have nanoseconds and typed attributes, as collectors demand', () => {
    const events = JSON.stringify([
      { name: 'exception', timestamp: 1_700_000_000.000123, attributes: { 'exception.type': 'TypeError', retries: 2 } },
      { name: 'start', timestamp: 0, attributes: {} },
    ])
    expect(sent({ events })['events']).toEqual([
      {
        timeUnixNano: '1700000000000123000',
        name: 'exception',
        attributes: [
          { key: 'exception.type', value: { stringValue: 'TypeError' } },
          { key: 'retries', value: { intValue: '2' } },
        ],
      },
      { timeUnixNano: '0', name: 'start', attributes: [] },
    ])
  })
  test.each(['', '[]'])('no events: %j', (events) => expect(sent({ events })).not.toHaveProperty('events'))
})

describe('links', () => {
  test('have their attributes, and the flag of a sampled one', () => {
    const links = JSON.stringify([
      { trace_id: 'aa', span_id: 'bb', sampled: false, attributes: { 'messaging.batch': true } },
      { trace_id: 'cc', span_id: 'dd', sampled: true },
    ])
    expect(sent({ links })['links']).toEqual([
      { traceId: 'aa', spanId: 'bb', attributes: [{ key: 'messaging.batch', value: { boolValue: true } }] },
      { traceId: 'cc', spanId: 'dd', attributes: [], flags: 1 },
    ])
  })
  test.each(['', '[]'])('no links: %j', (links) => expect(sent({ links })).not.toHaveProperty('links'))
})

describe('values of attributes', () => {
  test.each<[string, unknown, object]>([
    ['a text', 'x', { stringValue: 'x' }],
    ['a text that looks like a number', '7', { stringValue: '7' }],
    ['false', false, { boolValue: false }],
    ['zero', 0, { intValue: '0' }],
    ['a negative whole number', -3, { intValue: '-3' }],
    ['the largest safe number', Number.MAX_SAFE_INTEGER, { intValue: '9007199254740991' }],
    ['a whole number beyond it', 2 ** 53, { doubleValue: 2 ** 53 }],
    ['a fraction', 0.25, { doubleValue: 0.25 }],
    ['nothing', null, { stringValue: 'null' }],
    ['an object', { a: [1] }, { stringValue: '{"a":[1]}' }],
    ['an empty list', [], { arrayValue: { values: [] } }],
    [
      'a list of several types',
      ['a', 1, [true]],
      {
        arrayValue: {
          values: [{ stringValue: 'a' }, { intValue: '1' }, { arrayValue: { values: [{ boolValue: true }] } }],
        },
      },
    ],
  ])('%s', (_name, value, expected) => {
    expect(sent({ attributes: { of: value } as SeenSpan['attributes'] })['attributes']).toContainEqual({
      key: 'of',
      value: expected,
    })
  })

  test('empty texts are left out; measurements and columns are attributes', () => {
    const { attributes } = sent({ attributes: { empty: '' }, measurements: { lcp: 812.5 }, origin: 'auto.http' })
    expect(attributes).toEqual([
      { key: 'sentry.op', value: { stringValue: 'http.client' } },
      { key: 'sentry.origin', value: { stringValue: 'auto.http' } },
      { key: 'sentry.description', value: { stringValue: 'GET /' } },
      { key: 'lcp', value: { doubleValue: 812.5 } },
    ])
  })

  test('a name that is a prototype is a name', () => {
    const attributes = JSON.parse('{"__proto__":"p","constructor":"c"}') as SeenSpan['attributes']
    expect(sent({ attributes })['attributes']).toEqual(
      expect.arrayContaining([
        { key: '__proto__', value: { stringValue: 'p' } },
        { key: 'constructor', value: { stringValue: 'c' } },
      ]),
    )
  })
})

test.each<[Partial<SeenSpan>, number]>([
  [{ kind: 'internal' }, 1],
  [{ kind: 'server' }, 2],
  [{ kind: 'client' }, 3],
  [{ kind: 'producer' }, 4],
  [{ kind: 'consumer' }, 5],
  [{ kind: '', op: 'http.server' }, 2],
  [{ kind: '', op: 'http.client.fetch' }, 3],
  [{ kind: '', op: 'db.query' }, 1],
  [{ kind: 'unknown', op: '' }, 1],
  // The sent kind is right, and the operation is a guess.
  [{ kind: 'internal', op: 'http.server' }, 1],
])('the kind of %j is %d', (more, kind) => expect(sent(more)['kind']).toBe(kind))

test.each<[Partial<SeenSpan>, string]>([
  [{ name: 'n', description: 'd', op: 'o' }, 'n'],
  [{ name: '', description: 'd', op: 'o' }, 'd'],
  [{ name: '', description: '', op: 'o' }, 'o'],
])('the name of %j is %j', (more, name) => expect(sent(more)['name']).toBe(name))

test.each<[Partial<SeenSpan>, object]>([
  [
    { failed: true, status: 'not_found' },
    { code: 2, message: 'not_found' },
  ],
  [
    { failed: false, status: 'ok' },
    { code: 1, message: 'ok' },
  ],
  [
    { failed: false, status: '' },
    { code: 0, message: '' },
  ],
  [
    { failed: false, status: 'cancelled' },
    { code: 0, message: 'cancelled' },
  ],
])('the status of %j', (more, status) => expect(sent(more)['status']).toEqual(status))

test('a root has no parent', () => expect(sent({ parentId: '' })).not.toHaveProperty('parentSpanId'))

test('spans are together by project, release and environment, also if their texts join to the same', () => {
  const resources = resourcesOf(
    span,
    { ...span, projectId: 2 },
    { ...span, release: 'a', environment: 'b,c' },
    { ...span, release: 'a,b', environment: 'c' },
    { ...span, spanId: '9'.repeat(16) },
  )
  expect(resources.map(({ scopeSpans }) => scopeSpans[0]?.spans.length)).toEqual([2, 1, 1, 1])
  expect(resources[1]?.resource).toEqual({
    attributes: [
      { key: 'service.name', value: { stringValue: 'project-2' } },
      { key: 'service.version', value: { stringValue: 'r@1' } },
      { key: 'telemetry.sdk.language', value: { stringValue: 'node' } },
    ],
  })
})

test('no spans are no resources', () => expect(toOtlp([], () => '')).toEqual({ resourceSpans: [] }))
