import { expect, test } from 'vitest'
import type { EventRow } from '../../store/events/events.ts'
import type { TableName } from '../../store/events/tables.ts'
import { effectOf, groupOf } from '../kinds/error/events.ts'
import { emptyRange, type RangeGroup, type RefinedRange } from './range.ts'
import { applyStored } from './recovery.ts'

const payload = (message: string) =>
  `${JSON.stringify({ eventId: 'a'.repeat(32), level: 'error', platform: 'javascript', message, findings: { title: message, culprit: '', kind: 'message', metadata: {}, unhandled: false, signs: [] } })}\nmore`

const row = (jpos: number, message = 'stored'): EventRow => ({
  projectId: 3,
  groupHash: 'f'.repeat(16),
  hashes: ['f'.repeat(16)],
  timestampUs: 1_795_000_000_000_000,
  receivedMs: 1_795_000_000_000,
  eventId: String(jpos).padStart(32, 'a'),
  jpos,
  gen: 0,
  userHash: '',
  level: 'error',
  environment: 'production',
  release: '1.0',
  transaction: '',
  type: 'TypeError',
  platform: 'javascript',
  message,
  tags: {},
  traceId: '',
  digest: '',
  frames: [],
  payload: payload(message),
})
const rowsOf = (...rows: EventRow[]) => new Map(rows.map((entry) => [entry.jpos, entry]))
const standing = (places: Partial<Record<TableName, [number, number[]][]>>) =>
  new Map(
    Object.entries(places).map(([table, all]) => [
      table as TableName,
      new Map(all.map(([jpos, list]) => [jpos, new Set(list)])),
    ]),
  )
const rangeOf = (change: Partial<RefinedRange> = {}): RefinedRange => ({
  ...emptyRange({ job: 0, from: 0 }, 100),
  ...change,
})
const record = { from: 10, to: 20, projectId: 3, keyId: 9, kind: 'envelope', bytes: 77 } as const

const group = (table: TableName, jpos: number, effect: RangeGroup['effect']): RangeGroup => ({
  ...groupOf(row(jpos), 0),
  table,
  outcomes: [],
  ...(effect ? { effect } : {}),
  from: 0,
  to: 0,
})

test('the effect of a stored event is that of its row, with the key of the group', () => {
  const before = effectOf(row(12, 'refined now'), 5)
  const [changed, other, spans, bare] = [
    group('events', 12, before),
    group('events', 13, before),
    group('spans', 12, before),
    group('events', 12, undefined),
  ]
  applyStored(rangeOf({ groups: [changed, other, spans, bare] }), standing({}), rowsOf(row(12, 'as stored')))
  expect(changed.effect).toEqual(effectOf(row(12, 'as stored'), 5))
  expect(changed.effect).not.toEqual(before)
  expect([other.effect, spans.effect, bare.effect]).toEqual([before, before, undefined])
})

test.each<[string, Parameters<typeof standing>[0], EventRow[], [string, string, number][], number[]]>([
  ['nothing stands', {}, [], [['received', 'default', 0]], []],
  [
    'its events',
    {
      events: [
        [12, [0]],
        [15, [0]],
      ],
    },
    [row(12), row(15)],
    [['received', 'default', 2]],
    [12, 15],
  ],
  [
    'events and spans',
    {
      events: [[12, [0]]],
      spans: [
        [12, [0, 1, 2]],
        [14, [0]],
      ],
    },
    [row(12)],
    [
      ['stored', 'span', 4],
      ['received', 'default', 5],
    ],
    [12],
  ],
  [
    'the first position counts; what stands before and after the record does not',
    {
      events: [
        [9, [0]],
        [10, [0]],
        [20, [0]],
      ],
      spans: [
        [9, [0]],
        [10, [0]],
        [19, [0]],
        [20, [0]],
      ],
    },
    [row(9), row(10), row(20)],
    [
      ['stored', 'span', 2],
      ['received', 'default', 3],
    ],
    [10],
  ],
])('a record that fails now is counted by what stands: %s', (_name, places, rows, outcomes, groups) => {
  const range = rangeOf({ storedRecords: [record] })
  applyStored(range, standing(places), rowsOf(...rows))
  expect(range.outcomes.map(({ outcome, category, quantity }) => [outcome, category, quantity])).toEqual(outcomes)
  for (const outcome of range.outcomes)
    expect(outcome).toMatchObject({ projectId: 3, keyId: 9, itemType: 'envelope', reason: 'ok', bytes: 77 })
  expect(range.groups.map(({ jpos }) => jpos)).toEqual(groups)
  for (const added of range.groups) {
    expect(added).toMatchObject({
      table: 'events',
      index: added.jpos - record.from,
      outcomes: [{ outcome: 'stored', category: 'error', quantity: 1 }],
      effect: effectOf(row(added.jpos), 9),
    })
    expect(added).not.toHaveProperty('rows')
  }
})
