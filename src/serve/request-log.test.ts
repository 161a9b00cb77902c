import { expect, test } from 'vitest'
import type { RecordOutcomes, RequestLogEntry } from '../journal/request-log.ts'
import { createRequestLog } from './request-log.ts'

const note = (keyId: number, jpos: number, more: Partial<RequestLogEntry> = {}): RequestLogEntry => ({
  atMs: Math.abs(jpos),
  keyId,
  projectId: 1,
  route: 'envelope',
  sdk: 'sentry.javascript/1',
  bytes: 10,
  status: 200,
  code: 'OK',
  reason: '',
  eventId: '',
  jpos,
  items: [{ type: 'event', bytes: 9, outcome: 'waiting', reason: '' }],
  more: 0,
  ...more,
})
const end = (jpos: number, outcome: 'stored' | 'duplicate' = 'stored'): RecordOutcomes => ({
  jpos,
  keyId: 1,
  items: [{ type: 'event', bytes: 9, outcome, reason: 'ok', eventId: 'e'.repeat(32), at: jpos }],
  more: 0,
})

test.each([
  ['the note first', true],
  ['the end first', false],
])('what refine says replaces what waits, %s', (_name, noteFirst) => {
  const intakes = createRequestLog()
  if (noteFirst) intakes.record([note(1, 7)])
  intakes.complete([end(7)])
  if (!noteFirst) intakes.record([note(1, 7)])
  expect(intakes.of([1])).toMatchObject([{ eventId: 'e'.repeat(32), items: [{ type: 'event', outcome: 'stored' }] }])
})

test('what accept took out stays beside the ends', () => {
  const intakes = createRequestLog()
  const limited = { type: 'attachment', bytes: 4, outcome: 'rate_limited', reason: 'key_limit' } as const
  intakes.record([note(1, 7, { items: [...note(1, 7).items, limited] })])
  intakes.complete([end(7, 'duplicate')])
  expect(intakes.of([1])[0]?.items.map((item) => item.outcome)).toEqual(['rate_limited', 'duplicate'])
})

test('a refusal has no end; newest first; keys apart', () => {
  const intakes = createRequestLog()
  intakes.record([note(1, -1, { status: 403 }), note(1, 5), note(2, 6)])
  expect(intakes.of([1]).map((entry) => entry.status)).toEqual([200, 403])
  expect(intakes.of([1, 2]).map((entry) => entry.keyId)).toEqual([2, 1, 1])
  expect(intakes.of([9])).toEqual([])
})

test('a hundred of each key, a thousand keys', () => {
  const intakes = createRequestLog()
  for (let i = 1; i <= 250; i++) intakes.record([note(1, i)])
  expect(intakes.of([1]).map((entry) => entry.jpos)).toEqual(Array.from({ length: 100 }, (_, i) => 250 - i))
  for (let key = 2; key <= 1001; key++) intakes.record([note(key, 1000 + key)])
  expect(intakes.of([1])).toEqual([])
  expect(intakes.of([2])).toHaveLength(1)
})
