import { describe, expect, test } from 'vitest'
import { hostileTexts } from './hostile.cases.ts'
import { alerted, message } from './message.cases.ts'
import { line } from './message.ts'

const hostile = '<!channel> <script>alert(1)</script>"\'&|\r\nBcc: x@y.test\u202e'

test.each([
  ['a\r\nb\tc', 'a b c'],
  ['x'.repeat(300), `${'x'.repeat(199)}…`],
  ['\u202eabc\u2066', 'abc'],
  ['😀'.repeat(201), `${'😀'.repeat(199)}…`],
])('one line of %j', (text, expected) => expect(line(text)).toBe(expected))

describe('subject', () => {
  test.each<[Parameters<typeof message>[0], string]>([
    [{}, 'New issue WEB-7: TypeError: x is not a function'],
    [{ alerts: [alerted({}, 'regression')] }, 'Regression WEB-7: TypeError: x is not a function'],
    [{ kind: 'summary', alerts: [alerted(), alerted()], more: 3 }, '5 more issues in Acme'],
    [{ kind: 'test', alerts: [] }, 'Mishap: a test message from Acme'],
  ])('%#', (change, expected) => expect(message(change).headline).toBe(expected))
  test('a title can add no header', () => {
    expect(message({ alerts: [alerted({ title: hostile })] }).headline).not.toMatch(/[\r\n\u202e]/)
  })
})

test.each(hostileTexts)('$name stays one line', ({ text }) => {
  const { headline } = message({ alerts: [alerted({ title: text, culprit: text })] })
  expect(headline).not.toMatch(/[\r\n\0\u202a-\u202e\u200b]/)
  expect(headline.length).toBeLessThan(300)
})
