import { describe, expect, test } from 'vitest'
import { plainSettings } from '../pipeline/fixture.cases.ts'
import { makeRules, rulesKey, secretNames, secretParts } from './rules.ts'

const rules = makeRules(plainSettings)
const ruleOf = (name: string, settings: Partial<typeof plainSettings> = {}) =>
  makeRules({ ...plainSettings, ...settings }).about(name).rule

describe('secret names', () => {
  test.each([...secretParts])('%s, also as a part of a name', (part) => {
    for (const name of [part, part.toUpperCase(), `my${part}`, `${part}s`]) expect(ruleOf(name)).toBe('@password')
  })
  test.each([...secretNames].filter((name) => !secretParts.some((part) => name.includes(part))))('%s', (name) => {
    for (const written of [name, name.toUpperCase()]) expect(ruleOf(written)).toBe('@session')
  })
  test.each([
    ['csrf_cookie_name', '@session'],
    ['xsrf.id', '@session'],
    ['_csrf_1', '@session'],
    // Names of people and hosts.
    ['author', undefined],
    ['Author_Name', undefined],
    [':authority', undefined],
    ['authority', undefined],
    // Only whole names.
    ['sids', undefined],
    ['my_sid', undefined],
    ['sessions', undefined],
    ['not_csrf', undefined],
    ['laravel_sessions', undefined],
    ['', undefined],
  ])('%s: %s', (name, rule) => expect(ruleOf(name)).toBe(rule))
  test.each([
    ['pa\u017f\u017fword', '@password'],
    ['AP\u0131_KEY', '@password'],
    ['\u017fid', '@session'],
  ])('%s, in another case', (name, rule) => expect(ruleOf(name)).toBe(rule))
})

describe('names in forms and encoded queries', () => {
  test.each([
    ['user[sid]', '@session'],
    ['user[0][otp]', '@session'],
    ['user%5Bsid%5D', '@session'],
    ['user%255Bsid%255D', '@session'],
    ['%73id', '@session'],
    ['%53ID', '@session'],
    ['pass%77ord', '@password'],
    ['to%3D%2Fx%3Fotp', '@session'],
    ['a%26otp', '@session'],
    ['a%3Botp', '@session'],
    ['a%2C%20otp', '@session'],
    // No form and no encoding: the name is whole.
    ['last sid', undefined],
    ['a/sid', undefined],
    ['a;otp', undefined],
    ['user[side]', undefined],
    ['100%', undefined],
    // Letters beyond ASCII are no letters of a secret name.
    ['%f3id', undefined],
  ])('%s: %s', (name, rule) => expect(ruleOf(name)).toBe(rule))
})

describe('settings of a project', () => {
  test.each<[string, Partial<typeof plainSettings>, string, string | undefined]>([
    ['defaults off', { scrubDefaults: false }, 'password', undefined],
    ['defaults off', { scrubDefaults: false }, 'sid', undefined],
    ['a word of your own', { sensitiveFields: ['colour'] }, 'MyColours', '@sensitive'],
    ['with spaces and in capitals', { sensitiveFields: [' Colour\t'] }, 'colour', '@sensitive'],
    ['with defaults off', { sensitiveFields: ['colour'], scrubDefaults: false }, 'colour', '@sensitive'],
    ['part of a form name', { sensitiveFields: ['colour'] }, 'my[%43olour]', '@sensitive'],
    ['an empty word has no effect', { sensitiveFields: ['', ' '] }, 'size', undefined],
    ['a second word', { sensitiveFields: ['size', 'colour'] }, 'colour', '@sensitive'],
    ['your own word comes before a harmless name', { sensitiveFields: ['auth'] }, 'author', '@sensitive'],
    ['a safe field', { safeFields: ['secret_sauce'] }, 'Secret_Sauce', undefined],
    ['a safe field with spaces and in capitals', { safeFields: [' Secret_SAUCE '] }, 'secret_sauce', undefined],
    ['only the whole name is safe', { safeFields: ['secret'] }, 'secret_sauce', '@password'],
    ['a safe form name', { safeFields: ['user[password]'] }, 'user[password]', undefined],
    // "safe" also holds for a part of a form name that only the parts make secret.
    ['a safe form name', { safeFields: ['user[sid]'] }, 'user[sid]', undefined],
    ['a safe field comes before a word of your own', { safeFields: ['a'], sensitiveFields: ['a'] }, 'a', undefined],
  ])('%s: %j, %s is %s', (_, settings, name, rule) => expect(ruleOf(name, settings)).toBe(rule))

  test('words of your own in a text, in any case', () => {
    const { byText } = makeRules({ ...plainSettings, sensitiveFields: ['Blue', 'red'] })
    expect(['the BLUE one', 'a red one', 'a green one'].map((text) => byText?.(text))).toEqual([true, true, false])
    expect(rules.byText).toBeUndefined()
    expect(makeRules({ ...plainSettings, sensitiveFields: [' '] }).byText).toBeUndefined()
  })

  test('settings that change a rule make a new key', () => {
    const changes: Partial<typeof plainSettings>[] = [
      {},
      { scrubDefaults: false },
      { scrubIpAddresses: true },
      { sensitiveFields: ['a'] },
      { safeFields: ['a'] },
    ]
    const keys = changes.map((change) => rulesKey({ ...plainSettings, ...change }))
    expect(new Set(keys).size).toBe(changes.length)
    expect(rulesKey({ ...plainSettings, projectId: 8, organizationId: 9 })).toBe(keys[0])
  })
})

test.each([
  ['User-Agent', true, false],
  ['HTTP_USER_AGENT', true, false],
  ['trace_id', true, false],
  ['X-Forwarded-For', false, true],
  ['REMOTE_ADDR', false, true],
  ['client.address', false, true],
  ['address', false, false],
])('%s: stays unchanged %s, is a network address %s', (name, exempt, address) => {
  expect(rules.about(name)).toEqual({ rule: undefined, exempt, address })
})

test('answers are remembered for at most 5,000 names', () => {
  const { about } = makeRules(plainSettings)
  const first = about('name 0')
  for (let i = 1; i < 5000; i++) about(`name ${i}`)
  expect(about('name 0')).toBe(first)
  about('name 5000')
  expect(about('name 0')).not.toBe(first)
  expect(about('name 5000')).toBe(about('name 5000'))
  expect(about('name 0')).toEqual(first)
})
