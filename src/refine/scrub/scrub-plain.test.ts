import { describe, expect, test } from 'vitest'
import type { RecordHead } from '../../journal/journal.ts'
import { type Context, createTools } from '../pipeline/context.ts'
import { newDraft } from '../pipeline/draft.ts'
import { plainSettings, recordedMs, refineEvent } from '../pipeline/fixture.cases.ts'
import type { Loose } from '../pipeline/value.ts'
import { makeRules } from './rules.ts'
import { isPlain, rulesOf, scrub } from './scrub.ts'

const eventId = '0'.repeat(31).concat('1')
const head: RecordHead = {
  kind: 'store',
  receivedMs: recordedMs,
  projectId: 7,
  organizationId: 1,
  keyId: 3,
  clientAddress: '203.0.113.9',
  userAgent: '',
  origin: '',
  contentType: '',
}
const contextOf = (change: Partial<typeof plainSettings> = {}, headChange: Partial<RecordHead> = {}): Context => ({
  head: { ...head, ...headChange },
  eventId,
  sentMs: undefined,
  settings: { ...plainSettings, ...change },
  tools: createTools(),
  maps: undefined,
})

/** Scrubs a payload. `isWalked`: whether the trees were walked, which asks the rules about names. */
function run(payload: string, context = contextOf(), change: (draft: ReturnType<typeof newDraft>) => void = () => {}) {
  const draft = newDraft(JSON.parse(payload) as Loose, eventId)
  const sent = { bytes: Buffer.from(payload), text: payload }
  draft.sent = sent
  change(draft)
  let asked = 0
  const rules = makeRules(context.settings)
  const about = (name: string) => {
    asked++
    return rules.about(name)
  }
  context.tools.rulesOf.set(context.settings, { ...rules, about })
  scrub(draft, context)
  return { draft, isWalked: asked > 0, isSentKept: draft.sent === sent }
}

const plain = '{"extra":{"a":"b","c":[1,null,{"d":true}]},"tags":[["e","f"]]}'

describe('a payload without a secret is not walked and keeps its bytes', () => {
  test.each<[string, string, Partial<typeof plainSettings>, Partial<RecordHead>]>([
    ['plain', plain, {}, {}],
    ['empty', '{}', {}, {}],
    ['defaults off', plain, { scrubDefaults: false }, {}],
    ['safe fields', plain, { safeFields: ['a'] }, {}],
    ['a user agent', plain, {}, { userAgent: 'Mozilla/5.0 (X11; Linux)' }],
    ['client hints', plain, {}, { userAgent: 'Mozilla/5.0', clientHints: { 'sec-ch-ua-model': '"A"' } }],
    ['no client hints', plain, {}, { userAgent: 'Mozilla/5.0', clientHints: {} }],
  ])('%s', (_, payload, settings, headChange) => {
    const { draft, ...rest } = run(payload, contextOf(settings, headChange))
    expect(rest).toEqual({ isWalked: false, isSentKept: true })
    expect(draft.received).toEqual(JSON.parse(payload))
  })

  test.each<[string, string, Partial<typeof plainSettings>, Partial<RecordHead>]>([
    ['a name', '{"extra":{"max_tokens":5}}', {}, {}],
    ['words of your own', plain, { sensitiveFields: ['zzz'] }, {}],
    ['network addresses', plain, { scrubIpAddresses: true }, {}],
    ['a user agent', plain, {}, { userAgent: 'Mozilla/5.0 token=a' }],
    ['a user agent next to hints', plain, {}, { userAgent: 'token=a', clientHints: { 'sec-ch-ua-model': '"A"' } }],
    ['a client hint', plain, {}, { userAgent: 'Mozilla/5.0', clientHints: { 'sec-ch-ua-model': '"Bearer abcd"' } }],
    ['a client hint alone', plain, {}, { clientHints: { 'sec-ch-ua-model': '"Bearer abcd"' } }],
  ])(
    'suspect because of %s, but nothing changes: walked, and the bytes are kept',
    (_, payload, settings, headChange) => {
      const { draft, ...rest } = run(payload, contextOf(settings, headChange))
      expect(rest).toEqual({ isWalked: true, isSentKept: true })
      expect(draft.received).toEqual(JSON.parse(payload))
    },
  )

  test.each<[string, string, Partial<typeof plainSettings>]>([
    ['a secret', '{"extra":{"password":"b"}}', {}],
    ['a word of your own', '{"extra":{"colour":"b"}}', { sensitiveFields: ['colour'] }],
    ['a network address', '{"user":{"ip_address":"192.0.2.1"}}', { scrubIpAddresses: true }],
  ])('%s: walked, and the bytes are dropped', (_, payload, settings) => {
    const { draft, ...rest } = run(payload, contextOf(settings))
    expect(rest).toEqual({ isWalked: true, isSentKept: false })
    expect(draft.sent).toBeUndefined()
    expect(JSON.stringify(draft.received)).toMatch(/\[Filtered\]|\[ip\]/)
  })

  // The stored form is one line.
  test.each(['\n', '\r', '\r\n'])('a payload of several lines (%j) is written again', (line) => {
    const { draft, isWalked } = run(`{${line}"a":"b"}`)
    expect([isWalked, draft.sent]).toEqual([true, undefined])
  })

  test('a payload that was repaired has no bytes and is walked', () => {
    const { draft, isWalked } = run(plain, contextOf(), (made) => {
      made.sent = undefined
    })
    expect([isWalked, draft.sent]).toEqual([true, undefined])
  })

  test('a security report is walked, because its texts are made from several fields', () => {
    const { isWalked } = run(plain, contextOf(), (made) => {
      made.event.csp = { effective_directive: 'img-src' }
    })
    expect(isWalked).toBe(true)
    // The tag is one line: the tabs between the groups of the card number become spaces.
    const csp = { effective_directive: 'img-src', blocked_uri: '4111\t1111\t1111\t1111' }
    expect(new Map(refineEvent({ csp }).event.tags).get('blocked-uri')).toBe('[Filtered]')
  })

  test.each<[string, (inner: unknown) => unknown]>([
    ['objects', (inner) => ({ a: inner })],
    ['lists', (inner) => [inner]],
    ['the second entry of a list', (inner) => [null, inner]],
    ['the second name of an object', (inner) => ({ a: null, b: inner })],
  ])('%s: 100 levels stay, the next becomes a text', (_, wrap) => {
    const nested = (total: number) => {
      let value: unknown = 1
      for (let i = 1; i < total; i++) value = wrap(value)
      return JSON.stringify({ extra: value })
    }
    const whole = run(nested(100))
    expect([whole.isWalked, whole.isSentKept]).toEqual([false, true])
    for (const total of [101, 300]) {
      const deeper = run(nested(total))
      expect([deeper.isWalked, deeper.isSentKept]).toEqual([true, false])
      expect(JSON.stringify(deeper.draft.received)).toContain('nested too deep')
    }
  })
})

