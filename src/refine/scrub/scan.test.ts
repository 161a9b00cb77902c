import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { randomOf } from '../../random.cases.ts'
import { refineBody, refineEvent } from '../pipeline/fixture.cases.ts'
import { secretNames, secretParts } from './rules.ts'
import { scan } from './scan.ts'

const scanned = (text: string) => scan(Buffer.from(text))
const harmless = (value: unknown) => scanned(JSON.stringify(value))

describe('suspect', () => {
  test.each([...secretNames, ...secretParts])('name %s, wherever it stands', (name) => {
    for (const entry of [name, name.toUpperCase()]) {
      expect(harmless({ [entry]: 'x' })).toBe(false)
      expect(harmless({ tags: [[` ${entry} `, 'x']] })).toBe(false)
      expect(harmless({ url: `/p?a=1&${entry}=x` })).toBe(false)
      expect(harmless({ message: `first\n${entry}=x` })).toBe(false)
      expect(harmless({ message: JSON.stringify({ [entry]: 'x' }) })).toBe(false)
    }
    if (secretParts.some((part) => name.includes(part))) expect(harmless({ [`my${name}s`]: 'x' })).toBe(false)
  })

  test.each([
    '"api key"',
    '"api/key"',
    '"private–key"',
    '"two factor"',
    '"set cookie"',
    '"to\u212aen"',
    '"a%40b"',
    '"%74oken"',
    '"user%5Bsid%5D=1"',
    '"%2F%2Fbob:pw@host"',
    '"4111%201111"',
    '"to%25x"',
    '"bearer%20abc"',
    '"\\u0061uth"',
    '"\\\\u0061uth"',
    '"Bearer abc"',
    '"bearer+abc"',
    '"bearer\\nabc"',
    '"-----BEGIN RSA"',
    '"https://bob:pw@h/"',
    '"https:\\/\\/bob@h\\/"',
    '"4111 1111 1111 1111"',
    '"4111+1111-1111 1111"',
    '"4111\\r\\n1111\\n1111\\n1111"',
    '"12 4111111111111"',
    '"078-05-1120"',
    '{"a":4111111111111111}',
    '[4.111e15]',
    '[4E15]',
    '\ufeff{}',
    '"/p?q=by%204111111111111111"',
    '"/p?n%3D4111111111111111"',
    '"/p?q=with%20ghp_a1B2c3D4"',
    '"/p?q=of%20219-09-9999"',
    '"/p?q=onto%20NO9386011117947"',
    '"/p?q=sent%20Bearer%20abc"',
    '"/p?to=https%3A%2F%2Fann%3Apw%40db.test"',
  ])('%s', (text) => expect(scanned(text)).toBe(false))

  test.each([
    'AKIA',
    'ASIA',
    'ghp_',
    'gho_',
    'ghu_',
    'ghs_',
    'ghr_',
    'github_pat_',
    'glpat-',
    'sk_live_',
    'rk_test_',
    'xoxb-',
    'xapp-',
    'npm_',
    'AIza',
    'SG.',
    'eyJ',
    'sk-',
  ])('a key that begins with %s', (start) => {
    for (const before of ['', ' ', '=', '%20', 'a\n'])
      expect(harmless({ message: `${before}${start}A1b2C3` })).toBe(false)
  })
})

describe('harmless', () => {
  test.each([
    'BrowserSession',
    'inside a option',
    'https://cdn.example/@scope/x?a=1&b=2#c',
    'mail bob@shop.example',
    '2026-11-21T09:37:21.849Z',
    '1795253841821',
    'de7efe0d12a546bf8b3880c851946613',
    'crumb 112, a = b, 50 % of it',
    '/p?to=%2Fx%3Fa%3D1%26b%3D%22c%22&d=%C3%BC&e=a%20b',
    'Zürich, 日本, 🦀',
    'C:\\program files\\x',
    'node_modules/.pnpm/a@1.2.3/x.js',
    '',
  ])('%s', (text) => {
    expect(harmless({ a: text, n: [1, 2.5, -3, true, null] })).toBe(true)
  })
})

const bits =
  'a |step |=| |: |"|\\|\n|-|+|/|.|@|?|#|%|%20|1|42|4111|11|4111111111111|078|05|1120|id|s|e|key|api|_|two|factor|sid|session|otp|set|cookie|bearer|tok|en|pass|word|to|ken|au|th|se|cret|pwd|c|srf|http|://|bob|Bearer |ü|\u212a|İ|ſ|ı|日|🦀|{|}|[|]|,|;|&|5e15|\\u|{"a":1}|BEGIN|-----|%s|%74|%5B|%5D|%2F|%3A|%40|%2D|%3D|%26|%C5%BF|\x27|\x27:|\\"'.split(
    '|',
  )

