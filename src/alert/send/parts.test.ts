import { describe, expect, test } from 'vitest'
import { alerted, message } from '../message/message.cases.ts'
import { chatParts, incidentKey, inert, markdownOf, plainOf } from './parts.ts'

const facts = {
  users: 12,
  sourceLine: { file: 'app/page.ts', line: 12, text: 'const x = y()' },
  since: { release: 'web@2', suspects: [{ id: 'abcdef123456', message: 'Change x', author: 'Ann' }] },
  common: [
    { key: 'browser', value: 'Safari', share: 0.834 },
    { key: 'os', value: 'iOS', share: 0.5 },
  ],
  browserSide: { events: 5, people: 3 },
  advice: 'Check that x is a function.',
}

describe('the parts of a message', () => {
  test('about one issue are what a person needs to act', () => {
    expect(chatParts(message({ alerts: [{ ...alerted(), facts }] }))).toEqual({
      headline: 'New issue WEB-7: TypeError: x is not a function',
      open: 'https://m.test/o/acme/issues/7',
      lines: [
        'app/page',
        'web · web@2 · 3 events',
        'app/page.ts:12 const x = y()',
        '12 users',
        'since web@2, suspect commits: abcdef1 Change x (Ann)',
        'more often: browser Safari 83%, os iOS 50%',
        '5 browser errors of 3 people follow from it',
        'Check that x is a function.',
      ],
      items: [],
      more: '',
      acknowledge: undefined,
    })
  })

  test('leave out what is not known', () => {
    const alert = alerted({ culprit: '', lastRelease: '', count: 1 })
    const known = { users: 1, since: { release: 'web@1', suspects: [] }, common: [] }
    expect(chatParts(message({ alerts: [{ ...alert, facts: known }] })).lines).toEqual([
      'web · 1 event',
      '1 user',
      'since web@1',
    ])
  })

  test('of a summary are a link for each issue, and the number of the others', () => {
    const alerts = [alerted(), alerted({ id: 8, shortId: 'WEB-8' }, 'regression')]
    const { lines, items, more } = chatParts(message({ kind: 'summary', alerts, more: 4 }))
    expect(lines).toEqual(['Too many issues are new at once for single messages. New since the last message:'])
    expect(items.map(({ title, url }) => [title, url])).toEqual([
      ['New issue WEB-7: TypeError: x is not a function', 'https://m.test/o/acme/issues/7'],
      ['Regression WEB-8: TypeError: x is not a function', 'https://m.test/o/acme/issues/8'],
    ])
    expect(more).toBe('and 4 more')
  })

  test('of a test say that messages arrive', () => {
    expect(chatParts(message({ kind: 'test', alerts: [] }))).toMatchObject({
      headline: 'Mishap: a test message from Acme',
      lines: ['Notifications reach this channel.'],
    })
  })
})

test.each([
  ['@everyone and @ nobody', '@\u200beveryone and @ nobody'],
  ['<!here> a < b', '<\u200b!here> a < b'],
  ['https://evil.test', 'https:\u200b//evil.test'],
  ['[x](y)', '[x]\u200b(y)'],
  ['see www.evil.test', 'see www.\u200bevil.test'],
  ['a plain text', 'a plain text'],
])('%j is shown as it is and has no effect', (text, expected) => {
  expect(inert(text)).toBe(expected)
  expect(inert(text).replaceAll('\u200b', '')).toBe(text)
})

test('Markdown has a link for each of our own pages', () => {
  const made = {
    ...message({ kind: 'summary', alerts: [alerted(), alerted()], more: 1 }),
    links: { open: 'https://m.test/i', acknowledge: 'https://m.test/a' },
  }
  expect(markdownOf(chatParts(made)).split('\n')).toEqual([
    '**[2 more issues in Acme](https://m.test/i)**'.replace('2', '3'),
    'Too many issues are new at once for single messages. New since the last message:',
    '- [New issue WEB-7: TypeError: x is not a function](https://m.test/o/acme/issues/7)',
    'app/page',
    'web · web@\u200b2 · 3 events',
    '- [New issue WEB-7: TypeError: x is not a function](https://m.test/o/acme/issues/7)',
    'app/page',
    'web · web@\u200b2 · 3 events',
    'and 1 more',
    '[Acknowledge](https://m.test/a)',
  ])
})

test('plain text has the addresses', () => {
  expect(plainOf(chatParts(message({ kind: 'summary', alerts: [alerted(), alerted()] })))).toContain(
    'New issue WEB-7: TypeError: x is not a function\n  app/page\n  web · web@2 · 3 events\n  https://m.test/o/acme/issues/7\n',
  )
})

test.each([
  ['an incident', { kind: 'incident' as const, incidentId: 3 }, 'mishap-m.test-incident-3'],
  ['an issue', {}, 'mishap-m.test-issue-7'],
  ['a summary', { kind: 'summary' as const }, 'mishap-m.test-delivery-9'],
])('on-call services join the messages of %s by its key', (_says, change, expected) => {
  expect(incidentKey({ ...message(), ...change })).toBe(expected)
})
