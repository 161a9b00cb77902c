import { describe, expect, test } from 'vitest'
import type { Issue } from '../store/meta/meta.ts'
import { htmlOf, line, type Message, slackOf, subjectOf, textOf, webhookOf } from './message.ts'

const issue: Issue = {
  id: 7,
  projectId: 1,
  organizationId: 1,
  shortId: 'WEB-7',
  kind: 'error',
  title: 'TypeError: x is not a function',
  culprit: 'app/page',
  level: 'error',
  platform: 'javascript',
  logger: '',
  metadata: {},
  status: 'unresolved',
  substatus: 'new',
  statusDetails: {},
  assigneeUserId: null,
  firstSeenMs: 0,
  lastSeenMs: 1000,
  count: 3,
  firstRelease: 'web@1',
  lastRelease: 'web@2',
  unhandled: true,
  comments: 0,
  rev: 0,
  stateMs: 0,
  priority: null,
  noise: null,
  diagnosticCounts: {},
}
const project = {
  id: 1,
  organizationId: 1,
  slug: 'web',
  name: 'Web',
  platform: null,
  createdMs: 0,
  firstEventMs: 0,
  allowedOrigins: [],
} as unknown as Message['alerts'][number]['project']
const told = (change: Partial<Issue> = {}, kind: 'new' | 'regression' = 'new') => ({
  issue: { ...issue, ...change },
  project,
  kind,
  eventId: 'e'.repeat(32),
})
const message = (more: Partial<Message> = {}): Message => ({
  organization: { id: 1, slug: 'acme', name: 'Acme', createdMs: 0 },
  kind: 'issue',
  alerts: [told()],
  more: 0,
  url: 'https://m.test',
  ...more,
})
const hostile = '<!channel> <script>alert(1)</script>"\'&|\r\nBcc: x@y.test\u202e'

test.each([
  ['a\r\nb\tc', 'a b c'],
  ['x'.repeat(300), `${'x'.repeat(199)}…`],
  ['\u202eabc\u2066', 'abc'],
  ['😀'.repeat(201), `${'😀'.repeat(199)}…`],
])('one line of %j', (text, expected) => expect(line(text)).toBe(expected))

describe('subject', () => {
  test.each<[Partial<Message>, string]>([
    [{}, 'New issue WEB-7: TypeError: x is not a function'],
    [{ alerts: [told({}, 'regression')] }, 'Regression WEB-7: TypeError: x is not a function'],
    [{ kind: 'summary', alerts: [told(), told()], more: 3 }, '5 more issues in Acme'],
    [{ kind: 'test', alerts: [] }, 'Mishap: a test message from Acme'],
  ])('%#', (change, expected) => expect(subjectOf(message(change))).toBe(expected))
  test('a title can add no header', () => {
    expect(subjectOf(message({ alerts: [told({ title: hostile })] }))).not.toMatch(/[\r\n\u202e]/)
  })
})

describe('mail', () => {
  test('text names the issue, the place and the address', () => {
    expect(textOf(message())).toBe(
      'New issue WEB-7: TypeError: x is not a function\n  in app/page\n  web · web@2 · 3 events\n  https://m.test/o/acme/issues/7\n',
    )
  })
  test('a summary says why it is one and what it leaves out', () => {
    const text = textOf(message({ kind: 'summary', alerts: [told({ count: 1 })], more: 4 }))
    expect(text).toContain('Too many issues are new at once')
    expect(text).toContain('1 event\n')
    expect(text).toContain('and 4 more: https://m.test/o/acme/issues')
  })
  test('markup of an event stays text', () => {
    const made = htmlOf(message({ alerts: [told({ title: hostile, culprit: hostile })] }))
    expect(made).not.toMatch(/<script|<!channel/)
    expect(made).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;|')
  })
  test('a test message has no issue', () => {
    expect(textOf(message({ kind: 'test', alerts: [] }))).toBe('Notifications reach this channel.\n')
    expect(htmlOf(message({ kind: 'test', alerts: [] }))).toContain('Notifications reach this channel.')
  })
})

test('a chat’s own marks in a title do nothing', () => {
  const made = JSON.stringify(slackOf(message({ alerts: [told({ title: hostile, culprit: hostile })] })))
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
