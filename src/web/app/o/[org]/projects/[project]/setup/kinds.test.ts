import { describe, expect, it } from 'vitest'
import type { RestArrivals } from '../../../../../../../contract/projects.ts'
import { arrivalRows, kindsOf } from './kinds.ts'

type Item = RestArrivals['items'][number]

const item = (outcome: string, reason = 'ok', itemType = 'event'): Item => ({
  itemType,
  category: 'error',
  outcome,
  reason,
  quantity: 2,
  sentence: 'why',
})
const none: RestArrivals = {
  connection: null,
  firstEvent: null,
  items: [],
  newestIssue: null,
  newestRelease: null,
  missesMaps: false,
}
const issue = { id: '1', shortId: 'WEB-1', title: 'x' }
const time = '2026-11-21T12:00:00Z'

describe('kindsOf', () => {
  const grouped = { ...none, connection: time, firstEvent: time, newestIssue: issue }
  const cases: [string, RestArrivals | undefined, string][] = [
    ['not asked yet', undefined, 'waiting waiting waiting waiting waiting waiting waiting waiting'],
    ['nothing', none, 'waiting waiting waiting waiting waiting waiting waiting waiting'],
    ['a connection alone', { ...none, connection: time }, 'ok waiting waiting waiting waiting waiting waiting waiting'],
    [
      'refused by its limit',
      { ...none, connection: time, items: [item('rate_limited', 'key_limit')] },
      'ok rejected waiting waiting waiting waiting waiting waiting',
    ],
    [
      'filtered by a rule',
      { ...none, items: [item('filtered', 'origin')] },
      'ok rejected waiting waiting waiting waiting waiting waiting',
    ],
    [
      'stored, not grouped yet',
      { ...none, items: [item('stored')] },
      'ok ok waiting waiting waiting waiting waiting waiting',
    ],
    [
      'some refused, some stored',
      { ...none, items: [item('invalid', 'bad_json'), item('stored')] },
      'ok warning waiting waiting waiting waiting waiting waiting',
    ],
    [
      'a kind that is not stored yet',
      { ...none, items: [item('filtered', 'not_stored_yet', 'span')] },
      'ok waiting waiting waiting waiting waiting waiting waiting',
    ],
    ['an old first event, a quiet hour', grouped, 'ok ok ok waiting waiting waiting waiting waiting'],
    [
      'log lines',
      { ...none, items: [{ ...item('stored', 'ok', 'log'), category: 'log_item' }] },
      'ok waiting waiting waiting waiting ok waiting waiting',
    ],
    [
      'points of metrics',
      { ...none, items: [{ ...item('stored', 'ok', 'trace_metric'), category: 'trace_metric' }] },
      'ok waiting waiting waiting waiting waiting ok waiting',
    ],
    [
      'refused points of metrics beside stored ones',
      {
        ...none,
        items: [
          { ...item('stored', 'ok', 'trace_metric'), category: 'trace_metric' },
          { ...item('invalid', 'bad_item', 'trace_metric'), category: 'trace_metric' },
        ],
      },
      'ok waiting waiting waiting waiting waiting warning waiting',
    ],
    ['minified frames', { ...grouped, missesMaps: true }, 'ok ok warning waiting waiting waiting waiting waiting'],
    [
      'sessions and a release',
      { ...grouped, newestRelease: 'a@1', items: [{ ...item('stored', 'ok', 'session'), category: 'session' }] },
      'ok ok ok ok waiting waiting waiting ok',
    ],
    [
      'refused sessions',
      { ...grouped, items: [{ ...item('invalid', 'bad_item', 'session'), category: 'session' }] },
      'ok ok ok rejected waiting waiting waiting waiting',
    ],
    [
      'traces of OpenTelemetry alone',
      { ...none, connection: time, items: [{ ...item('stored', 'ok', 'otlp'), category: 'span' }] },
      'ok waiting waiting waiting ok waiting waiting waiting',
    ],
    [
      'refused spans beside transactions',
      {
        ...grouped,
        items: [
          { ...item('invalid', 'bad_item', 'otlp'), category: 'span' },
          { ...item('stored', 'ok', 'transaction'), category: 'transaction' },
        ],
      },
      'ok ok ok waiting warning waiting waiting waiting',
    ],
  ]
  it.each(cases)('%s', (_name, arrivals, states) =>
    expect(
      kindsOf(arrivals, 'source-maps')
        .map((kind) => kind.state)
        .join(' '),
    ).toBe(states),
  )
  it.each([
    ['source-maps', 'minified'],
    ['release', 'ok'],
    ['native', 'native'],
  ] as const)('the stack of a platform with %s is %s', (readable, text) =>
    expect(kindsOf({ ...grouped, missesMaps: true }, readable)[2]?.text).toBe(text),
  )
})

describe('arrivalRows', () => {
  it('tells refused from not stored yet, and needs no row for what was stored', () => {
    const rows = arrivalRows({
      ...none,
      items: [
        item('stored'),
        item('filtered', 'not_stored_yet', 'session'),
        item('invalid', 'bad_json', 'transaction'),
        item('duplicate', 'same_event_id'),
      ],
    })
    expect(rows.refused.map((row) => row.itemType)).toEqual(['transaction'])
    expect(rows.notStored.map((row) => row.itemType)).toEqual(['session'])
  })
  it('names a category where the item’s type is not known', () => {
    expect(arrivalRows({ ...none, items: [item('invalid', 'unknown_item_type', '')] }).refused[0]?.itemType).toBe(
      'error',
    )
  })
  it('is empty before the first answer', () => expect(arrivalRows(undefined)).toEqual({ refused: [], notStored: [] }))
})
