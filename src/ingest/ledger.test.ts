import { expect, test } from 'vitest'
import type { AcceptKey } from '../auth/keys.ts'
import { createLedger } from './ledger.ts'

const key = (keyId: number, projectId = 7): AcceptKey => ({
  keyId,
  projectId,
  organizationId: 3,
  active: true,
  allowedOrigins: [],
})
const at = 1_800_000_000_000

test('what is alike is summed, all else kept apart, and taken out once', () => {
  const ledger = createLedger()
  ledger.count(key(1), 'error', 'invalid', 'too_large', 'event', 100)
  ledger.count(key(1), 'error', 'invalid', 'too_large', 'event', 50, 3)
  ledger.count(key(2), 'error', 'invalid', 'too_large', 'event', 1)
  ledger.count(key(1, 8), 'error', 'invalid', 'too_large', 'event', 2)
  ledger.count(key(1), 'session', 'invalid', 'too_large', 'session', 3)
  ledger.count(key(1), 'error', 'rate_limited', 'too_large', 'event', 4)
  ledger.count(key(1), 'error', 'invalid', 'bad_item', 'event', 5)
  const base = { projectId: 7, keyId: 1, category: 'error', outcome: 'invalid', reason: 'too_large', itemType: 'event' }
  expect(ledger.drainOutcomes()).toEqual([
    { ...base, quantity: 4, bytes: 150 },
    { ...base, keyId: 2, quantity: 1, bytes: 1 },
    { ...base, projectId: 8, quantity: 1, bytes: 2 },
    { ...base, category: 'session', itemType: 'session', quantity: 1, bytes: 3 },
    { ...base, outcome: 'rate_limited', quantity: 1, bytes: 4 },
    { ...base, reason: 'bad_item', quantity: 1, bytes: 5 },
  ])
  expect(ledger.drainOutcomes()).toEqual([])
  ledger.count(key(1), 'error', 'invalid', 'too_large', 'event', 9)
  expect(ledger.drainOutcomes()).toEqual([{ ...base, quantity: 1, bytes: 9 }])
})

test('without a known key it is nobody’s; names of senders are summed as unknown, an unread body has none', () => {
  const ledger = createLedger()
  ledger.count(undefined, 'unknown', 'invalid', 'no_key', '', 5)
  for (const name of ['made-up', 'other']) ledger.count(undefined, 'unknown', 'invalid', 'no_key', name, 5)
  expect(ledger.drainOutcomes()).toMatchObject([
    { projectId: 0, keyId: 0, itemType: '', quantity: 1 },
    { projectId: 0, keyId: 0, itemType: 'unknown', quantity: 2, bytes: 10 },
  ])
})

test('the last use and the last refusal of each key, in order of time', () => {
  const ledger = createLedger()
  expect(ledger.drainUses()).toEqual([])
  ledger.use(key(1), at, null)
  ledger.use(key(1), at + 1, 'ACCEPT_ORIGIN_REFUSED')
  ledger.use(key(2), at + 2, null)
  ledger.use(key(1), at + 3, 'ACCEPT_TOO_LARGE')
  ledger.use(key(1), at + 4, null)
  expect(ledger.drainUses()).toEqual([
    { keyId: 2, atMs: at + 2, refusedCode: null },
    { keyId: 1, atMs: at + 3, refusedCode: 'ACCEPT_TOO_LARGE' },
    { keyId: 1, atMs: at + 4, refusedCode: null },
  ])
  expect(ledger.drainUses()).toEqual([])
  ledger.use(key(3), at, 'ACCEPT_TOO_LARGE')
  expect(ledger.drainUses()).toHaveLength(1)
})
