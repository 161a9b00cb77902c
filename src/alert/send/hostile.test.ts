import { describe, expect, test } from 'vitest'
import { hostileTexts } from '../message/hostile.cases.ts'
import { alerted, message } from '../message/message.cases.ts'
import { services } from './services.cases.ts'
import { transports } from './transports.ts'

const facts = (text: string) => ({
  users: 3,
  sourceLine: { file: text, line: 3, text },
  since: { release: text, suspects: [{ id: text, message: text, author: text }] },
  common: [{ key: 'browser', value: text, share: 0.8 }],
  advice: text,
})

/** All texts of a body, without the values that no service interprets. */
function textsIn(value: unknown, name = ''): { name: string; text: string }[] {
  if (typeof value === 'string') return [{ name, text: value }]
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, name))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => textsIn(item, key))
}

const markdown = /(?<!\\)\]\(([^)\s]+)/g
const slackLink = /<(https?:[^|>]+)[|>]/g
const htmlLink = /href="([^"]*)"/g
/** How each kind reads its texts. The others take plain text: on-call services, notifications and rich text runs. */
const grammars: Record<string, RegExp[]> = {
  slack: [slackLink],
  slack_app: [slackLink],
  discord: [markdown],
  mattermost: [markdown],
  rocketchat: [markdown],
  google_chat: [slackLink],
  telegram: [htmlLink],
}

/** Addresses that a service opens: those of link fields, and those of its markup. */
function linksIn(kind: string, body: unknown): string[] {
  const fields = ['url', 'click', 'href', 'title_link', 'client_url']
  return textsIn(body).flatMap(({ name, text }) =>
    fields.includes(name)
      ? [text]
      : (grammars[kind] ?? []).flatMap((grammar) => [...text.matchAll(grammar)].map((found) => found[1] ?? '')),
  )
}

const formats = services.map(({ kind, config }) => ({ kind, config }))

describe.each(formats)('$kind', ({ kind, config }) => {
  test.each(hostileTexts)('$name pings nobody and leads nowhere else', ({ text }) => {
    const alerts = [alerted({ title: text, culprit: text, lastRelease: text })].map((alert) => ({
      ...alert,
      facts: facts(text),
    }))
    for (const made of [message({ alerts }), message({ kind: 'summary', alerts: [...alerts, ...alerts] })]) {
      const body = transports[kind].format({ ...made, sentence: text }, config, 9)
      for (const link of linksIn(kind, body)) expect(link).toMatch(/^https:\/\/m\.test\//)
      for (const { text: shown } of textsIn(body)) {
        expect(shown).not.toMatch(/[\u202e\u2066\0\r]/)
        if (!(kind in grammars)) continue
        expect(shown).not.toMatch(/@(everyone|here|channel|all|room|admin|SUM)/)
        expect(shown).not.toMatch(/<[!@#]|<users\/|<at>|<mailto:/)
        expect(shown).not.toMatch(/https:\/\/evil/)
      }
      expect(JSON.stringify(body).length).toBeLessThan(40_000)
    }
  })
})

test('Google Chat gets no tag in a card', () => {
  const alerts = [alerted({ title: '<a href="https://evil.test">x</a> <users/all>' })]
  const { cardsV2 } = transports.google_chat.format(message({ alerts }), {}, 9) as { cardsV2: unknown }
  expect(textsIn(cardsV2).filter(({ text }) => text.includes('<'))).toEqual([])
})

test('Teams gets plain runs only, and no mention', () => {
  const body = JSON.stringify(
    transports.teams.format(message({ alerts: [alerted({ title: '[x](https://evil.test) <at>all</at>' })] }), {}, 9),
  )
  expect(body).not.toMatch(/"TextBlock"|entities/)
})

test('Telegram shows event texts as code, where it links nothing', () => {
  const { text } = transports.telegram.format(message({ alerts: [alerted({ title: 'evil.test <b>' })] }), {}, 9) as {
    text: string
  }
  expect(text).toContain('<code>New issue WEB-7: evil.test &lt;\u200bb&gt;</code>')
  expect(text.replace(/<code>[^<]*<\/code>|<a href="https:\/\/m\.test\/[^"]*">[^<]*<\/a>|\n/g, '')).toBe('')
})

test('a field of a form creates no header', () => {
  for (const token of ['tk_a\r\nX-Evil: 1', 'tk a'])
    expect(() => transports.ntfy.check({ target: 'https://ntfy.sh/t', token })).toThrow(
      expect.objectContaining({ code: 'VALIDATION' }),
    )
  expect(() => transports.opsgenie.check({ key: `${'a'.repeat(20)}\nX: y`, region: 'us' })).toThrow(
    expect.objectContaining({ code: 'VALIDATION' }),
  )
})
