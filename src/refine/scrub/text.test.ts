import { describe, expect, test } from 'vitest'
import { randomOf } from '../../random.cases.ts'
import { plainSettings } from '../pipeline/fixture.cases.ts'
import { makeRules } from './rules.ts'
import { scrubText } from './text.ts'

const rules = makeRules(plainSettings)
const cut = (text: string) => scrubText(text, rules)?.text ?? text

describe('which rule changed a text', () => {
  test.each([
    ['-----BEGIN PRIVATE KEY-----abc', '@pemkey'],
    ['Bearer abcd', '@bearer'],
    ['https://a@b.example', '@urlauth'],
    ['https%3A%2F%2Fann%3Apw%40db.test', '@urlauth'],
    [`${'AKIA'}IOSFODNN7EXAMPLE`, '@apikey'],
    ['NO9386011117947', '@iban'],
    ['4111111111111111', '@creditcard'],
    ['078-05-1120', '@creditcard'],
    ['token=a', '@password'],
    ['token%3Da', '@password'],
    ['"token":"a"', '@password'],
    // The first one.
    ['token=a https://a@b.example', '@urlauth'],
  ])('%s: %s', (text, rule) => expect(scrubText(text, rules)?.rule).toBe(rule))
})

describe('settings of a project', () => {
  const off = makeRules({ ...plainSettings, scrubDefaults: false, sensitiveFields: ['colour'] })
  test.each([
    ['Bearer abcdef', undefined],
    [`${'AKIA'}IOSFODNN7EXAMPLE https://a:b@c.example 4111111111111111`, undefined],
    ['token=a', undefined],
    ['my colour', { text: '[Filtered]', rule: '@sensitive' }],
  ])('defaults off, a word of your own: %s: %j', (text, expected) => expect(scrubText(text, off)).toEqual(expected))
})

describe('bearer tokens', () => {
  test.each([
    ['BEARER abcd', 'BEARER [Filtered]'],
    ['bEARER+abcd', 'bEARER+[Filtered]'],
    ['Bearer abc', 'Bearer abc'],
    ['unbearer abcd', 'unbearer abcd'],
  ])('%s: %s', (text, expected) => expect(cut(text)).toBe(expected))
})

describe('users in URLs', () => {
  test.each([
    ['https%3A%2F%2Fann%3Apw%40db.test', 'https%3A%2F%2F[Filtered]%40db.test'],
    ['to=https%3a%2f%2fann%40db.test', 'to=https%3a%2f%2f[Filtered]%40db.test'],
    ['HTTPS://ann@db.test', 'HTTPS://[Filtered]@db.test'],
    ['%3A%2F%2Fann%40db.test', '%3A%2F%2Fann%40db.test'],
    ['https://db.test/a@b', 'https://db.test/a@b'],
    ['https://db.test ann@db.test', 'https://db.test ann@db.test'],
  ])('%s: %s', (text, expected) => expect(cut(text)).toBe(expected))
})

/** The ten numbers of `length` digits that begin with `prefix` and differ only in the last digit. */
const numbers = (prefix: string, length: number) =>
  Array.from({ length: 10 }, (_, last) => `${prefix.padEnd(length - 1, '1234567890')}${last}`)

describe('card numbers', () => {
  const issuers = ['4', '51', '52', '53', '54', '55', '22', '23', '24', '25', '26', '27', '6011', '65', '34', '37']
  test.each(issuers)('begin with %s: one last digit of ten is right', (prefix) => {
    for (const length of [13, 14, 15, 16, 17, 18, 19])
      expect(numbers(prefix, length).filter((number) => cut(`card ${number}.`) === 'card [Filtered].')).toHaveLength(1)
  })
  test.each(issuers)('%s: not with 12 or 20 digits', (prefix) => {
    for (const number of [...numbers(prefix, 12), ...numbers(prefix, 20)]) expect(cut(number)).toBe(number)
  })
  test.each(['1', '21', '28', '35', '36', '50', '56', '60', '6012', '64', '7', '8', '9', '0'])(
    'no issuer has %s',
    (prefix) => {
      for (const number of numbers(prefix, 16)) expect(cut(number)).toBe(number)
    },
  )
  test.each([
    ['4111111111111111. Next', '[Filtered]. Next'],
    ['4111111111111111.5', '4111111111111111.5'],
    ['0.4111111111111111', '0.4111111111111111'],
    ['id_4111111111111111', 'id_4111111111111111'],
    ['4111111111111111-1', '4111111111111111-1'],
    ['4111  1111 1111 1111', '4111  1111 1111 1111'],
  ])('%s: %s', (text, expected) => expect(cut(text)).toBe(expected))
})

