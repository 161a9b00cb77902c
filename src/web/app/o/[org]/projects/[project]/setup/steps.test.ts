import { describe, expect, it } from 'vitest'
import type { RestArrivals } from '../../../../../../../contract/projects.ts'
import { arrivalRows, stepsOf } from './steps.ts'

type Item = RestArrivals['items'][number]

const item = (outcome: string, reason = 'ok', itemType = 'event'): Item => ({
  itemType,
  category: 'error',
  outcome,
  reason,
  quantity: 2,
  sentence: 'why',
})
const none: RestArrivals = { connection: null, firstEvent: null, items: [], newestIssue: null }
const issue = { id: '1', shortId: 'WEB-1', title: 'x' }
const time = '2026-11-21T12:00:00Z'

describe('stepsOf', () => {
  const cases: [string, RestArrivals | undefined, string][] = [
    ['not asked yet', undefined, 'waiting waiting waiting'],
    ['nothing', none, 'waiting waiting waiting'],
    ['a connection alone', { ...none, connection: time }, 'done waiting waiting'],
    [
      'refused by its limit',
      { ...none, connection: time, items: [item('rate_limited', 'key_limit')] },
      'done refused waiting',
    ],
    ['invalid', { ...none, items: [item('invalid', 'bad_json')] }, 'done refused waiting'],
    ['stored, not grouped yet', { ...none, connection: time, items: [item('stored')] }, 'done done waiting'],
    [
      'some refused, some stored',
      { ...none, items: [item('invalid', 'bad_json'), item('stored')] },
      'done done waiting',
    ],
    [
      'a kind that is not stored yet was accepted',
      { ...none, items: [item('filtered', 'not_stored_yet', 'session')] },
      'done done waiting',
    ],
    ['filtered by a rule', { ...none, items: [item('filtered', 'origin')] }, 'done refused waiting'],
    ['grouped', { connection: time, firstEvent: time, items: [item('stored')], newestIssue: issue }, 'done done done'],
    ['an old first event, a quiet hour', { ...none, firstEvent: time, newestIssue: issue }, 'done done done'],
  ]
  it.each(cases)('%s', (_name, arrivals, states) =>
    expect(
      stepsOf(arrivals)
        .map((step) => step.state)
        .join(' '),
    ).toBe(states),
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
