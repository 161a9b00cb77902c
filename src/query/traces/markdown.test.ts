import { expect, test } from 'vitest'
import type { RestTraceView } from '../../contract/explore/trace-views.ts'
import { columnsOf, type TestSpan } from '../../domain/traces/trace.cases.ts'
import { traceMarkdown } from './markdown.ts'

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
  findings: [],
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

test('web vitals, and the events and links of spans', () => {
  const traceId = 'ab'.repeat(16)
  const trace = view(
    [
      { id: 'a', op: 'pageload', name: '/cart', segment: true, for: 4200 },
      { id: 'b', parent: 'a', op: 'db', name: 'SELECT 1', from: 100, for: 50 },
    ],
    { vitals: [{ span: 0, values: { lcp: 4170, cls: 0.31 } }] },
  )
  const [a = '', b = ''] = trace.spans.ids
  const at = (ms: number) => (trace.origin / 1000 + ms) / 1000
  const link = { trace_id: 'cd'.repeat(16), span_id: 'c'.repeat(16), sampled: false, attributes: { kind: 'queue' } }
  const text = traceMarkdown(trace, 'https://mishap.test/t', [
    {
      spanId: b,
      startUs: trace.origin,
      events: [{ name: 'retry\n```', timestamp: at(120), attributes: { attempt: 2, why: 'x'.repeat(400) } }],
      links: [link, { trace_id: traceId, span_id: a, sampled: true }],
    },
    {
      spanId: 'f'.repeat(16),
      startUs: trace.origin,
      events: Array.from({ length: 120 }, (_, n) => ({ name: `tick ${n}`, timestamp: at(200), attributes: {} })),
      links: [],
    },
  ])
  expect(text).toMatch(/## Web vitals\n\n`+text\nLCP 4\.17 s, poor, in pageload \/cart \[web\]\nCLS 0\.31, poor, in /)
  expect(text).toContain('## Span events, the first 100')
  expect(text).toMatch(/at 120 ms: retry ``` in db SELECT 1: attempt=2, why=x{280,290}$/m)
  expect(text).toContain(`at 200 ms: tick 98 in span ${'f'.repeat(16)}`)
  expect(text).not.toContain('tick 99 ')
  expect(text).toContain(`db SELECT 1 -> span ${'c'.repeat(16)} of trace ${'cd'.repeat(16)} (not sampled): kind=queue`)
  expect(text).toContain('db SELECT 1 -> pageload /cart [web]\n')
  // A trace without them has none of the headings.
  expect(traceMarkdown(view([]), 'https://mishap.test/t')).not.toMatch(/Web vitals|Span events|Links of spans/)
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
