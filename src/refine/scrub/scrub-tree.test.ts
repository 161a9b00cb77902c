import { describe, expect, test } from 'vitest'
import { plainSettings, refineEvent } from '../pipeline/fixture.cases.ts'
import type { Loose, MetaNotes } from '../pipeline/value.ts'
import { makeRules } from './rules.ts'
import { scrubTree } from './scrub.ts'

const out = '[Filtered]'

/** A copy of the tree, scrubbed. `rest`: whether anything changed, and the notes. */
function scrubbed(tree: Loose, settings: Partial<typeof plainSettings> = {}) {
  const rules = makeRules({ ...plainSettings, ...settings })
  const metaNotes: MetaNotes = { path: [], meta: {}, errors: [] }
  const [noted, bare] = [structuredClone(tree), structuredClone(tree)]
  const changed = scrubTree(noted, rules, metaNotes)
  expect(scrubTree(bare, rules, undefined)).toBe(changed)
  expect(bare).toEqual(noted)
  expect(metaNotes.path).toEqual([])
  return { tree: noted, changed, meta: metaNotes.meta }
}

/** Each case: a value in `extra`, where everything is scrubbed, and the value afterwards. */
type Case = [string, unknown, unknown]
const check = (cases: Case[]) =>
  test.each(cases)('%s', (_, before, after) => {
    const { tree, changed, meta } = scrubbed({ extra: before })
    expect(tree).toEqual({ extra: after })
    const isSame = JSON.stringify(before) === JSON.stringify(after)
    expect(changed).toBe(!isSame)
    expect(Object.keys(meta)).toEqual(isSame ? [] : ['extra'])
  })

describe('names', () => {
  check([
    ['a text', { password: 'a', b: 'a' }, { password: out, b: 'a' }],
    ['a number', { otp: 12, b: 12 }, { otp: out, b: 12 }],
    ['a number of tokens', { max_tokens: 12, MaxTokens: 1 }, { max_tokens: 12, MaxTokens: 1 }],
    ['but not another number of them', { tokens_key: 12 }, { tokens_key: out }],
    ['a large number that is no card', { b: 1_000_000_000_001 }, { b: 1_000_000_000_001 }],
    ['a card as a number', { b: 4_111_111_111_111_111 }, { b: out }],
    ['a card of 13 digits as a number', { b: 4_222_222_222_222 }, { b: out }],
    ['what is no secret', { password: true, token: null, otp: '' }, { password: true, token: null, otp: '' }],
    ['what is filtered already', { password: out }, { password: out }],
    [
      'values that stay',
      { 'User-Agent': 'a token=b', trace_id: 'token=b' },
      { 'User-Agent': 'a token=b', trace_id: 'token=b' },
    ],
    ['a list', { token: ['a', 1, null, true] }, { token: [out, out, null, true] }],
    ['texts in a list', ['a', 'token=b', null, true], ['a', 'token=[Filtered]', null, true]],
    ['lists in lists', [[['token=b']]], [[['token=[Filtered]']]]],
    ['null', { a: null, b: [null] }, { a: null, b: [null] }],
  ])

  test('an own property named __proto__ is like any other', () => {
    const { tree } = scrubbed(
      JSON.parse('{"extra":{"__proto__":{"password":"a"},"b":{"__proto__":"token=a"}}}') as Loose,
    )
    expect(JSON.stringify(tree)).toBe(
      '{"extra":{"__proto__":{"password":"[Filtered]"},"b":{"__proto__":"token=[Filtered]"}}}',
    )
  })
})

describe('everything below a secret name', () => {
  check([
    [
      'keeps its shape, its type, and what has no content',
      { auth: { id: 'a', type: 'auth', n: 1, e: '', t: true, z: null, deep: { b: ['c', null] } } },
      { auth: { id: out, type: 'auth', n: out, e: '', t: true, z: null, deep: { b: [out, null] } } },
    ],
    ['a number as a type', { auth: { type: 1 } }, { auth: { type: out } }],
  ])

  test.each(['password', 'token_list', 'session'])('%s at the top of an event', (name) => {
    expect(scrubbed({ [name]: { a: 'b' } })).toEqual({
      tree: { [name]: { a: out } },
      changed: true,
      meta: { [name]: { a: { '': { rem: [[name === 'session' ? '@session' : '@password', 's']] } } } },
    })
  })
  test.each<[unknown, unknown]>([
    ['a', out],
    [1, out],
    [['a'], [out]],
    [[{ a: 'b' }], [{ a: out }]],
    [null, null],
    [true, true],
  ])('%j at the top of an event', (before, after) => {
    expect(scrubbed({ password: before }).tree).toEqual({ password: after })
  })
})

