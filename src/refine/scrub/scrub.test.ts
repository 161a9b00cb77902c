import { describe, expect, test } from 'vitest'
import { plainSettings, refineEvent } from '../fixture.ts'
import { makeRules } from './rules.ts'
import { scrubText } from './text.ts'

const rules = makeRules(plainSettings)

describe('texts', () => {
  test.each([
    ['Bearer abc.def-123', 'Bearer [Filtered]'],
    ['authorization: bearer abcdef', 'authorization: bearer [Filtered]'],
    ['https://bob:hunter2@db.example/x', 'https://[Filtered]@db.example/x'],
    ['postgres://bob@db/x', 'postgres://[Filtered]@db/x'],
    ['card 4111 1111 1111 1111 used', 'card [Filtered] used'],
    ['5500-0000-0000-0004', '[Filtered]'],
    ['ssn 078-05-1120.', 'ssn [Filtered].'],
    [
      '-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----',
      '-----BEGIN RSA PRIVATE KEY-----\n[Filtered]\n-----END RSA PRIVATE KEY-----',
    ],
    ['/p?x=1&access_token=abc&y=2', '/p?x=1&access_token=[Filtered]&y=2'],
    ['sessionid=abc; theme=dark', 'sessionid=[Filtered]; theme=dark'],
    ['password="two words" next', 'password=[Filtered] next'],
    ['{"user":"a","password":"x\\"y","n":1}', '{"user":"a","password":"[Filtered]","n":1}'],
    ['{"a":"{\\"password\\":\\"x y\\",\\"b\\":1}"}', '{"a":"{\\"password\\":\\"[Filtered]\\",\\"b\\":1}"}'],
    ['{"otp": 123456, "n": 1}', '{"otp": "[Filtered]", "n": 1}'],
    ["{'password': 'x', 'b': 1}", "{'password': '[Filtered]', 'b': 1}"],
    [`{'token': "it's", 'key': b'z', 'secret': b'z'}`, `{'token': "[Filtered]", 'key': b'z', 'secret': b'[Filtered]'}`],
    ['/p?pass%77ord=abc&b=1', '/p?pass%77ord=[Filtered]&b=1'],
    ['user%5Bsid%5D=abc&user[password]=d&c=1', 'user%5Bsid%5D=[Filtered]&user[password]=[Filtered]&c=1'],
    ['/in?to=%2Fx%3Ftoken%3Dabc%26b%3D1&c=2', '/in?to=%2Fx%3Ftoken%3D[Filtered]%26b%3D1&c=2'],
    ['pa\u017f\u017fword=abc', 'pa\u017f\u017fword=[Filtered]'],
  ])('%s', (sent, expected) => expect(scrubText(sent, rules)?.text).toBe(expected))

  test.each([
    '4111 1111 1111 1112',
    '1795253842.029',
    'order 12345678901234',
    'a = b',
    'x == y && z=1',
    'https://a.example/@user',
    'mail me@a.example',
    'Bearer',
    '',
    "don't: 'x'",
    'a%3Db',
    '{"a": 1, "b": "c"}',
  ])('%s stays', (text) => {
    expect(scrubText(text, rules)).toBeUndefined()
  })

  test('linear in hostile texts', () => {
    for (const text of [
      '='.repeat(200_000),
      '"'.repeat(200_000),
      '":'.repeat(100_000),
      'token='.repeat(50_000),
      '4111 '.repeat(40_000),
      'a://'.repeat(50_000),
      "':".repeat(100_000),
      '%3D'.repeat(70_000),
      '\\":'.repeat(70_000),
      '\\'.repeat(200_000),
      `"token":"${'\\"'.repeat(90_000)}`,
      '%'.repeat(200_000),
      '-----BEGIN '.repeat(20_000),
    ]) {
      const start = process.cpuUsage().user
      scrubText(text, rules)
      expect(process.cpuUsage().user - start).toBeLessThan(1_500_000)
    }
  })
})

