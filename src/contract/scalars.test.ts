import { afterEach, expect, test, vi } from 'vitest'
import { moment } from './scalars.ts'

afterEach(() => vi.unstubAllEnvs())

const noon = Date.UTC(2026, 10, 22, 12)

test.each([
  ['2026-11-22T12:00:00Z', noon],
  ['2026-11-22T13:00:00+01:00', noon],
  ['2026-11-22 13:00:00 +0100', noon],
  ['2026-11-22T12:00:00.000000', noon],
  ['2026-11-22 12:00:00', noon],
  ['2026-11-22T12:00', noon],
  ['2026-11-22', noon - 12 * 3_600_000],
])('%s is the same moment wherever the server stands', (text, ms) => {
  vi.stubEnv('TZ', 'Asia/Kolkata')
  expect(new Date(noon).getTimezoneOffset()).toBe(-330)
  expect(moment.safeParse(text).data).toBe(ms)
})

test.each(['', '1', 'yesterday', 'Nov 22', '2026-13-45T00:00:00Z', '12:00'])('%j is no moment', (text) => {
  expect(moment.safeParse(text).success).toBe(false)
})
