import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { NextIntlClientProvider } from 'next-intl'
import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test, vi } from 'vitest'
import type { RestEvent } from '../../../contract/events.ts'
import type { RestSegment, RestTraceMeta } from '../../../contract/explore/traces.ts'
import common from '../../messages/en.json'
import traces from '../../messages/traces.en.json'
import { NowProvider } from '../../ui/time.tsx'
import { TraceParts, TraceStrip } from './trace-strip.tsx'

vi.mock('next/navigation', () => ({ useRouter: () => ({ push: () => {}, prefetch: () => {} }) }))

const atMs = Date.UTC(2026, 10, 21, 12)
const atS = atMs / 1000
const hex = (n: number) => n.toString(16).padStart(32, '0')
const html = (element: ReactElement, nowMs = atMs) =>
  renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <NextIntlClientProvider locale="en" timeZone="UTC" messages={{ ...common, traces }}>
        <NowProvider startMs={nowMs}>{element}</NowProvider>
      </NextIntlClientProvider>
    </QueryClientProvider>,
  )
const textOf = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

const segment = (n: number, more: Partial<RestSegment> = {}): RestSegment => ({
  spanID: n.toString(16).padStart(16, '0'),
  parentSpanID: null,
  projectID: '1',
  projectSlug: 'web',
  name: `GET /${n}`,
  op: 'http.server',
  status: 'ok',
  cut: null,
  startTimestamp: atS + n,
  endTimestamp: atS + n + 1,
  duration: 1000,
  spans: 2,
  platform: 'node',
  environment: '',
  release: '',
  measurements: {},
  ...more,
})
const meta = (segments: RestSegment[], more: Partial<RestTraceMeta> = {}): RestTraceMeta => ({
  errors: 1,
  performance_issues: 0,
  logs: 0,
  span_count: 9,
  span_count_map: {},
  transaction_child_count_map: [],
  truncated: false,
  segments,
  segmentCount: segments.length,
  events: [],
  keptDays: 30,
  ...more,
})
const event = { eventID: hex(1), projectID: '1', dateCreated: new Date(atMs + 500).toISOString() }
const parts = (trace: RestTraceMeta, nowMs?: number) =>
  html(<TraceParts trace={trace} event={event} base="/o/acme/issues" />, nowMs)
const other = (n: number, more: object = {}) => ({
  eventID: hex(n),
  groupID: '7',
  shortId: 'WEB-7',
  title: `Error: ${n}`,
  level: 'error',
  projectID: '1',
  projectSlug: 'web',
  timestamp: atS + n,
  span: null,
  ...more,
})

