import { describe, expect, test } from 'vitest'
import { plainSettings, refineEvent } from '../pipeline/fixture.cases.ts'
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
    ['card 4222222222222, 13 digits', 'card [Filtered], 13 digits'],
    ['card 4000000000000000006, 19 digits', 'card [Filtered], 19 digits'],
    [`key ${'AKIA'}IOSFODNN7EXAMPLE used`, 'key [Filtered] used'],
    [`${'ASIA'}IOSFODNN7EXAMPLE`, '[Filtered]'],
    [`${'ghp_'}${'a1B2c3D4e5'.repeat(4)}`, '[Filtered]'],
    [`${'github_pat_'}${'11ABCDEFG0'.repeat(3)}_x`, '[Filtered]'],
    [`${'glpat-'}${'a1B2c3D4e5'.repeat(2)}`, '[Filtered]'],
    [`stripe ${'sk_live_'}4eC39HqLyjWDarjtT1zdp7dc`, 'stripe [Filtered]'],
    [`stripe ${'rk_test_'}4eC39HqLyjWDarjtT1zdp7dc`, 'stripe [Filtered]'],
    [`${'xoxb-'}123456789012-abcdefABCDEF`, '[Filtered]'],
    [`${'xapp-'}1-A0123456789-abcdef`, '[Filtered]'],
    [`${'npm_'}${'a1B2c3D4e5f6'.repeat(3)}`, '[Filtered]'],
    [`${'AIza'}${'SyA1b2C'.repeat(5)}`, '[Filtered]'],
    [`${'SG.'}${'a1B2c3D4e5'.repeat(2)}.${'a1B2c3D4e5'.repeat(4)}`, '[Filtered]'],
    [`${'sk-'}proj-${'a1B2c3D4e5'.repeat(3)}`, '[Filtered]'],
    ['jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN', 'jwt [Filtered]'],
    ['eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0In0.', '[Filtered]'],
    ['pay to DE89 3704 0044 0532 0130 00 today', 'pay to [Filtered] today'],
    ['GB82WEST12345698765432', '[Filtered]'],
    ['NO9386011117947', '[Filtered]'],
    ['DE89 3704 0044 0532 0130 00 AB12', '[Filtered] AB12'],
    ['order RE24 DE89 3704 0044 0532 0130 00', 'order RE24 [Filtered]'],
    ['NR01 NO9386011117947 DE89370400440532013000', 'NR01 [Filtered] [Filtered]'],
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
    // In an encoded query, the code of a character precedes the secret.
    [`/p?q=with%20${'ghp_'}${'a1B2c3D4'.repeat(5)}&b=1`, '/p?q=with%20[Filtered]&b=1'],
    ['/p?q=with%20AKIAIOSFODNN7EXAMPLE', '/p?q=with%20[Filtered]'],
    ['/p?q=by%204111111111111111&b=1', '/p?q=by%20[Filtered]&b=1'],
    ['/p?q=of%20219-09-9999', '/p?q=of%20[Filtered]'],
    ['/p?q=onto%20NO9386011117947', '/p?q=onto%20[Filtered]'],
    ['/p?q=sent+Bearer+abc.def&b=1', '/p?q=sent+Bearer+[Filtered]&b=1'],
    ['/p?q=sent%20Bearer%20abc.def&b=1', '/p?q=sent%20Bearer%20[Filtered]&b=1'],
    ['/p?to=https%3A%2F%2Fann%3Apw%40db.test%2Fx&b=1', '/p?to=https%3A%2F%2F[Filtered]%40db.test%2Fx&b=1'],
    [`/p?q=with%20${'sk-'}proj-${'a1B2c3D4e5'.repeat(3)}`, '/p?q=with%20[Filtered]'],
  ])('%s', (sent, expected) => expect(scrubText(sent, rules)?.text).toBe(expected))

  test.each([
    '4111 1111 1111 1112',
    '422222222222',
    'order 20261123000042 of 2026-11-23T08:14:44Z',
    'commit 9faec56b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f',
    '0B8D9A5C-1F2E-4D3C-8B7A-6F5E4D3C2B1A',
    'DE89 1704 0044 0532 0130 00',
    'XX89 3704 0044 0532 0130 00',
    'GB82 WEST 1234',
    'task-loading-spinner-container sk-loading-spinner-container',
    'key AKIA and ASIA, ghp_ and sk_live_, xoxb- and npm_install',
    'eyJust a word. eyJ.eyJ',
    'function a(b){return SG.a.b+AIza}',
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

  test.each([
    ['=', 200_000, false],
    ['"', 200_000, false],
    ['":', 100_000, false],
    ['token=', 50_000, true],
    ['4111 ', 40_000, false],
    ['a://', 50_000, false],
    ["':", 100_000, false],
    ['%3D', 70_000, false],
    ['\\":', 70_000, false],
    ['\\', 200_000, false],
    ['%', 200_000, false],
    ['-----BEGIN ', 20_000, false],
  ])('a text of nothing but %j, %i times: something is taken out: %j', (piece, times, isTaken) => {
    expect(scrubText(piece.repeat(times), rules) !== undefined).toBe(isTaken)
  })

  test('a quoted token that never ends', () => {
    expect(scrubText(`"token":"${'\\"'.repeat(90_000)}`, rules)).toMatchObject({
      text: expect.stringMatching(/^"token":/),
    })
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
      request: { headers: { 'User-Agent': 'Tokens/1.0 token=1' } },
      exception: {
        type: 'AuthError',
        value: 'reading token failed',
        stacktrace: {
          frames: [{ filename: '/auth/token.js', function: 'readPassword', abs_path: '/x/auth/token.js?token=1' }],
        },
      },
      contexts: { trace: { trace_id: '4111111111111111aaaaaaaaaaaaaaaa' } },
      user: { id: '7', email: 'a@b.example' },
    }
    const { event, received } = refineEvent(sent)
    expect(event).toMatchObject({
      exception: { values: [{ type: 'AuthError', value: 'reading token failed' }] },
      user: sent.user,
      debug_meta: sent.debug_meta,
    })
    expect(received).toEqual(sent)
  })

  test('exceptions, threads and messages: secrets go from texts, before title and groups are made', () => {
    const secret = 'card 4111111111111111 password=hunter2 https://u:pw@h.example/ Bearer abc.def'
    const clean = 'card [Filtered] password=[Filtered] https://[Filtered]@h.example/ Bearer [Filtered]'
    const sent = {
      exception: { values: [{ type: `E ${secret}`, value: secret, stacktrace: { frames: [{ function: 'pay' }] } }] },
      threads: { values: [{ id: 1, name: secret, crashed: true }] },
    }
    const refined = refineEvent(sent)
    expect(refined.event.exception?.values).toMatchObject([{ type: `E ${clean}`, value: clean }])
    expect(JSON.stringify([refined.row, refined.effect])).not.toMatch(/4111|hunter2|u:pw|abc\.def/)
    expect(refined.effect.title).toContain('card [Filtered]')
    const other = structuredClone(sent)
    for (const thrown of other.exception.values) thrown.value = secret.replace('hunter2', 'hunter3')
    expect(refineEvent(other).row.groupHash).toBe(refined.row.groupHash)
    for (const logentry of [{ formatted: secret }, { message: secret }, { message: 'a %s', params: [secret] }])
      expect(JSON.stringify(refineEvent({ logentry }).row)).not.toMatch(/4111|hunter2|u:pw|abc\.def/)
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
