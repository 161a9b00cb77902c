import { describe, expect, test } from 'vitest'
import { createLedger } from './ledger.ts'
import { originAllowed } from './origins.ts'
import { createRates } from './rates.ts'
import { createTargets, readRoute } from './routes.ts'

test.each([
  ['/api/7/envelope/', 'envelope', 7],
  ['/api/7/envelope', 'envelope', 7],
  ['/api/7/envelope/?sentry_key=x', 'envelope', 7],
  ['/api/7/envelope?sentry_key=x', 'envelope', 7],
  ['/api/store/', 'store', 0],
  ['/api/7/store/', 'store', 7],
  ['/api/7/security/', 'security', 7],
  ['/api/7/csp-report/', 'security', 7],
  [`/api/7/events/${'a'.repeat(32)}/attachments/`, 'attachments', 7],
  ['/api/7/events/x/other/', 'unknown', 7],
  ['/api/7/minidump', 'minidump', 7],
  ['/api/7/minidump/', 'minidump', 7],
  ['/api/7/unreal/abc/', 'later', 7],
  ['/api/7/cron/a/b/', 'later', 7],
  ['/api/7/integration/otlp/v1/traces', 'otlp', 7],
  ['/api/7/integration/otlp/v1/traces/?sentry_key=x', 'otlp', 7],
  ['/api/7/otlp/v1/traces', 'otlp', 7],
  ['/api/7/integration/otlp/v1/logs', 'otlp', 7],
  ['/api/7/integration/otlp/v1/profiles', 'later', 7],
  ['/api/7/otlp/v1', 'later', 7],
  ['/api/7/__proto__/', 'unknown', 7],
  ['/api/7/', 'unknown', 7],
  ['/api/7', undefined, 0],
  ['/api/0/issues/', undefined, 0],
  ['/api/00/envelope/', undefined, 0],
  ['/api/health/live', undefined, 0],
  ['/api/storefront/', undefined, 0],
  ['/api/7x/envelope/', undefined, 0],
  ['/api/99999999999999999999/envelope/', undefined, 0],
  ['/issues/7', undefined, 0],
  ['', undefined, 0],
])('%s', (path, name, projectId) => {
  const route = readRoute(path)
  expect(route?.name).toBe(name)
  expect(route?.projectId ?? 0).toBe(projectId)
})

test('targets: a URL is read once, and thousands of others do not pile up', () => {
  const targetOf = createTargets()
  const first = targetOf('/api/7/envelope/?sentry_key=x')
  expect(first?.auth?.key).toBe('x')
  expect(targetOf('/api/7/envelope/?sentry_key=x')).toBe(first)
  for (let i = 0; i < 2500; i++) targetOf(`/api/7/envelope/?a=${i}`)
  expect(targetOf('/api/7/envelope/?sentry_key=x')).not.toBe(first)
  const long = `/api/7/store/?sentry_data=${'x'.repeat(600)}`
  expect(targetOf(long)).not.toBe(targetOf(long))
  expect(targetOf('/other')).toBeUndefined()
})

describe('origins', () => {
  test.each([
    ['https://shop.example', [], true],
    ['https://shop.example', ['*'], true],
    ['', ['shop.example'], true],
    ['https://shop.example', ['shop.example'], true],
    ['https://SHOP.example/path?x', ['Shop.Example'], true],
    ['http://shop.example:8080', ['shop.example'], true],
    ['https://evilshop.example', ['shop.example'], false],
    ['https://a.shop.example', ['shop.example'], false],
    ['https://a.b.shop.example', ['*.shop.example'], true],
    ['https://shop.example', ['*.shop.example'], true],
    ['https://evilshop.example', ['*.shop.example'], false],
    ['https://shop.example.evil.example', ['*.shop.example'], false],
    ['https://shop.example', ['https://shop.example'], true],
    ['http://shop.example', ['https://shop.example'], false],
    ['https://shop.example:8443', ['https://shop.example'], false],
    ['https://shop.example:8443', ['https://shop.example:8443'], true],
    ['https://shop.example', ['shop.example:443'], true],
    ['http://localhost:3000', ['localhost:3000'], true],
    ['http://localhost:3001', ['localhost:3000'], false],
    ['http://localhost:3001', ['localhost:*'], true],
    ['https://shop.example', ['https://shop.example/*'], true],
    ['https://any.example', ['https://*'], true],
    ['null', ['shop.example'], false],
    ['https://shop.example', ['', 'other.example'], false],
  ])('%s against %j: %s', (origin, allowed, wanted) => {
    expect(originAllowed(origin, allowed)).toBe(wanted)
  })
})

test('ledger: names of a sender do not become keys', () => {
  const ledger = createLedger()
  for (let i = 0; i < 100; i++) ledger.count(undefined, 'unknown', 'invalid', 'too_large', `made_up_${i}`, 10)
  expect(ledger.drainOutcomes()).toEqual([
    {
      projectId: 0,
      keyId: 0,
      category: 'unknown',
      outcome: 'invalid',
      reason: 'too_large',
      itemType: 'unknown',
      quantity: 100,
      bytes: 1000,
    },
  ])
})

test('rates: a changed window or a clock that goes back starts anew', () => {
  const rates = createRates(0)
  const key = {
    keyId: 1,
    projectId: 1,
    organizationId: 1,
    active: true,
    allowedOrigins: [],
    rateLimit: { count: 1, windowS: 60 },
  }
  expect(rates.take(key, 1_000_000)).toBeUndefined()
  expect(rates.take(key, 1_059_999)).toEqual({ scope: 'key', reason: 'key_limit', retryAfterS: 1 })
  expect(rates.take({ ...key, rateLimit: { count: 1, windowS: 10 } }, 1_001_000)).toBeUndefined()
  expect(rates.take({ ...key, rateLimit: { count: 1, windowS: 10 } }, 900_000)).toBeUndefined()
})