describe('the short way and the long way agree', () => {
  const random = randomOf(20261121)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const word = () => Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(bits)).join('')
  const value = (): unknown => {
    const die = random()
    if (die < 0.7) return word()
    if (die < 0.8) return Math.floor(random() * 1e16)
    if (die < 0.9) return { [word()]: word() }
    return [word(), { key: word(), value: word() }, [word(), word()]]
  }
  const parts = () => ({
    platform: pick(['javascript', 'python', 'php']),
    message: pick([word(), { message: `${word()}%s`, params: [word()] }]),
    tags: pick([{ [word()]: value() }, [[word(), value()]]]),
    extra: { [word()]: value() },
    user: { id: word(), [word()]: value() },
    request: {
      url: `https://a.example/${word()}?${word()}=${word()}`,
      method: word(),
      headers: pick([{ [word()]: word(), Cookie: word() }, `${word()}: ${word()}\n${word()}: ${word()}`]),
      query_string: word(),
      data: pick([word(), JSON.stringify({ [word()]: value() }), { [word()]: value() }]),
    },
    contexts: { [word()]: { [word()]: value() } },
    exception: { values: [{ type: word(), value: word(), stacktrace: { frames: [{ vars: { [word()]: value() } }] } }] },
    breadcrumbs: [{ message: word(), data: { [word()]: value() } }],
  })
  /** Only a few parts: an event with all of them always contains something suspect. */
  const made = () => {
    const all = Object.entries(parts())
    return Object.fromEntries(Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(all)))
  }

  /** Line breaks between values make the same event take both walks. */
  const long = (event: unknown) => JSON.stringify(event, undefined, 1)
  const head = { eventId: '0'.repeat(31).concat('1') }

  test('events of signs that matter', () => {
    let short = 0
    // The mutation tester runs this test once per change.
    const rounds = process.env.MISHAP_MUTATE_TESTS === undefined ? 2000 : 200
    for (let i = 0; i < rounds; i++) {
      const event = made()
      if (harmless(event)) short++
      const [a, b] = [refineEvent(JSON.stringify(event), head), refineEvent(long(event), head)]
      expect([a.row, a.effect]).toEqual([b.row, b.effect])
    }
    expect(short).toBeGreaterThan(rounds / 10)
  })

  test('recorded envelopes', () => {
    const folder = 'fixtures/envelopes'
    const names = readdirSync(folder).filter((name) => name.endsWith('event.envelope'))
    let short = 0
    for (const name of names) {
      const body = readFileSync(`${folder}/${name}`).toString()
      const lines = body.trimEnd().split('\n')
      const event: unknown = JSON.parse(lines.at(-1) ?? '')
      if (harmless(event)) short++
      const longBody = [
        ...lines.slice(0, -2),
        `{"type":"event","length":${Buffer.byteLength(long(event))}}`,
        long(event),
      ]
      expect(refineBody(body).events[0]?.row).toEqual(refineBody(longBody.join('\n')).events[0]?.row)
    }
    expect(short).toBeGreaterThan(names.length / 3)
  })
})

test.each(['@', '1 ', '1-', '0 0 0', 'session', 'cookie', '\\\\', '{"', 'd', '%'])(
  'a megabyte of nothing but %j is read to its end, and harmless',
  (text) => {
    expect(scan(Buffer.from(text.repeat(1_000_000 / text.length)))).toBe(true)
    const secret = `${text.repeat(1000)}"password":"x"`
    expect(scan(Buffer.from(secret))).toBe(false)
  },
)

describe('letters that fold to ASCII', () => {
  test.each([
    ['the Kelvin sign', 'to\u212aen'],
    ['the dotless i', 'ap\u0131key'],
    ['the long s', '\u017fecret'],
  ])('%s is suspect, in a name and in a text', (_name, text) => {
    expect([harmless({ [text]: 'x' }), harmless({ message: text })]).toEqual([false, false])
  })
  // The same first byte of UTF-8, or the same first and third, with another byte between.
  test.each(['\u2122', '\u2eaa', '\u20ac', '\u201c', '\u0130', '\u0134', '\u017e', '\u0161'])('%s is not', (letter) => {
    expect(harmless({ message: `a${letter}b` })).toBe(true)
  })
})