describe('pairs in a list', () => {
  check([
    [
      'the name decides',
      [
        ['password', 'a'],
        ['b', 'a'],
      ],
      [
        ['password', out],
        ['b', 'a'],
      ],
    ],
    ['numbers', [['otp', 1]], [['otp', out]]],
    ['texts', [['b', 'token=a']], [['b', 'token=[Filtered]']]],
    [
      'nothing',
      [
        ['password', null],
        ['b', null],
      ],
      [
        ['password', null],
        ['b', null],
      ],
    ],
    ['a list', [['password', ['a']]], [['password', [out]]]],
    ['an object', [['password', { a: 'b' }]], [['password', { a: out }]]],
    ['an object with names', [['b', { password: 'a' }]], [['b', { password: out }]]],
    ['values that stay', [['user-agent', 'token=a']], [['user-agent', 'token=a']]],
    ['three entries are no pair', [['password', 'a', 'b']], [['password', 'a', 'b']]],
    ['one entry is no pair', [['password']], [['password']]],
    ['an object is no name', [[{ password: 'a' }, 'token=b']], [[{ password: out }, 'token=[Filtered]']]],
    ['a pair is in a list', { password: 'a', list: ['password', 'a'] }, { password: out, list: ['password', 'a'] }],
  ])

  test('without a name that is a text, "value" is the name', () => {
    const list = [
      { key: 1, value: 'a' },
      { a: 'a', value: 'a' },
      { key: 'b', value: 'a' },
    ]
    expect(scrubbed({ extra: { list } }, { sensitiveFields: ['value'] }).tree).toEqual({
      extra: {
        list: [
          { key: 1, value: out },
          { a: 'a', value: out },
          { key: 'b', value: 'a' },
        ],
      },
    })
  })

  test('an entry that is no pair has the name of its list', () => {
    // "user_agent" stays, the name of a pair would not.
    const tree = { extra: { user_agent: [[1, 'token=a'], ['b', 'token=a'], { value: 'token=a' }, { a: 'token=a' }] } }
    expect(scrubbed(tree).tree).toEqual({
      extra: {
        user_agent: [
          [1, 'token=a'],
          ['b', 'token=[Filtered]'],
          { value: 'token=[Filtered]' },
          { a: 'token=[Filtered]' },
        ],
      },
    })
  })
})

describe('{key, value} and {name, value} in a list', () => {
  check([
    ['key', [{ key: 'password', value: 'a' }], [{ key: 'password', value: out }]],
    ['name', [{ name: 'password', value: 'a' }], [{ name: 'password', value: out }]],
    ['key comes first', [{ key: 'b', name: 'password', value: 'a' }], [{ key: 'b', name: 'password', value: 'a' }]],
    ['a number', [{ key: 'otp', value: 1 }], [{ key: 'otp', value: out }]],
    ['an object', [{ key: 'password', value: { a: 'b' } }], [{ key: 'password', value: { a: out } }]],
    ['a list', [{ name: 'password', value: ['a'] }], [{ name: 'password', value: [out] }]],
    ['nothing', [{ key: 'password', value: null }], [{ key: 'password', value: null }]],
    [
      'other names next to it',
      [{ key: 'a', value: 'b', token: 'c', c: { otp: 'd' }, sid: null, e: 'token=f' }],
      [{ key: 'a', value: 'b', token: out, c: { otp: out }, sid: null, e: 'token=[Filtered]' }],
    ],
    ['values that stay', [{ key: 'User-Agent', value: 'token=1' }], [{ key: 'User-Agent', value: 'token=1' }]],
    [
      'texts',
      [{ key: 'Bearer abcd', value: 'Bearer abcd' }],
      [{ key: 'Bearer [Filtered]', value: 'Bearer [Filtered]' }],
    ],
    ['a number is no name', [{ key: 1, value: 'token=a' }], [{ key: 1, value: 'token=[Filtered]' }]],
    ['no value', [{ key: 'password' }], [{ key: 'password' }]],
    ['only in a list', { key: 'password', value: 'a' }, { key: 'password', value: 'a' }],
  ])
})

