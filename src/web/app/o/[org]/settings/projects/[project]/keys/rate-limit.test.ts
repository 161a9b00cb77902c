import { describe, expect, it } from 'vitest'
import { isRateCount, isRateWindow } from './rate-limit.ts'

describe('rate limits that people type', () => {
  const counts: [string, boolean][] = [
    ['1', true],
    ['1000000000', true],
    ['1000000001', false],
    ['0', false],
    ['-1', false],
    ['1.5', false],
    ['1e3', false],
    ['', false],
    [' 5', false],
    ['007', false],
  ]
  it.each(counts)('count %j', (text, ok) => expect(isRateCount(text)).toBe(ok))
  const windows: [string, boolean][] = [
    ['60', true],
    ['3600', true],
    ['86400', true],
    ['61', false],
    ['', false],
    ['60.0', false],
  ]
  it.each(windows)('window %j', (text, ok) => expect(isRateWindow(text)).toBe(ok))
})
