import { describe, expect, test } from 'vitest'
import type { RestBreadcrumb } from '../../../../contract/events.ts'
import {
  crumbEntries,
  errorEntry,
  kindOf,
  kindsOf,
  matching,
  mergedByTime,
  offsetText,
  splitAtError,
  type TimelineEntry,
} from './timeline.ts'

const crumb = (more: Partial<RestBreadcrumb>): RestBreadcrumb => ({
  timestamp: '2026-11-20T10:00:00.000Z',
  type: 'default',
  category: null,
  level: 'info',
  message: null,
  data: null,
  ...more,
})
const entryOf = (more: Partial<RestBreadcrumb>): TimelineEntry => {
  const [entry] = crumbEntries([crumb(more)])
  if (!entry) throw new Error('no entry')
  return entry
}
const seconds = (value: number) => value.toFixed(2)

test.each<[Partial<RestBreadcrumb>, string]>([
  [{ type: 'http', category: 'fetch' }, 'http'],
  [{ category: 'ui.click' }, 'ui'],
  [{}, 'default'],
])('%j is of the kind %s', (more, kind) => {
  expect(kindOf(crumb(more))).toBe(kind)
})

describe('a breadcrumb as an entry', () => {
  test.each<[Partial<RestBreadcrumb>, Partial<TimelineEntry>]>([
    [
      { type: 'http', category: 'fetch', data: { method: 'POST', url: '/pay', status_code: 504 } },
      { glyph: 'request', label: 'fetch', text: 'POST /pay', value: '504', severity: 'error' },
    ],
    [
      { category: 'xhr', data: { url: '/a', status_code: '404' } },
      { value: '404', severity: 'warning' },
    ],
    [
      { category: 'xhr', data: { url: '/a', status_code: 0 } },
      { value: '0', severity: 'error' },
    ],
    [{ category: 'xhr', level: 'error', data: { url: '/a', status_code: 404 } }, { severity: 'error' }],
    [
      { category: 'xhr', data: { url: '/a', status_code: 200 } },
      { value: '200', severity: undefined },
    ],
    [
      { type: 'navigation', data: { from: '/cart', to: '/pay' } },
      { glyph: 'navigation', text: '/cart → /pay' },
    ],
    [
      { category: 'ui.click', message: 'button' },
      { glyph: 'ui', text: 'button', severity: undefined },
    ],
    [
      { category: 'query', message: 'SELECT 1' },
      { glyph: 'query', text: 'SELECT 1' },
    ],
    [
      { category: 'console', level: 'warning', message: 'slow' },
      { glyph: 'log', severity: 'warning' },
    ],
    [
      { category: 'constructor', data: { a: 1 } },
      { glyph: 'other', text: 'a=1' },
    ],
    // A status belongs to requests only.
    [
      { category: 'job', data: { status: 500 } },
      { value: '', severity: undefined },
    ],
    [{ timestamp: null }, { atMs: null }],
  ])('%j', (more, entry) => {
    expect(entryOf(more)).toMatchObject(entry)
  })
  test('keeps its message in the details if the line shows something else', () => {
    const { details } = entryOf({ category: 'fetch', message: 'why', data: { url: '/a' } })
    expect(details).toEqual([
      { name: 'message', text: 'why', path: 'breadcrumbs.values.0.message' },
      { name: 'url', text: '/a', path: 'breadcrumbs.values.0.data.url' },
    ])
  })
})

describe('the timeline', () => {
  const error = errorEntry({ title: 'E', dateCreated: '2026-11-20T10:00:05.000Z' }, 'error')
  const crumbs = crumbEntries([
    crumb({ timestamp: '2026-11-20T10:00:04.000Z', category: 'ui.click', message: 'b' }),
    crumb({ timestamp: null, category: 'ui.click', message: 'c' }),
    crumb({ timestamp: '2026-11-20T10:00:01.000Z', category: 'fetch', message: 'a' }),
    crumb({ timestamp: '2026-11-20T10:00:09.000Z', category: 'ui.click', message: 'd' }),
  ])
  const merged = mergedByTime([crumbs, [error]])
  test('is ordered by time, and what has no time follows its neighbour', () => {
    expect(merged.map((entry) => entry.text)).toEqual(['a', 'b', 'c', 'E', 'd'])
  })
  test('nothing follows the error', () => {
    const { before, after } = splitAtError(merged)
    expect([before.at(-1)?.source, before.length, after.map((entry) => entry.text)]).toEqual(['error', 4, ['d']])
  })
  test('at the same time the breadcrumb comes first', () => {
    const same = crumbEntries([crumb({ timestamp: '2026-11-20T10:00:05.000Z', message: 'x' })])
    expect(mergedByTime([same, [error]]).map((entry) => entry.id)).toEqual(['crumb-0', 'error'])
  })
  test('filters keep the error', () => {
    expect(kindsOf(merged)).toEqual([
      { kind: 'ui', count: 3 },
      { kind: 'fetch', count: 1 },
    ])
    expect(matching(merged, 'fetch', '').map((entry) => entry.text)).toEqual(['a', 'E'])
    expect(matching(merged, '', ' FETCH ').map((entry) => entry.text)).toEqual(['a', 'E'])
  })
})

test.each([
  [-240, '-0.24 s'],
  [-4210, '-4.21 s'],
  [-59_994, '-59.99 s'],
  [-59_999, '-1 min'],
  [-250_000, '-4 min 10 s'],
  [-7_380_000, '-2 h 3 min'],
  [-180_000_000, '-2 d 2 h'],
  [1500, '+1.50 s'],
])('%i ms is %s', (ms, text) => {
  expect(offsetText(ms, seconds)).toBe(text)
})
