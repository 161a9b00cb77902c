import { describe, expect, test } from 'vitest'
import { scrubIbans, scrubKeys } from './keys.ts'

const cut = (text: string) => scrubKeys(text, '#')
const banks = (text: string) => scrubIbans(text, '#')

describe('keys of vendors', () => {
  // The start is apart, so that scanners of repositories do not take these for real keys.
  test.each([
    ['AWS', 'AKIA', 'ABCDEFGHIJ234567'],
    ['GitHub', 'ghp_', 'a1B2c3'.repeat(6)],
    ['GitHub', 'github_pat_', 'a1B2c3D4_e'.repeat(2).concat('f5')],
    ['GitLab', 'glpat-', 'a1B2c3D4-e'.repeat(2)],
    ['Google', 'AIza', 'A-b_C1d'.repeat(5)],
    ['npm', 'npm_', 'a1B2c3'.repeat(6)],
    ['SendGrid', 'SG.', `${'a-B_'.repeat(4)}.${'a-B_'.repeat(4)}`],
    ['Slack', 'xoxb-', '12345-abcd'],
    ['Slack', 'xapp-', '12345-abcd'],
    ['Stripe', 'sk_live_', 'a1B2c3D4e5'],
    ['OpenAI', 'sk-', 'a1B2c3D4e5'.repeat(2)],
    ['a JSON Web Token', 'eyJ', '12345678.12345678'],
  ])('%s, %s: the shortest is replaced, one that is shorter by a character stays', (_, start, rest) => {
    const key = start + rest
    const shorter = key.slice(0, -1)
    for (const before of ['', 'a ', '(', '%20']) expect(cut(`${before}${key} b`)).toBe(`${before}# b`)
    expect(cut(`${shorter} b`)).toBe(`${shorter} b`)
    // The rest of a word is no start of a key.
    expect(cut(`a${key}`)).toBe(`a${key}`)
  })

  test.each([
    ['no capital', `${'sk-'}loading-spinner-container-2`],
    ['no digit', `${'sk-'}Loading-Spinner-Container`],
    ['no small letter', `${'sk-'}LOADING-SPINNER-CONTAINER-2`],
  ])('sk- with %s is a name', (_, name) => expect(cut(name)).toBe(name))
})

/** Every text with its check digits: `{}` stands for two digits. Of 97 in a row, exactly one has the right checksum. */
const withCheckDigits = (form: string) =>
  Array.from({ length: 97 }, (_, i) => form.replace('{}', String(i + 2).padStart(2, '0')))

describe('account numbers', () => {
  test.each([
    ['Germany, 22', 'DE{}370400440532013000'],
    ['in groups', 'DE{} 3704 0044 0532 0130 00'],
    ['with letters', 'GB{}WEST12345698765432'],
    ['Norway, the shortest', 'NO{}86011117947'],
    ['Russia, the longest', 'RU{}04452522540817810538091310419'],
    ['within a text', 'pay to DE{}370400440532013000, please'],
  ])('%s: one pair of check digits is right', (_, form) => {
    const texts = withCheckDigits(form)
    const changed = texts.filter((text) => banks(text) !== text)
    expect(changed).toHaveLength(1)
    expect(banks(changed[0] ?? '')).toBe(form.replace(/[A-Z]{2}\{\}[A-Z\d ]*/, '#'))
  })

  test.each([
    ['too short by one', 'DE{}37040044053201300'],
    ['too short by one, in groups', 'DE{} 3704 0044 0532 0130 0'],
    ['too long by one', 'DE{}3704004405320130001'],
    ['too long by a group', 'AT{}19043002345732010000'],
    ['a country without account numbers', 'XX{}370400440532013000'],
    ['a prefix of a name', 'toString{}370400440532013000'],
    ['within a word', 'aDE{}370400440532013000'],
  ])('%s: no pair of check digits is right', (_, form) => {
    for (const text of withCheckDigits(form)) expect(banks(text)).toBe(text)
  })

  test.each([
    ['AT61 1904 3002 3457 3201 FOR rent', '# FOR rent'],
    ['AT61 1904 3002 3457 3201 NEXT', '# NEXT'],
    ['from DE89 3704 0044 0532 0130 00 to NO9386011117947.', 'from # to #.'],
    ['RE24 DE89 3704 0044 0532 0130 00', 'RE24 #'],
    ['a AB12 b', 'a AB12 b'],
    ['', ''],
  ])('%s: %s', (text, expected) => expect(banks(text)).toBe(expected))
})
