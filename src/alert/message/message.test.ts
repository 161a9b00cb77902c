import { describe, expect, test } from 'vitest'
import { hostileTexts } from './hostile.cases.ts'
import { alerted, message } from './message.cases.ts'
import { htmlOf, line, slackOf, textOf, webhookOf } from './message.ts'

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

describe('mail', () => {
  test('text names the issue, the place and the address', () => {
    expect(textOf(message())).toBe(
      'New issue WEB-7: TypeError: x is not a function\n  in app/page\n  web · web@2 · 3 events\n  https://m.test/o/acme/issues/7\n',
    )
  })
  test('a summary says why it is one and what it leaves out', () => {
    const text = textOf(message({ kind: 'summary', alerts: [alerted({ count: 1 })], more: 4 }))
    expect(text).toContain('Too many issues are new at once')
    expect(text).toContain('1 event\n')
    expect(text).toContain('and 4 more: https://m.test/o/acme/issues')
  })
  test('markup of an event stays text', () => {
    const made = htmlOf(message({ alerts: [alerted({ title: hostile, culprit: hostile })] }))
    expect(made).not.toMatch(/<script|<!channel/)
    expect(made).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;|')
  })
  test('a test message has no issue', () => {
    expect(textOf(message({ kind: 'test', alerts: [] }))).toBe('Notifications reach this channel.\n')
    expect(htmlOf(message({ kind: 'test', alerts: [] }))).toContain('Notifications reach this channel.')
  })
})

describe.each(hostileTexts)('$name', ({ text }) => {
  const made = message({ alerts: [alerted({ title: text, culprit: text })] })
  test('stays one line and adds no markup and no link', () => {
    expect(made.headline).not.toMatch(/[\r\n\0\u202a-\u202e\u200b]/)
    expect(made.headline.length).toBeLessThan(300)
    expect(htmlOf(made).match(/<(?!\/?(p|a|br)\b)/g)).toBeNull()
    for (const [, address] of htmlOf(made).matchAll(/href="([^"]*)"/g))
      expect(address).toBe('https://m.test/o/acme/issues/7')
  })
})

test('a chat’s own marks in a title do nothing', () => {
  const made = JSON.stringify(slackOf(message({ alerts: [alerted({ title: hostile, culprit: hostile })] })))
  expect(made).not.toMatch(/<!channel|<script/)
  expect(made).toContain('<https://m.test/o/acme/issues/7|WEB-7: &lt;!channel&gt;')
  expect(made).toContain('¦')
  expect(slackOf(message({ kind: 'test', alerts: [] }))).toEqual({
    text: 'Mishap: a test message from Acme. Notifications reach this channel.',
  })
})

test('a webhook carries the fields', () => {
  expect(webhookOf(message({ more: 2 }), 9)).toMatchObject({
    version: 1,
    delivery: 9,
    kind: 'issue',
    organization: { id: '1', slug: 'acme' },
    more: 2,
    issues: [
      {
        change: 'new',
        id: '7',
        shortId: 'WEB-7',
        project: { id: '1', slug: 'web' },
        release: 'web@2',
        count: 3,
        firstSeen: '1970-01-01T00:00:00.000Z',
        url: 'https://m.test/o/acme/issues/7',
      },
    ],
  })
})