describe('user agents are remembered', () => {
  test('once each, none if there is none', () => {
    const context = contextOf()
    run(plain, context)
    expect(context.tools.plainAgents.size).toBe(0)
    run(plain, { ...context, head: { ...head, userAgent: 'Mozilla/5.0' } })
    run(plain, { ...context, head: { ...head, userAgent: 'token=a' } })
    expect(Object.fromEntries(context.tools.plainAgents.entries())).toEqual({ 'Mozilla/5.0': true, 'token=a': false })
  })
  test.each([true, false])('the answer %s is used again', (answer) => {
    const context = contextOf({}, { userAgent: 'Mozilla/5.0' })
    context.tools.plainAgents.set('Mozilla/5.0', answer)
    expect(run(plain, context).isWalked).toBe(!answer)
  })
})

describe('rules are compiled once', () => {
  test('for the same settings and for equal ones', () => {
    const context = contextOf()
    const first = rulesOf(context)
    expect(context.tools.rulesOf.get(context.settings)).toBe(first)
    expect(rulesOf(context)).toBe(first)
    expect(rulesOf({ ...context, settings: { ...plainSettings, projectId: 9 } })).toBe(first)
    expect(rulesOf({ ...context, settings: { ...plainSettings, safeFields: ['a'] } })).not.toBe(first)
  })
  test('the settings object finds them without a key', () => {
    const context = contextOf()
    const rules = makeRules(plainSettings)
    context.tools.rulesOf.set(context.settings, rules)
    expect(rulesOf(context)).toBe(rules)
    expect(context.tools.rules.size).toBe(0)
  })
})

test.each<[string, string | undefined, Partial<typeof plainSettings>, boolean]>([
  ['plain', plain, {}, true],
  ['a secret', '{"password":"a"}', {}, false],
  ['no bytes', undefined, {}, false],
  ['words of your own', plain, { sensitiveFields: ['a'] }, false],
  ['network addresses', plain, { scrubIpAddresses: true }, false],
  ['words of your own and a secret', '{"password":"a"}', { sensitiveFields: ['a'], scrubIpAddresses: true }, false],
])('bytes that no rule changes: %s', (_, text, settings, expected) => {
  const sent = text === undefined ? undefined : { text, bytes: Buffer.from(text) }
  expect(isPlain(sent, makeRules({ ...plainSettings, ...settings }))).toBe(expected)
})
