import { describe, expect, test } from 'vitest'
import { isItemType, itemKind } from '../wire/item-types.ts'
import { categories, outcomes, reasons } from './outcome.ts'

test.each([
  ['outcomes', outcomes],
  ['reasons', reasons],
  ['categories', categories],
])('%s: each once, in small letters, none that could be taken for another', (_name, list) => {
  expect(new Set<string>(list).size).toBe(list.length)
  for (const item of list) expect(item).toMatch(/^[a-z]+(_[a-z]+)*$/)
})

test('what is worked out is never recorded', () => {
  expect(outcomes).not.toContain('waiting')
  expect(outcomes).not.toContain('lost')
})

test('the ends of an item are these: the sum of the ledger is made of them', () => {
  const noEnd = new Set<string>(['received', 'client_discard', 'thinned'])
  expect(outcomes.filter((outcome) => !noEnd.has(outcome))).toEqual([
    'stored',
    'filtered',
    'rate_limited',
    'invalid',
    'duplicate',
    'dead',
  ])
})

describe('item types', () => {
  /** One item of these types contains many of its category. */
  const lists = ['span', 'log', 'trace_metric', 'statsd', 'raw_security']

  test.each([
    ['event', 'error', true],
    ['transaction', 'transaction', true],
    ['feedback', 'feedback', true],
    ['user_report', 'feedback', true],
    ['attachment', 'attachment', true],
    ['session', 'session', false],
    ['sessions', 'session', false],
    ['client_report', 'internal', false],
    ['check_in', 'monitor', false],
    ['replay_event', 'replay', true],
    ['replay_recording', 'replay', false],
    ['profile', 'profile', true],
    ['profile_chunk', 'profile_chunk', false],
    ['span', 'span', false],
    ['log', 'log_item', false],
    ['otel_log', 'log_item', false],
    ['trace_metric', 'trace_metric', false],
    ['statsd', 'metric_bucket', false],
    ['raw_security', 'security', true],
    ['form_data', 'attachment', true],
  ])('%s counts as %s', (type, category, needsEventId) => {
    const { needsEventId: needsId = false, holdsMany = false, ...kind } = itemKind(type)
    expect([kind.category, needsId, holdsMany]).toEqual([category, needsEventId, lists.includes(type)])
    expect(categories).toContain(category)
    expect(isItemType(type)).toBe(true)
  })

  test.each(['', 'Event', 'constructor', '__proto__', 'integration', 'x'.repeat(1000)])(
    'a name of the sender is no type: %.20s',
    (type) => {
      const { category, needsEventId, holdsMany } = itemKind(type)
      expect([isItemType(type), category, needsEventId, holdsMany]).toEqual([false, 'unknown', undefined, undefined])
    },
  )
})