describe('names', () => {
  const cases: [string, unknown, string[]][] = [
    [
      'extra',
      {
        extra: {
          db_password: 'SEEN1',
          deep: { apiKey: 'SEEN2', list: [{ secret: 'SEEN3' }] },
          credentials: { user: 'SEEN4' },
        },
      },
      [],
    ],
    ['numbers', { extra: { otp: 'SEEN', pin_token: 123456789 } }, ['123456789']],
    [
      'header pairs',
      {
        request: {
          headers: [
            ['Authorization', 'SEEN'],
            ['X-Csrf-Token', 'SEEN'],
            ['Cookie', 'sessionid=SEEN; a=1'],
          ],
        },
      },
      [],
    ],
    ['header object', { request: { headers: { 'X-Api-Key': 'SEEN', Cookie: 'csrftoken=SEEN' } } }, []],
    ['cookies', { request: { cookies: { PHPSESSID: 'SEEN', _vercel_jwt: 'SEEN' } } }, []],
    ['query and URL', { request: { url: 'https://x.example/?token=SEEN', query_string: 'password=SEEN&a=1' } }, []],
    ['bodies', { request: { data: '{"passwd":"SEEN"}' } }, []],
    ['form bodies', { request: { data: 'secret=SEEN&b=1' } }, []],
    [
      'vars',
      { exception: { type: 'A', stacktrace: { frames: [{ filename: 'a', vars: { auth_token: 'SEEN' } }] } } },
      [],
    ],
    [
      'breadcrumbs',
      { breadcrumbs: [{ message: 'GET /?access_token=SEEN', data: { url: '/x?api_key=SEEN', password: 'SEEN' } }] },
      [],
    ],
    ['contexts', { contexts: { mine: { private_key: 'SEEN' }, auth: { id: 'SEEN', type: 'auth' } } }, []],
    [
      'tags',
      {
        tags: [
          ['session', 'SEEN'],
          ['url', 'https://a:SEEN@b.example/'],
        ],
      },
      [],
    ],
    ['user data', { user: { id: '1', data: { token: 'SEEN' } } }, []],
    ['key and value', { extra: { list: [{ key: 'password', value: 'SEEN' }] } }, []],
    ['aliases of old SDKs', { 'sentry.interfaces.Http': { headers: [['authorization', 'SEEN']] } }, []],
    ['a route with a token', { transaction: '/reset?token=SEEN', culprit: 'GET /x?api_key=SEEN' }, []],
    ['fingerprints', { message: 'x', fingerprint: ['{{ default }}', '/a?password=SEEN'] }, []],
    [
      'what a client remarked',
      {
        message: 'x',
        _meta: { extra: { password: { '': { val: 'SEEN', len: 4 } }, a: { '': { err: ['token=SEEN'] } } } },
      },
      [],
    ],
    ['lists of pairs', { extra: { form: [['password', 'SEEN']], one: [{ a: [['otp', 'SEEN']] }] } }, []],
    ['JSON within JSON', { extra: { body: JSON.stringify({ b: JSON.stringify({ password: 'SEEN' }) }) } }, []],
    ['objects as Python writes them', { extra: { repr: "<Form {'password': 'SEEN', 'token': u'SEEN'}>" } }, []],
    ['a card as a number', { extra: { card: 4111111111111111, list: [5500000000000004] } }, ['41111', '55000']],
    ['encoded names', { request: { url: 'https://x.example/?pass%77ord=SEEN&user%5Bsid%5D=SEEN' } }, []],
    ['a query within a query', { request: { query_string: 'to=%2Fx%3Ftoken%3DSEEN' } }, []],
    [
      'letters in another case',
      { extra: { 'pa\u017f\u017fword': 'SEEN', AP\u0131_KEY: 'SEEN', to\u212aen: 'SEEN' } },
      [],
    ],
    ['a message', { message: 'login token=SEEN' }, []],
    ['a template', { message: { message: 'login %s', params: ['token=SEEN'] } }, []],
    ['named parameters', { logentry: { message: 'pw %(password)s', params: { password: 'SEEN' } } }, []],
    ['parts that nobody knows', { my_part: { password: 'SEEN', text: 'Bearer SEENSEEN' } }, []],
  ]
  test.each(cases)('%s: neither form keeps it', (_, sent, more) => {
    const { payload, tags, message } = refineEvent(sent).row
    for (const word of ['SEEN', ...more]) expect(`${payload}${JSON.stringify(tags)}${message}`).not.toContain(word)
    expect(payload).toContain('[Filtered]')
  })

  test('each change is remarked where it stands', () => {
    const { event } = refineEvent({ extra: { a: { password: 'x' }, url: 'https://u:p@h.example' } })
    expect(event._meta).toMatchObject({
      extra: { a: { password: { '': { rem: [['@password', 's']] } } }, url: { '': { rem: [['@urlauth', 's']] } } },
    })
  })

  test('left as they are', () => {
    const sent = {
      platform: 'node',
      debug_meta: { images: [{ type: 'sourcemap', code_file: '/token/a.js', debug_id: 'd' }] },
      logentry: { formatted: 'token=abc' },
      request: { headers: { 'User-Agent': 'Tokens/1.0 token=1' } },
      exception: {
        type: 'AuthError',
        value: 'password=abc',
        stacktrace: {
          frames: [{ filename: '/auth/token.js', function: 'readPassword', abs_path: '/x/auth/token.js?token=1' }],
        },
      },
      contexts: { trace: { trace_id: '4111111111111111aaaaaaaaaaaaaaaa' } },
      user: { id: '7', email: 'a@b.example' },
    }
    const { event, received } = refineEvent(sent)
    expect(event).toMatchObject({
      exception: { values: [{ value: 'password=abc' }] },
      logentry: { formatted: 'token=abc' },
      user: sent.user,
      debug_meta: sent.debug_meta,
    })
    expect(received).toEqual(sent)
  })

  test('switched off, own words, safe names', () => {
    const sent = { extra: { password: 'kept', colour: 'red', secret_sauce: 'fine', note: 'the blue one' } }
    expect(refineEvent(sent, {}, { scrubDefaults: false }).event.extra).toEqual(sent.extra)
    expect(
      refineEvent(sent, {}, { sensitiveFields: ['COLOUR', 'blue'], safeFields: ['secret_sauce'] }).event.extra,
    ).toEqual({ password: '[Filtered]', colour: '[Filtered]', secret_sauce: 'fine', note: '[Filtered]' })
  })

  test('addresses on demand', () => {
    const sent = {
      user: { ip_address: '192.0.2.1' },
      request: { env: { REMOTE_ADDR: '192.0.2.1' }, headers: { 'X-Forwarded-For': '192.0.2.1' } },
      sdk: { name: 'a', client_ip: '192.0.2.1' },
    }
    expect(refineEvent(sent).row.payload).toContain('192.0.2.1')
    const { row } = refineEvent(sent, {}, { scrubIpAddresses: true })
    expect(`${row.payload}${JSON.stringify(row.tags)}`).not.toContain('192.0.2.1')
  })
})