describe('parts of an event', () => {
  const text = 'token=a'
  const clean = 'token=[Filtered]'

  test.each([
    'event_id',
    'timestamp',
    'received',
    'platform',
    'level',
    'type',
    'logger',
    'release',
    'dist',
    'environment',
    'modules',
    'sdk',
    'debug_meta',
    'checksum',
    'findings',
    'spans',
    'transaction_info',
    'measurements',
    'hpkp',
    'expectct',
    'expectstaple',
  ])('%s is data of the program and stays', (key) => {
    const data = { token: text, value: text, data: { password: text }, list: [text, [text, text]], auth: { val: text } }
    for (const value of [text, 4_111_111_111_111_111, data, [text, ['password', text], data]])
      expect(scrubbed({ [key]: value })).toEqual({ tree: { [key]: value }, changed: false, meta: {} })
  })

  test.each([
    'exception',
    'threads',
    'stacktrace',
    'sentry.interfaces.Exception',
    'sentry.interfaces.Stacktrace',
    'sentry.interfaces.Threads',
  ])('%s is code, except for data of people', (key) => {
    const before = {
      type: `AuthError ${text}`,
      value: text,
      name: text,
      module: text,
      token: text,
      lines: [text, ['password', text], { key: 'password', value: 'kept' }],
      auth: { val: text, name: 'password' },
      frames: [{ function: text, vars: { token: 'a', list: [['sid', 'a']] } }],
      mechanism: { description: text, data: { password: 'a' }, meta: { otp: 1 } },
    }
    expect(scrubbed({ [key]: before }).tree[key]).toEqual({
      ...before,
      type: `AuthError ${clean}`,
      value: clean,
      name: clean,
      frames: [{ function: text, vars: { token: out, list: [['sid', out]] } }],
      mechanism: { description: clean, data: { password: out }, meta: { otp: out } },
    })
    const objects = { value: { password: 'a' }, name: [['otp', 'a']], type: { b: text } }
    expect(scrubbed({ [key]: { values: [objects] } }).tree[key]).toEqual({
      values: [{ value: { password: out }, name: [['otp', out]], type: { b: clean } }],
    })
  })

  test.each<[unknown, unknown]>([
    [text, clean],
    [
      ['token', text, 4_111_111_111_111_111, 12, true, null],
      ['token', clean, out, 12, true, null],
    ],
    [
      { password: 'a', b: text },
      { password: 'a', b: clean },
    ],
    [[['password', text]], [['password', clean]]],
  ])('fingerprint: only secrets within texts, %j', (before, after) => {
    expect(scrubbed({ fingerprint: before }).tree).toEqual({ fingerprint: after })
  })
  test('fingerprint: a card as a number', () => {
    expect(scrubbed({ fingerprint: 4_111_111_111_111_111 }).tree).toEqual({ fingerprint: out })
  })
  test('fingerprint: words of your own are in texts only', () => {
    const tree = { fingerprint: [true, null, 'a true word'] }
    expect(scrubbed(tree, { sensitiveFields: ['true', 'null'] }).tree).toEqual({ fingerprint: [true, null, out] })
  })

  test('_meta mirrors names: kept values below a secret name are replaced, other texts keep theirs', () => {
    const notes = (val: unknown, note: string) => ({ '': { val, len: 4, note, rem: [['@a', 's']], err: [note] } })
    const before = {
      extra: { password: { a: notes('b', text), list: [{ val: 1 }] }, c: notes('b', text), d: notes(text, 'e') },
    }
    expect(scrubbed({ _meta: before }).tree['_meta']).toEqual({
      extra: { password: { a: notes(out, clean), list: [{ val: out }] }, c: notes('b', clean), d: notes(clean, 'e') },
    })
  })

  test('addresses, if the project leaves them out', () => {
    const address = '192.0.2.1'
    const before = {
      sdk: { name: 'a', client_ip: address },
      user: { ip_address: address, id: address },
      request: { headers: [['X-Forwarded-For', address]], env: { REMOTE_ADDR: '' } },
    }
    expect(scrubbed(before)).toEqual({ tree: before, changed: false, meta: {} })
    expect(scrubbed(before, { scrubIpAddresses: true })).toEqual({
      tree: {
        sdk: { name: 'a', client_ip: '[ip]' },
        user: { ip_address: '[ip]', id: address },
        request: { headers: [['X-Forwarded-For', '[ip]']], env: { REMOTE_ADDR: '' } },
      },
      changed: true,
      meta: {
        user: { ip_address: { '': { rem: [['@ip', 's']] } } },
        request: { headers: { 0: { 1: { '': { rem: [['@ip', 's']] } } } } },
      },
    })
    for (const same of [{ sdk: { name: 'a' } }, { sdk: 'a' }, {}])
      expect(scrubbed(same, { scrubIpAddresses: true })).toEqual({ tree: same, changed: false, meta: {} })
    expect(scrubbed({ sdk: { client_ip: address } }, { scrubIpAddresses: true }).changed).toBe(true)
  })
})

test('each change is noted where it is', () => {
  const rem = (rule: string) => ({ '': { rem: [[rule, 's']] } })
  const { meta } = scrubbed({
    message: 'token=a',
    extra: {
      a: [['sid', 'b'], { key: 'otp', value: 'b', url: 'https://u:p@h.example' }, ['c', { password: { d: [1] } }]],
    },
    user: { data: { token: 'a' } },
  })
  expect(meta).toEqual({
    message: rem('@password'),
    extra: {
      a: {
        0: { 1: rem('@session') },
        1: { value: rem('@session'), url: rem('@urlauth') },
        2: { 1: { password: { d: { 0: rem('@password') } } } },
      },
    },
    user: { data: { token: rem('@password') } },
  })
})

