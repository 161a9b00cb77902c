import { describe, expect, test } from 'vitest'
import { createLineCount, type DrainFormat, drainFormatOf } from './drains.ts'
import { jsonOpenedMax } from './otlp-walk.ts'

const counted = (format: DrainFormat, body: string, size = 1 << 20) => {
  const bytes = Buffer.from(body)
  const count = createLineCount(format)
  for (let at = 0; at < bytes.length; at += size) count.push(bytes.subarray(at, at + size))
  return count.lines
}

test.each<['vercel' | 'heroku', string, DrainFormat | undefined]>([
  ['vercel', 'application/json', 'json'],
  ['vercel', 'Application/JSON; charset=utf-8', 'json'],
  ['vercel', 'application/x-ndjson', 'ndjson'],
  ['vercel', 'application/logplex-1', undefined],
  ['heroku', 'application/logplex-1', 'syslog'],
  ['heroku', 'application/json', undefined],
  ['heroku', '', undefined],
])('%s sends %j: %s', (drain, type, format) => expect(drainFormatOf(drain, type)).toBe(format))

describe.each([1, 3, 1 << 20])('lines in pieces of %i bytes', (size) => {
  test.each<[DrainFormat, string, number]>([
    ['json', '', 0],
    ['json', '[]', 0],
    ['json', ' [ {"a":"],{"}, {"b":[1,2,{"c":3}]} ] ', 2],
    ['json', '{"a":1,"b":2}', 1],
    ['json', '["a,b","c\\",d", 7, null]', 4],
    ['ndjson', '', 0],
    ['ndjson', '{"a":1}\n\n  \r\n{"b":2}\n{"c":3}', 3],
    ['syslog', '', 0],
    ['syslog', '5 <1>1 3 abc', 2],
    ['syslog', '5 a\nb c3 abc\n4 \n\n\n\n', 3],
    ['syslog', '5 abcdenot a count at all 7 x', 2],
    ['syslog', '999999999999 x', 1],
  ])('%s %j: %i', (format, body, lines) => expect(counted(format, body, size)).toBe(lines))
})

test.each<[DrainFormat, string, string]>([
  ['json', '[1', ',{}'],
  ['ndjson', '"[[[[\n[1', ',[]'],
])('a body of %s with too many objects and lists is too large', (format, begin, entry) => {
  const count = createLineCount(format)
  count.push(Buffer.from(begin + entry.repeat(jsonOpenedMax - 1)))
  expect(count.isTooLarge).toBe(false)
  count.push(Buffer.from(`,"${'{'.repeat(10)}"${entry.repeat(2)}`))
  expect(count.isTooLarge).toBe(true)
})