describe('segments', () => {
  test('each with its name, what it is, its project and its length, in the order of time; the event above them', () => {
    const words = textOf(
      parts(meta([segment(0, { op: 'pageload', name: '/cart' }), segment(1), segment(2, { op: 'queue' })])),
    )
    expect(words).toBe(
      'This event placed by its time +500 ms /cart page load · web 1 s GET /1 server request · web 1 s GET /2 queue · web 1 s',
    )
  })
  test.each([
    ['deadline_exceeded', 'cut off at its time limit'],
    ['heartbeatFailed', 'cut off without a heartbeat'],
  ] as const)('cut by %s says so, and no status', (cut, words) => {
    const markup = parts(meta([segment(0, { cut, status: 'deadline_exceeded', name: '' })]))
    expect(textOf(markup)).toBe(`This event placed by its time +500 ms unnamed server request · web 1 s ${words}`)
    expect(markup).toContain('class="cut"')
  })
  test('a status that is no success is named', () => {
    expect(textOf(parts(meta([segment(0, { status: 'internal_error' })])))).toContain('ended with internal_error')
  })
  test('many: some at first, with the way to all; more spans than were looked at', () => {
    const words = textOf(
      parts(
        meta(
          Array.from({ length: 12 }, (_, n) => segment(n)),
          { truncated: true, span_count: 1000 },
        ),
      ),
    )
    expect(words).toContain('GET /7 ')
    expect(words).not.toContain('GET /8 ')
    expect(words).toContain('Show all 12')
    expect(words).toContain('These are the first 1000 spans. More are stored.')
  })
  test('hostile names are text', () => {
    const markup = parts(meta([segment(0, { name: '<img src=x onerror=alert(1)>', op: '"><b>', status: '<i>' })]))
    expect(markup).not.toMatch(/<img|<b>"|<i>/)
  })
})

describe('other errors', () => {
  test('are ways to their issues, with when; the event itself is none of them', () => {
    const markup = parts(
      meta([segment(0)], { events: [other(1), other(3), other(4, { timestamp: atS - 2, groupID: null })] }),
    )
    expect(textOf(markup)).toContain(
      'Other errors of this trace (2) Error: 3 WEB-7 2.5 s after this event · placed by its time 00000000 its issue was removed 2.5 s before this event · placed by its time',
    )
    expect([...markup.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      `/o/acme/issues/7/events/${hex(3)}`,
    ])
  })
})

describe('errors at their spans', () => {
  const at = (n: number, more: object = {}) => ({
    spanID: 'f'.repeat(16),
    projectID: '1',
    name: 'SELECT 1',
    op: 'db',
    relation: 'span' as const,
    segment: { spanID: n.toString(16).padStart(16, '0'), projectID: '1' },
    ...more,
  })
  const countOf = (markup: string, name: string) =>
    [...markup.matchAll(/<li.*?<\/li>/gs)].map(([row]) => row.split(`class="${name}"`).length - 1)
  const segments = [segment(0), segment(1), segment(2)]

  test.each<[string, ReturnType<typeof at> | null, string, number[]]>([
    ['its span', at(1), 'in SELECT 1', [1, 0, 1, 0]],
    ['the span above it', at(2, { relation: 'parent', name: '' }), 'below db', [1, 0, 0, 1]],
    ['a span of no segment', at(0, { segment: null }), 'in SELECT 1', [1, 1, 1, 1]],
    ['a segment of another project', at(1, { segment: { spanID: '1', projectID: '2' } }), 'in SELECT 1', [1, 0, 0, 0]],
    ['no span', null, 'placed by its time', [1, 1, 1, 1]],
  ])('this event at %s', (_name, span, words, lines) => {
    const markup = parts(meta(segments, { events: [other(1, { span })] }))
    expect(textOf(markup)).toContain(`This event ${words} +500 ms`)
    // The first row is the event's own.
    expect(countOf(markup, 'here')).toEqual(lines)
  })

  test('another error is marked at its segment alone, and its line says where', () => {
    const markup = parts(meta(segments, { events: [other(3, { span: at(2) }), other(4)] }))
    expect(countOf(markup, 'other').slice(0, 4)).toEqual([0, 1, 1, 2])
    expect(textOf(markup)).toContain('Error: 3 WEB-7 2.5 s after this event · in SELECT 1')
    expect(textOf(markup)).toContain('Error: 4 WEB-7 3.5 s after this event · placed by its time')
  })

  test('hostile names of spans are text', () => {
    const markup = parts(meta(segments, { events: [other(1, { span: at(1, { name: '<img src=x>' }) })] }))
    expect(markup).not.toContain('<img')
  })
})

describe('no spans', () => {
  test.each([
    [0, 'The SDK sends none (tracesSampleRate is not set)'],
    [31 * 86_400_000, 'Spans are stored for 30 days, and this event is older.'],
  ])('%d ms after the event', (later, words) => {
    const text = textOf(parts(meta([], { events: [other(3)] }), atMs + later))
    expect(text).toContain('No spans of this trace are stored')
    expect(text).toContain(words)
    expect(text).toContain('Other errors of this trace (1)')
  })
})

test('it comes with the page or is asked for: nothing without a trace id, words until it is here', () => {
  const strip = (traceId: string | null, given?: RestTraceMeta) =>
    textOf(
      html(
        <TraceStrip
          organization="acme"
          base="/o/acme/issues"
          preloaded={given}
          event={{ ...event, traceId, dateReceived: event.dateCreated } as RestEvent}
        />,
      ),
    )
  expect(strip(null)).toBe('')
  expect(strip(hex(9))).toBe('Trace Open trace 00000000 Looking for the spans of this trace …')
  expect(strip(hex(9), meta([segment(1)]))).toContain('GET /1')
})