describe('levels', () => {
  const shapes: [string, (inner: unknown) => unknown, number][] = [
    ['objects', (inner) => ({ a: inner }), 1],
    ['lists', (inner) => [inner], 1],
    ['pairs', (inner) => [['a', inner]], 2],
    ['named values', (inner) => [{ key: 'a', value: inner }], 2],
    ['objects below a secret name', (inner) => ({ password: inner }), 1],
  ]
  const levelsOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0
  test.each(shapes)('%s: 100 stay, more become a text', (_, wrap, levels) => {
    /** An event of so many levels: an even number. */
    const nested = (total: number): Loose => {
      let value: unknown = 1
      for (let i = 2; i < total; i += levels) value = wrap(value)
      return { extra: { a: value } }
    }
    const whole = scrubbed(nested(100)).tree
    expect(levelsOf(whole)).toBe(100)
    expect(JSON.stringify(whole)).not.toContain('nested too deep')
    for (const total of [102, 300]) {
      const { tree, changed } = scrubbed(nested(total))
      expect([levelsOf(tree), changed]).toEqual([100, true])
      expect(JSON.stringify(tree)).toMatch(/"(?:\[Array: nested too deep\]|\[Object: nested too deep\]|\[Filtered\])"/)
    }
  })
  test('the text says what was there', () => {
    const nested = (value: unknown, times: number): unknown => (times === 0 ? value : { a: nested(value, times - 1) })
    const cut = (value: unknown) =>
      JSON.stringify(scrubbed({ extra: nested(value, 99) }).tree).replace(/[{}]|"a":/g, '')
    expect(cut([1])).toBe('"extra":"[Array: nested too deep]"')
    expect(cut({ b: 1 })).toBe('"extra":"[Object: nested too deep]"')
    expect(cut('b')).toBe('"extra":"b"')
  })
})

describe('a text composed of a template and parameters', () => {
  const card = ['41111111', '11111111']
  const isCard = /4111111111111111/
  test.each([
    ['logentry', { logentry: { message: 'card %s%s', params: card } }],
    ['logentry, formatted is null', { logentry: { message: 'card %s%s', params: card, formatted: null } }],
    ['logentry, formatted is empty', { logentry: { message: 'card %s%s', params: card, formatted: '' } }],
    ['an alias', { 'sentry.interfaces.Message': { message: 'card %s%s', params: card } }],
    ['message', { message: { message: 'card %s%s', params: card } }],
  ])('%s: a secret that only the whole has', (_, sent) => {
    // The bytes alone show nothing. Another secret makes the event suspect.
    const { event, row } = refineEvent({ ...sent, extra: { password: 'a' } })
    expect(event.logentry).toEqual({ message: 'card %s%s', params: card, formatted: 'card [Filtered]' })
    expect(event._meta?.['logentry']).toEqual({ formatted: { '': { rem: [['@creditcard', 's']] } } })
    expect(row.message).not.toMatch(isCard)
  })

  test.each([
    ['logentry', (parts: Loose) => ({ logentry: parts })],
    ['an alias', (parts: Loose) => ({ 'sentry.interfaces.Message': parts })],
    ['message', (parts: Loose) => ({ message: parts })],
  ])('%s: its parts decide, unless the client composed it', (_, wrap) => {
    const parts = { message: 'pw %(password)s', params: { password: 'a' } }
    for (const formatted of [undefined, null, ''])
      expect(refineEvent(wrap({ ...parts, formatted })).event.logentry?.formatted).toBe('pw [Filtered]')
    const { event } = refineEvent(wrap({ ...parts, formatted: 'composed by the client' }))
    expect(event.logentry?.formatted).toBe('composed by the client')
  })

  test.each([
    ['no placeholder', { message: 'token=a', params: ['b'] }, { formatted: 'token=[Filtered]', params: ['b'] }],
    ['no parameters', { message: 'token=a' }, { formatted: 'token=[Filtered]' }],
    ['only a formatted text', { formatted: 'token=a' }, { formatted: 'token=[Filtered]' }],
    ['neither', { message: 'a' }, { formatted: 'a' }],
  ])('%s', (_, logentry, expected) => {
    expect(refineEvent({ logentry, extra: { password: 'a' } }).event.logentry).toEqual(expected)
  })

  test('it keeps its limit', () => {
    const logentry = { message: `${'a'.repeat(8000)} %s`, params: ['b'.repeat(1500)] }
    const { event } = refineEvent({ logentry, extra: { password: 'a' } })
    expect(event.logentry?.formatted).toHaveLength(8392)
  })
})
