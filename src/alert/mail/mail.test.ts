import { describe, expect, test } from 'vitest'
import { hostileTexts } from '../message/hostile.cases.ts'
import { alerted, message } from '../message/message.cases.ts'
import type { Message } from '../message/message.ts'
import { renderMail } from './document.ts'
import { mailOf } from './message-mail.ts'

const factsOf = (text: string) => ({
  users: 12,
  sourceLine: { file: text || 'src/cart.ts', line: 42, text },
  since: { release: text || 'web@2', suspects: [{ id: 'a1b2c3d4e5', message: text, author: text }] },
  common: [{ key: text || 'browser', value: text, share: 0.934 }],
  browserSide: { events: 3, people: 1 },
  advice: text || 'Check the cart.',
})
const incident = (change: Partial<Message> = {}): Message => ({
  ...message({ alerts: [alerted()] }),
  kind: 'incident',
  change: 'end',
  level: 'ok',
  rule: { id: '4', name: 'Checkout <b>errors</b>' },
  incidentId: 8,
  headline: 'Ended: Checkout errors',
  sentence: 'The incident ended after 2 h 5 min.',
  measure: { label: 'Failure rate', value: 7.256, threshold: 5, unit: '%', windowMinutes: 60, durationMs: 7_500_000 },
  links: {
    open: 'https://m.test/o/acme/incidents/8',
    acknowledge: 'https://m.test/acknowledge?token=a&b=1',
    unsubscribe: 'https://m.test/api/0/unsubscribe/?token=v1.x',
  },
  ...change,
})

describe('plain text', () => {
  test('names the issue, the place and the address', () => {
    expect(mailOf(message()).text).toBe(
      'New issue WEB-7: TypeError: x is not a function\n  in app/page\n  web · web@2 · 3 events\n  https://m.test/o/acme/issues/7\n',
    )
  })
  test('of a summary says why it is one and what it leaves out', () => {
    const { text } = mailOf(message({ kind: 'summary', alerts: [alerted({ count: 1 })], more: 4 }))
    expect(text).toContain('Too many issues are new at once')
    expect(text).toContain('1 event\n')
    expect(text).toContain('and 4 more\n  https://m.test/o/acme/issues')
  })
  test('of a test has no issue', () => {
    expect(mailOf(message({ kind: 'test', alerts: [] })).text).toBe('Notifications reach this channel.\n')
  })
  test('has the facts, one line each', () => {
    const { text } = mailOf(message({ alerts: [{ ...alerted(), facts: factsOf('') }] }))
    expect(text).toContain(
      [
        'Users: 12 users',
        'Line: src/cart.ts:42',
        'Since: release web@2',
        'Suspect: a1b2c3d4',
        'In common: browser is  (93%)',
        'In browsers: 3 errors of 1 user',
        'What to do: Check the cart.',
      ].join('\n'),
    )
  })
  test('of an incident has value, limit, window, duration and the links', () => {
    expect(mailOf(incident()).text).toBe(
      [
        'The incident ended after 2 h 5 min.',
        'Measure: Failure rate\nValue: 7.26 %\nLimit: 5 %\nWindow: 1 h\nLasted: 2 h 5 min',
        'Main issues\n-----------',
        'New issue WEB-7: TypeError: x is not a function\n  in app/page\n  web · web@2 · 3 events\n  https://m.test/o/acme/issues/7',
        'Open the incident:\nhttps://m.test/o/acme/incidents/8',
        'Acknowledge:\nhttps://m.test/acknowledge?token=a&b=1',
        'Sent by the alert rule Checkout <b>errors</b> of Acme.',
        'Stop these mails: https://m.test/unsubscribe?token=v1.x\n',
      ].join('\n\n'),
    )
  })
})

describe('HTML', () => {
  test('says the same as the plain text', () => {
    const { html } = mailOf(incident())
    for (const part of [
      'The incident ended after',
      'Failure rate',
      '7.26 %',
      'Main issues',
      'Checkout &lt;b&gt;errors&lt;/b&gt; of Acme',
      'href="https://m.test/acknowledge?token=a&amp;b=1"',
      'href="https://m.test/unsubscribe?token=v1.x"',
    ])
      expect(html).toContain(part)
    expect(html).not.toMatch(/<img|<script|<link|src=|@import|url\(/)
  })

  test.each(hostileTexts)('$name adds no element and no link', ({ text }) => {
    const made = message({ alerts: [{ ...alerted({ title: text, culprit: text }), facts: factsOf(text) }] })
    const { subject, html, text: plain } = mailOf(made)
    // The same elements as for harmless texts, however often.
    const elements = new Set(html.match(/<\/?[a-z]\w*/gi))
    const known = new Set(
      mailOf(message({ alerts: [{ ...alerted(), facts: factsOf('x') }] })).html.match(/<\/?[a-z]\w*/gi),
    )
    expect([...elements].filter((name) => !known.has(name))).toEqual([])
    for (const [, address] of html.matchAll(/href="([^"]*)"/g)) expect(address).toBe('https://m.test/o/acme/issues/7')
    // Mail programs make links of bare addresses, too.
    expect(`${subject}${html}${plain}`).not.toMatch(/:\/\/evil/)
    expect(html.length).toBeLessThan(20_000)
    expect(`${html}${plain}`).not.toMatch(/[\r\0\u202a-\u202e\u2066-\u2069]/)
    expect(plain.length).toBeLessThan(4_000)
  })

  test('quotes and headings of people stay text', () => {
    const { html } = renderMail({
      subject: '<i>s</i>',
      level: 'none',
      blocks: [
        { kind: 'heading', text: '<i>h</i>' },
        { kind: 'quote', lines: ['<i>q</i>', '"'] },
        { kind: 'link', href: 'https://m.test/?a="><i>' },
      ],
      footer: ['<i>f</i>'],
    })
    expect(html).not.toContain('<i>')
    expect(html).toContain('&lt;i&gt;q&lt;/i&gt;<br>')
  })
})