describe('social security numbers', () => {
  test.each([
    ['a 078-05-1120 b', 'a [Filtered] b'],
    ['000-05-1120', '000-05-1120'],
    ['666-05-1120', '666-05-1120'],
    ['900-05-1120', '900-05-1120'],
    ['078-00-1120', '078-00-1120'],
    ['078-05-0000', '078-05-0000'],
    ['1078-05-1120', '1078-05-1120'],
    ['078-05-11201', '078-05-11201'],
  ])('%s: %s', (text, expected) => expect(cut(text)).toBe(expected))
})

describe('name=value', () => {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
  test('a name has letters, digits and some signs', () => {
    const others = [...ascii, '\u00fc', '\u0130', '\u017e', '\u017f', '\u0131', '\u0132'].filter((sign) => sign !== '=')
    const signs = others.filter((sign) => cut(`token${sign}=a`) !== `token${sign}=a`)
    expect(signs.join('')).toBe('%-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ[]_abcdefghijklmnopqrstuvwxyz\u017f\u0131')
  })
  test('a value ends at some signs', () => {
    const ends = ascii.filter((sign) => cut(`token=a${sign}b`) !== 'token=[Filtered]')
    expect(ends.join('')).toBe('\t\n\r "#&\x27,;')
  })
  test.each([
    // The last 64 characters before the sign are the name.
    [`${'token'.padEnd(64, '_')}=a`, `${'token'.padEnd(64, '_')}=[Filtered]`],
    [`${'token'.padEnd(65, '_')}=a`, `${'token'.padEnd(65, '_')}=a`],
    ['=1&token=a', '=1&token=[Filtered]'],
    ['token==a', 'token=[Filtered]'],
    ['token=a=b&sid=c', 'token=[Filtered]&sid=[Filtered]'],
    ['token=a%26b&c=1', 'token=[Filtered]&c=1'],
    ['token=&a=1', 'token=&a=1'],
    ['token=', 'token='],
    ['token=[Filtered]', 'token=[Filtered]'],
    ['token=[Filtered]a', 'token=[Filtered]'],
    ['token=[Filtered]&sid=a', 'token=[Filtered]&sid=[Filtered]'],
    ["token='a b' c", 'token=[Filtered] c'],
    ['token="a b" c', 'token=[Filtered] c'],
    ['token="a b', 'token=[Filtered]'],
    ['token=""', 'token=[Filtered]'],
    ['token="a"sid=b', 'token=[Filtered]sid=[Filtered]'],
    ['token%3Da', 'token%3D[Filtered]'],
    ['token%3da%26b', 'token%3d[Filtered]%26b'],
    ['token%3Da%26sid%3Db%26c%3Dd', 'token%3D[Filtered]%26sid%3D[Filtered]%26c%3Dd'],
    ['%3D%26token%3Da', '%3D%26token%3D[Filtered]'],
    ['a=token', 'a=token'],
    ['token = a', 'token = a'],
  ])('%s: %s', (text, expected) => {
    expect(cut(text)).toBe(expected)
    expect(scrubText(text, rules) === undefined).toBe(text === expected)
  })
})

