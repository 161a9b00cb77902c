import { describe, expect, test } from 'vitest'
import type { IngestKey } from '../store/meta/meta.ts'
import { createRates, rateLimitHeader } from './rates.ts'

const at = 1_800_000_000_000
const key = (change: Partial<IngestKey> = {}): IngestKey => ({
  keyId: 1,
  projectId: 7,
  organizationId: 3,
  active: true,
  allowedOrigins: [],
  ...change,
})
const limited = (count: number, windowS = 60, keyId = 1) => key({ keyId, rateLimit: { count, windowS } })

describe('the rate of a key', () => {
  test('is counted from its first item on, to the millisecond', () => {
    const rates = createRates(0)
    const own = limited(2, 10)
    expect([rates.take(own, at), rates.take(own, at + 5_000)]).toEqual([undefined, undefined])
    const refusal = (retryAfterS: number) => ({ scope: 'key', reason: 'key_limit', retryAfterS })
    expect(rates.take(own, at + 5_000)).toEqual(refusal(5))
    expect(rates.take(own, at + 5_001)).toEqual(refusal(5))
    expect(rates.take(own, at + 9_999)).toEqual(refusal(1))
    expect(rates.take(own, at + 10_000)).toBeUndefined()
    expect([rates.take(own, at + 10_000), rates.take(own, at + 19_999)]).toEqual([undefined, refusal(1)])
  })

  test('is its own, and none where no limit is set', () => {
    const rates = createRates(0)
    expect([rates.take(limited(1), at), rates.take(limited(1, 60, 2), at)]).toEqual([undefined, undefined])
    expect([rates.take(limited(1), at)?.scope, rates.take(limited(1, 60, 2), at)?.scope]).toEqual(['key', 'key'])
    for (let n = 0; n < 10; n++) expect(rates.take(key({ keyId: 5 }), at)).toBeUndefined()
  })

  test.each([
    ['another window', limited(1, 30), at + 1],
    ['a clock that was set back', limited(1), at - 1],
  ])('begins anew with %s', (_name, next, nowMs) => {
    const rates = createRates(0)
    rates.take(limited(1), at)
    expect(rates.take(next, nowMs)).toBeUndefined()
    expect(rates.take(next, nowMs)?.reason).toBe('key_limit')
  })

  test('of none at all lets nothing through', () => {
    expect(createRates(0).take(limited(0), at)).toEqual({ scope: 'key', reason: 'key_limit', retryAfterS: 60 })
  })
})

describe('the rate of an organization', () => {
  test('is that of all its keys, in a minute', () => {
    const rates = createRates(2)
    expect([rates.take(key(), at), rates.take(key({ keyId: 2 }), at)]).toEqual([undefined, undefined])
    const refusal = { scope: 'organization', reason: 'organization_limit', retryAfterS: 60 }
    expect(rates.take(key({ keyId: 9 }), at)).toEqual(refusal)
    expect(rates.take(key({ organizationId: 4 }), at)).toBeUndefined()
    expect(rates.take(key(), at + 59_999)).toEqual({ ...refusal, retryAfterS: 1 })
    expect(rates.take(key(), at + 60_000)).toBeUndefined()
  })

  test('takes nothing of a key’s own, and is not touched by what the key’s limit refused', () => {
    const rates = createRates(2)
    const own = limited(1)
    rates.take(own, at)
    expect(rates.take(own, at)?.scope).toBe('key')
    expect(rates.take(key({ keyId: 2 }), at)).toBeUndefined()
    const other = limited(1, 60, 3)
    expect(rates.take(other, at)?.scope).toBe('organization')
    // In the next minute, the refusal has not used the one item of the key.
    expect(rates.take(other, at + 60_000)).toBeUndefined()
  })
})

test.each([
  [
    { scope: 'key', reason: 'key_limit', retryAfterS: 7, categories: 'attachment;attachment_item' } as const,
    /^7:attachment;attachment_item:key:key_limit$/,
  ],
  [
    { scope: 'project', reason: 'overloaded', retryAfterS: 5 } as const,
    /^5:default;error;[a-z_;]+:project:overloaded$/,
  ],
])('the header of %j', (found, expected) => {
  expect(rateLimitHeader(found)).toMatch(expected)
  expect(rateLimitHeader(found)).not.toContain('internal')
})
