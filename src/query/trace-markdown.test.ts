import { expect, test } from 'vitest'
import type { RestTraceView } from '../contract/trace-views.ts'
import { columnsOf, type TestSpan } from '../domain/trace.cases.ts'
import { traceMarkdown } from './trace-markdown.ts'
import { toOtlp } from './trace-otlp.ts'

const view = (list: TestSpan[], more: Partial<RestTraceView> = {}): RestTraceView => ({
  traceID: 'ab'.repeat(16),
  origin: Date.UTC(2026, 10, 20) * 1000,
  spanCount: list.length,
  isSampled: false,
  keptDays: 30,
  downsampled: null,
  projects: [
    { id: '1', slug: 'web', platform: 'node', place: 0, spans: list.length },
    { id: null, slug: null, platform: null, place: -1, spans: 1 },
  ],
  spans: columnsOf(list) as RestTraceView['spans'],
  vitals: [],
  events: [],
  eventsTruncated: false,
  logs: [],
  logsTruncated: false,
  feedback: [],
  ...more,
})

test('a tree with folded runs, gaps, failures, missing parents and hidden spans', () => {
  const text = traceMarkdown(
    view([
      { id: 'a', op: 'http.server', name: 'GET /cart', segment: true, for: 1000 },
      ...[1, 2, 3, 4, 5].map((n) => ({
        id: `q${n}`,
        parent: 'a',
        op: 'db',
        name: `SELECT ${n}`,
        from: n * 20,
        for: 10,
      })),
      { id: 'f', parent: 'a', op: 'cache', name: 'get\n```', status: 'internal_error', from: 700, for: 50 },
      { id: 'h', parent: 'a', op: 'secret', name: 'secret', project: 1, from: 800 },
      { id: 'o', parent: 'x', op: 'db', name: 'orphan', from: 900 },
    ]),
    'https://mishap.test/t',
  )
  expect(text).toContain('GET /cart [web] (at 0.00 ms, 1.00 s, self')
  expect(text).toContain('  5 x db SELECT 1 (50.0 ms in all, 10.0 ms each)')
  expect(text).toContain('  no span for 590 ms (idle)')
  expect(text).toContain('failed: internal_error')
  expect(text).toMatch(/^\(missing parent 000000000000000x\) .*\n {2}db orphan/m)
  expect(text).toContain('a span of a project that you may not read')
  expect(text).not.toContain('secret')
  expect(text).toContain('and 1 that you may not read')
  // Backticks of a name cannot end the fence.
  expect(text.match(/^````text$/m) ?? text.includes('get ```')).toBeTruthy()
})

test('a trace known only by its error says that no spans are stored', () => {
  const event = {
    eventID: 'e'.repeat(32),
    groupID: '1',
    shortId: 'WEB-1',
    title: 'Error: gone',
    type: 'Error',
    level: 'error',
    project: 0,
    at: 0,
    span: -1,
  }
  const text = traceMarkdown(view([], { events: [event] }), 'https://mishap.test/t')
  expect(text).toContain('no spans are stored')
  expect(text).toContain('Error: gone WEB-1')
})

test('OTLP has nanoseconds as text, typed attributes, kinds and states, by project and release', () => {
  const span = {
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
    cut: '' as const,
    attributes: { n: 1, d: 1.5, b: true, l: ['x'], o: { a: 1 } },
    events: '',
    route: '',
    category: '' as const,
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
                links: [{ traceId: 'cc', spanId: 'dd' }],
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