describe('"name": value', () => {
  test.each([
    [`"${'token'.padEnd(64, '_')}":"a"`, `"${'token'.padEnd(64, '_')}":"[Filtered]"`],
    [`"${'token'.padEnd(65, '_')}":"a"`, `"${'token'.padEnd(65, '_')}":"a"`],
    ['":1,"token":"a"', '":1,"token":"[Filtered]"'],
    ['{"token":   "a"}', '{"token":   "[Filtered]"}'],
    ['{"token":"[Filtered]"}', '{"token":"[Filtered]"}'],
    ['{"token":"[Filtered]a"}', '{"token":"[Filtered]"}'],
    ['{"token":"[Filtered]","sid":"a"}', '{"token":"[Filtered]","sid":"[Filtered]"}'],
    ['{"token":""}', '{"token":"[Filtered]"}'],
    ['{"token":null,"a":12}', '{"token":null,"a":12}'],
    ['{"token":{"a":"b"}}', '{"token":{"a":"b"}}'],
    ['{"token":true}', '{"token":true}'],
    ['{"token":-1.5e+9,"a":1}', '{"token":"[Filtered]","a":1}'],
    [`{"token":${'1'.repeat(31)}}`, '{"token":"[Filtered]"}'],
    ['{"token":"password":1}', '{"token":"[Filtered]":1}'],
    ['{"token":"a","b":"c', '{"token":"[Filtered]","b":"c'],
    ['{"token":"a', '{"token":"[Filtered]'],
    // Backslashes before the closing quote: two are a backslash, three end with an escaped quote.
    ['{"token":"a\\\\","n":1}', '{"token":"[Filtered]","n":1}'],
    ['{"token":"a\\\\\\"b","n":1}', '{"token":"[Filtered]","n":1}'],
    ['{\\"token\\":\\"a \\\\\\"b\\\\\\" c\\",\\"n\\":1}', '{\\"token\\":\\"[Filtered]\\",\\"n\\":1}'],
    ['{\\"otp\\":123,\\"n\\":1}', '{\\"otp\\":\\"[Filtered]\\",\\"n\\":1}'],
    ['{\\\\\\"token\\\\\\":\\\\\\"a\\\\\\"}', '{\\\\\\"token\\\\\\":\\\\\\"[Filtered]\\\\\\"}'],
    ["{'token': u'a', 'b': 1}", "{'token': u'[Filtered]', 'b': 1}"],
    [`{"token": 'a b', "c": 1}`, `{"token": '[Filtered]', "c": 1}`],
    [`{"the 'token'": b"a"}`, `{"the 'token'": b"[Filtered]"}`],
    ["{'token': x'a'}", "{'token': x'a'}"],
    ["{'otp': 123}", "{'otp': '[Filtered]'}"],
  ])('%s: %s', (text, expected) => {
    expect(cut(text)).toBe(expected)
    expect(scrubText(text, rules) === undefined).toBe(text === expected)
  })
})

const bits =
  'token=|sid|=|@|a|Z|://|https://ann:pw@|%3A%2F%2F|https%3A%2F%2F|ann%40|%40|%3D|%3d|%20|%26|"|":|\x27|\x27:|"token":"|\\"|\\|Bearer |BEARER+|bearer%20|abcd|4111111111111111|4111 1111 |1111|078-05-1120|12|-|.| |,|&|-----BEGIN PRIVATE KEY-----|-----|DE89370400440532013000|AKIAIOSFODNN7EXAMPLE|password|[Filtered]'.split(
    '|',
  )

test('a sign that every first look searches for does not change the answer', () => {
  const random = randomOf(20261123)
  const before = '= @ :// %40 %3A%2F%2F %3D 000 -----BEGIN bearer+ sk- , '
  expect(cut(before)).toBe(before)
  for (let i = 0; i < 3000; i++) {
    const count = 1 + Math.floor(random() * 4)
    const text = Array.from({ length: count }, () => bits[Math.floor(random() * bits.length)]).join('')
    expect(cut(before + text)).toBe(before + cut(text))
  }
})
