import { NextIntlClientProvider } from 'next-intl'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, expect, test, vi } from 'vitest'
import type { RestEvent } from '../../../contract/events.ts'
import type { RestTraceMeta } from '../../../contract/explore/traces.ts'
import { ApiError } from '../../client/api.ts'
import common from '../../messages/en.json'
import traces from '../../messages/traces.en.json'
import { NowProvider } from '../../ui/time.tsx'
import { TraceStrip } from './trace-strip.tsx'

type Asked = { retry: (tries: number, error: unknown) => boolean; retryDelay: number; refetchInterval: number | false }
const seen = vi.hoisted(() => ({
  answer: {} as { data?: unknown; error?: unknown; failureReason?: unknown },
  asked: undefined as unknown,
  calls: [] as string[],
  buttons: [] as { onClick?: () => void }[],
}))
vi.mock('next/navigation', () => ({ useRouter: () => ({ push: () => {}, prefetch: () => {} }) }))
vi.mock('@tanstack/react-query', () => ({
  useQueryClient: () => ({ cancelQueries: async () => void seen.calls.push('cancel') }),
  useQuery: (asked: unknown) => {
    seen.asked = asked
    const refetch = async () => void seen.calls.push('refetch')
    return { data: undefined, error: null, failureReason: null, refetch, ...seen.answer }
  },
}))
vi.mock('../../ui/forms/controls.tsx', () => ({
  Button: (props: { onClick?: () => void; children: ReactNode }) => {
    seen.buttons.push(props)
    return <button type="button">{props.children}</button>
  },
}))

const atMs = Date.UTC(2026, 10, 21, 12)
const date = new Date(atMs).toISOString()
const event = {
  eventID: 'a'.repeat(32),
  projectID: '1',
  dateCreated: date,
  dateReceived: date,
  traceId: 'b'.repeat(32),
}
function strip(answer: typeof seen.answer, nowMs = atMs + 600_000): { markup: string; text: string } {
  seen.answer = answer
  const markup = renderToStaticMarkup(
    <NextIntlClientProvider locale="en" timeZone="UTC" messages={{ ...common, traces }}>
      <NowProvider startMs={nowMs}>
        <TraceStrip preloaded={undefined} organization="acme" base="/o/acme/issues" event={event as RestEvent} />
      </NowProvider>
    </NextIntlClientProvider>,
  )
  const text = markup.replace(/<[^>]*>/g, ' ')
  return { markup, text: text.replace(/\s+/g, ' ').trim() }
}
beforeEach(() => {
  seen.calls = []
  seen.buttons = []
})

const empty: RestTraceMeta = {
  errors: 0,
  performance_issues: 0,
  logs: 0,
  span_count: 0,
  span_count_map: {},
  transaction_child_count_map: [],
  truncated: false,
  segments: [],
  segmentCount: 0,
  events: [],
  keptDays: 30,
}
const away = new ApiError(503, 'STORE_UNAVAILABLE', 'The events store is away.')
const awayText =
  'Trace Open trace bbbbbbbb The trace could not be read The events store is down. Mishap retries automatically. STORE_UNAVAILABLE Try again'

test.each<[string, typeof seen.answer, string, RegExp, number]>([
  ['loading', {}, 'Trace Open trace bbbbbbbb Looking for the spans of this trace …', /role="status"/, 0],
  ['empty', { data: empty }, 'No spans of this trace are stored', /<b>/, 0],
  ['the events store is away and asked again', { failureReason: away }, awayText, /role="alert"/, 1],
  ['it was away for too long', { error: away }, awayText, /role="alert"/, 1],
  [
    'nothing answers',
    { failureReason: new ApiError(0, 'NETWORK', 'Nothing answered.') },
    'The trace could not be read The events store is down.',
    /role="alert"/,
    1,
  ],
  [
    'the query takes too long',
    { error: new ApiError(504, 'QUERY_TIMEOUT', 'It took too long.') },
    'The trace could not be read It took too long. QUERY_TIMEOUT Try again',
    /role="alert"/,
    1,
  ],
  [
    'no permission',
    { error: new ApiError(403, 'AUTH_FORBIDDEN', 'The token lacks event:read.') },
    'Trace Open trace bbbbbbbb You may not read the events and traces of this organization.',
    /role="alert"/,
    0,
  ],
  ['it stands and was asked again in vain', { data: empty, failureReason: away }, 'No spans of this trace', /<b>/, 0],
])('%s', (_name, answer, words, role, buttons) => {
  const { markup, text } = strip(answer)
  expect(text).toContain(words)
  expect(markup).toMatch(role)
  expect(seen.buttons).toHaveLength(buttons)
})

test('a person’s retry asks at once, whatever waits', async () => {
  strip({ failureReason: away })
  seen.buttons[0]?.onClick?.()
  await new Promise((resolve) => setImmediate(resolve))
  expect(seen.calls).toEqual(['cancel', 'refetch'])
})

test('a store that is away is asked again by itself, what is refused is not; a young event’s trace grows', () => {
  strip({})
  const { retry, retryDelay, refetchInterval } = seen.asked as Asked
  expect([retry(0, away), retry(500, away), retry(0, new ApiError(403, 'AUTH_FORBIDDEN', ''))]).toEqual([
    true,
    true,
    false,
  ])
  expect([retryDelay, refetchInterval]).toEqual([5000, false])
  strip({}, atMs + 10_000)
  expect((seen.asked as Asked).refetchInterval).toBe(5000)
})
