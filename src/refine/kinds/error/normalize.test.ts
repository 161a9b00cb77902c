import { describe, expect, test } from 'vitest'
import { plainSettings, recordedMs, refineBody, refineEvent } from '../../pipeline/fixture.cases.ts'

const nowS = recordedMs / 1000
const frame = { filename: 'a.py', function: 'f', lineno: 1, in_app: true }

describe('loose shapes that SDKs send', () => {
  const shapes: [string, unknown, (event: ReturnType<typeof refineEvent>['event']) => unknown, unknown][] = [
    [
      'exception as {values}',
      { exception: { values: [{ type: 'A', value: 'b' }] } },
      (e) => e.exception?.values,
      [{ type: 'A', value: 'b' }],
    ],
    [
      'exception as a list',
      { exception: [{ type: 'A', value: 'b' }] },
      (e) => e.exception?.values,
      [{ type: 'A', value: 'b' }],
    ],
    [
      'exception as one object',
      { exception: { type: 'A', value: 'b' } },
      (e) => e.exception?.values,
      [{ type: 'A', value: 'b' }],
    ],
    [
      'exception under its old name',
      { 'sentry.interfaces.Exception': [{ type: 'A' }] },
      (e) => e.exception?.values,
      [{ type: 'A' }],
    ],
    [
      'exceptions with null between',
      { exception: { values: [null, { type: 'A' }, null] } },
      (e) => e.exception?.values,
      [{ type: 'A' }],
    ],
    [
      'an exception with nothing',
      { exception: { values: [{ type: '', value: null }] } },
      (e) => [e.exception, e.errors.length],
      [undefined, 1],
    ],
    [
      'type within the value',
      { exception: { value: 'TypeError: x is not a function' } },
      (e) => e.exception?.values,
      [{ type: 'TypeError', value: 'x is not a function' }],
    ],
    [
      'a value that is an object',
      { exception: { type: 'A', value: { code: 1 } } },
      (e) => e.exception?.values[0]?.value,
      '{"code":1}',
    ],
    [
      'a mechanism as text',
      { exception: { type: 'A', mechanism: 'onerror' } },
      (e) => e.exception?.values[0]?.mechanism,
      { type: 'onerror' },
    ],
    [
      'a mechanism without type',
      { exception: { type: 'A', mechanism: { handled: false } } },
      (e) => e.exception?.values[0]?.mechanism,
      { type: 'generic', handled: false },
    ],
    [
      'frames with null between',
      { exception: { type: 'A', stacktrace: { frames: [null, frame] } } },
      (e) => e.exception?.values[0]?.stacktrace?.frames.length,
      1,
    ],
    [
      'frames that are null',
      { exception: { type: 'A', stacktrace: { frames: null } } },
      (e) => e.exception?.values[0],
      { type: 'A' },
    ],
    ['a stack that is a list', { stacktrace: [frame] }, (e) => e.stacktrace?.frames.length, 1],
    [
      'function ?',
      { platform: 'javascript', stacktrace: { frames: [{ function: '?', filename: 'x.js' }] } },
      (e) => e.stacktrace?.frames[0]?.function,
      undefined,
    ],
    [
      'a line number as text',
      { stacktrace: { frames: [{ filename: 'a', lineno: '12' }] } },
      (e) => e.stacktrace?.frames[0]?.lineno,
      12,
    ],
    [
      'a line number that is none',
      { stacktrace: { frames: [{ filename: 'a', lineno: 'x' }] } },
      (e) => [e.stacktrace?.frames[0]?.lineno, e.errors[0]?.type],
      [undefined, 'invalid_data'],
    ],
    [
      'vars as a list',
      { stacktrace: { frames: [{ filename: 'a', vars: [1, 2] }] } },
      (e) => e.stacktrace?.frames[0]?.vars,
      { 0: 1, 1: 2 },
    ],
    [
      'a URL in filename',
      { platform: 'javascript', stacktrace: { frames: [{ filename: 'https://a.example/js/app.js?v=1' }] } },
      (e) => e.stacktrace?.frames[0],
      {
        in_app: false,
        in_app_unsaid: true,
        filename: '/js/app.js',
        abs_path: 'https://a.example/js/app.js?v=1',
      },
    ],
    ['message as text', { message: 'hello' }, (e) => e.logentry, { formatted: 'hello' }],
    ['logentry as text', { logentry: 'hello' }, (e) => e.logentry, { formatted: 'hello' }],
    [
      'message with %-parameters',
      { message: { message: 'got %s of %d', params: ['a', 3] } },
      (e) => e.logentry?.formatted,
      'got a of 3',
    ],
    [
      'message with named parameters',
      { logentry: { message: 'got %(what)s', params: { what: 'x' } } },
      (e) => e.logentry?.formatted,
      'got x',
    ],
    [
      'message with {}-parameters',
      { logentry: { message: 'got {} and {1} of {name}', params: ['a', 'b'] } },
      (e) => e.logentry?.formatted,
      'got a and b of {name}',
    ],
    [
      'template equal to formatted',
      { logentry: { message: 'same', formatted: 'same' } },
      (e) => e.logentry,
      { formatted: 'same' },
    ],
    ['level warn', { level: 'WARN' }, (e) => e.level, 'warning'],
    ['level critical', { level: 'critical' }, (e) => e.level, 'fatal'],
    ['level log', { level: 'log' }, (e) => e.level, 'info'],
    ['level 40 of Python', { level: 40 }, (e) => e.level, 'error'],
    ['level "20"', { level: '20' }, (e) => e.level, 'info'],
    ['a level that is none', { level: 'loud' }, (e) => [e.level, e.errors[0]?.name], ['error', 'level']],
    [
      'tags as an object',
      { tags: { a: 'b', n: 1, t: true } },
      (e) => e.tags,
      [
        ['a', 'b'],
        ['n', '1'],
        ['t', 'True'],
      ],
    ],
    [
      'tags as pairs, null between',
      { tags: [['a', 'b'], null, ['c', null], ['a', 'later']] },
      (e) => e.tags,
      [['a', 'b']],
    ],
    ['tags as {key, value}', { tags: [{ key: 'a', value: 'b' }] }, (e) => e.tags, [['a', 'b']]],
    [
      'reserved tags, spaces in names',
      { tags: { release: 'x', 'my key': 'v', wé: '1' } },
      (e) => e.tags,
      [
        ['my-key', 'v'],
        ['w_', '1'],
      ],
    ],
    ['tag environment', { tags: { environment: 'staging' } }, (e) => [e.environment, e.tags], ['staging', []]],
    [
      'server_name and site',
      { server_name: 'web-1', site: 'main' },
      (e) => e.tags,
      [
        ['server_name', 'web-1'],
        ['site', 'main'],
      ],
    ],
    ['release latest', { release: 'latest' }, (e) => [e.release, e.errors[0]?.name], [undefined, 'release']],
    ['release with a slash', { release: 'a/b' }, (e) => e.release, undefined],
    ['release with spaces around', { release: ' app@1.0 ' }, (e) => e.release, 'app@1.0'],
    ['release as a number', { release: 12 }, (e) => e.release, '12'],
    ['environment none', { environment: 'None' }, (e) => e.environment, undefined],
    ...['.', '..', ' .. '].map((environment): (typeof shapes)[number] => [
      `environment "${environment}", which no address can name`,
      { environment },
      (e) => [e.environment, e.errors[0]?.name],
      [undefined, 'environment'],
    ]),
    ['environment ...', { environment: '...' }, (e) => e.environment, '...'],
    [
      'tag environment ..',
      { tags: { environment: '..' } },
      (e) => [e.environment, e.tags, e.errors[0]?.name],
      [undefined, [], 'tags.environment'],
    ],
    [
      'tags . and .., which no address can name',
      { tags: { '.': '1', '..': '2', '...': '3' } },
      (e) => [e.tags, e.errors.map((error) => error.name)],
      [
        [
          ['_', '1'],
          ['__', '2'],
          ['...', '3'],
        ],
        ['tags._', 'tags.__'],
      ],
    ],
    ['dist empty', { dist: ' ' }, (e) => e.dist, undefined],
    ['user id as a number', { user: { id: 42, plan: 'pro' } }, (e) => e.user, { id: '42', data: { plan: 'pro' } }],
    [
      'a broken address',
      { user: { id: 'a', ip_address: '999.1.1.1' } },
      (e) => [e.user, e.errors[0]?.name],
      [{ id: 'a' }, 'user.ip_address'],
    ],
    ['fingerprint as a text', { fingerprint: 'one' }, (e) => e.fingerprint, ['one']],
    [
      'contexts: null, type from the key',
      { contexts: { os: null, mine: { a: 1 }, odd: 'x' } },
      (e) => e.contexts,
      { mine: { a: 1, type: 'mine' }, odd: { value: 'x', type: 'odd' } },
    ],
    [
      'breadcrumbs as a list with old type name',
      { breadcrumbs: [{ ty: 'http', message: 'm', level: 'warn' }, null] },
      (e) => e.breadcrumbs?.values,
      [{ type: 'http', level: 'warning', message: 'm' }],
    ],
    [
      'request query as text',
      { request: { url: 'https://a.example/p?x=1&y=a%20b#top' } },
      (e) => e.request,
      {
        url: 'https://a.example/p',
        query_string: [
          ['x', '1'],
          ['y', 'a b'],
        ],
        fragment: 'top',
      },
    ],
    [
      'request query as an object',
      { request: { query_string: { a: ['1', '2'] } } },
      (e) => e.request?.query_string,
      [
        ['a', '1'],
        ['a', '2'],
      ],
    ],
    [
      'request query broken',
      { request: { query_string: '%E0%A4%A=1' } },
      (e) => e.request?.query_string,
      [['%E0%A4%A', '1']],
    ],
    [
      'headers as an object with lists',
      { request: { headers: { 'x-a': ['1', '2'], accept: 'b' } } },
      (e) => e.request?.headers,
      [
        ['X-A', '1'],
        ['X-A', '2'],
        ['Accept', 'b'],
      ],
    ],
    [
      'cookies as text',
      { request: { cookies: 'a=1; b=2' } },
      (e) => e.request?.cookies,
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    [
      'cookies within the headers',
      { request: { headers: [['Cookie', 'a=1']] } },
      (e) => [e.request?.cookies, e.request?.headers],
      [[['a', '1']], undefined],
    ],
    [
      'a JSON text as body',
      { request: { data: '{"a":[1]}' } },
      (e) => [e.request?.data, e.request?.inferred_content_type],
      [{ a: [1] }, 'application/json'],
    ],
    [
      'a form text as body',
      { request: { data: 'a=1&b=2', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } } },
      (e) => e.request?.data,
      { a: '1', b: '2' },
    ],
    [
      'threads under {values}',
      { threads: { values: [{ id: 1, crashed: true, stacktrace: { frames: [frame] } }] } },
      (e) => e.threads?.values[0]?.crashed,
      true,
    ],
    [
      'the crashed thread, the current one and those with a stack of more than 250, in their order',
      {
        threads: {
          values: Array.from({ length: 300 }, (_, id) => ({
            id,
            ...(id === 299 ? { crashed: true } : {}),
            ...(id === 280 ? { current: true } : {}),
            ...(id === 260 ? { stacktrace: { frames: [frame] } } : {}),
          })),
        },
      },
      (e) => [e.threads?.values.length, e.threads?.values.slice(-4).map(({ id }) => Number(id))],
      [250, [246, 260, 280, 299]],
    ],
    [
      'debug images',
      { debug_meta: { images: [null, { type: 'sourcemap', debug_id: 'x' }] } },
      (e) => e.debug_meta?.images,
      [{ type: 'sourcemap', debug_id: 'x' }],
    ],
    [
      'sdk',
      {
        sdk: {
          name: 'sentry.x',
          version: 1,
          packages: [{ name: 'npm:x', version: '1' }, null],
          integrations: ['A', 1],
        },
      },
      (e) => e.sdk,
      { name: 'sentry.x', version: '1', packages: [{ name: 'npm:x', version: '1' }], integrations: ['A'] },
    ],
    [
      'everything wrong at once',
      {
        exception: 7,
        threads: 'x',
        breadcrumbs: 1,
        request: [],
        user: [],
        tags: 5,
        contexts: 'c',
        sdk: [],
        debug_meta: 1,
        extra: [],
        modules: 3,
        fingerprint: {},
        logentry: [],
      },
      (e) => e.type,
      'default',
    ],
  ]
  test.each(shapes)('%s', (_, sent, read, expected) => {
    expect(read(refineEvent(sent).event)).toEqual(expected)
  })
})

describe('times', () => {
  test.each([
    [nowS - 5.5, nowS - 5.5],
    [String(nowS - 5), nowS - 5],
    ['2026-11-21T09:39:27.374123Z', Date.UTC(2026, 10, 21, 9, 39, 27) / 1000 + 0.374123],
    ['2026-11-21T09:39:27', Date.UTC(2026, 10, 21, 9, 39, 27) / 1000],
    ['2026-11-21 10:39:27+01:00', Date.UTC(2026, 10, 21, 9, 39, 27) / 1000],
    [recordedMs - 1000, nowS - 1],
    [nowS + 120, nowS],
    [nowS - 40 * 86_400, nowS],
    ['soon', nowS],
    [null, nowS],
  ])('%s', (sent, expected) => {
    expect(refineEvent({ timestamp: sent }).event.timestamp).toBeCloseTo(expected, 5)
  })

  test.each([
    [54 * 60, 0],
    [-54 * 60, 0],
    [3 * 3600, 3 * 3600],
    [-3 * 3600, -3 * 3600],
  ])('a clock that is %s s late moves every time by %s s', (lateS, movedS) => {
    const at = nowS - lateS
    const body = [
      { sent_at: new Date(at * 1000).toISOString(), event_id: 'a'.repeat(32) },
      { type: 'event' },
      { timestamp: at - 10, breadcrumbs: [{ timestamp: at - 20 }] },
    ]
      .map((entry) => JSON.stringify(entry))
      .join('\n')
    const row = refineBody(body).events[0]?.row
    const event = JSON.parse(row?.payload.split('\n')[0] ?? '{}')
    expect(event.breadcrumbs.values[0].timestamp).toBeCloseTo(at - 20 + movedS, 3)
    // A time more than a minute in the future is replaced.
    expect(event.timestamp).toBeCloseTo(movedS || lateS > 0 ? at - 10 + movedS : nowS, 3)
  })
})

describe('trimming (3.2)', () => {
  const meta = (event: Record<string, unknown>) => refineEvent(event).event._meta as Record<string, never>
  test('long texts are cut with their length in _meta', () => {
    const { event } = refineEvent({ exception: { type: 'T'.repeat(300), value: 'v'.repeat(9000) } })
    expect(event.exception?.values[0]?.type).toHaveLength(256)
    expect(event.exception?.values[0]?.value).toHaveLength(8192)
    expect(event._meta).toMatchObject({
      exception: { values: { 0: { value: { '': { len: 9000, rem: [['!limit', 'x', 8189, 8192]] } } } } },
    })
  })
  test('texts within the allowance stay whole', () => {
    expect(refineEvent({ exception: { type: 'T'.repeat(276) } }).event.exception?.values[0]?.type).toHaveLength(276)
  })
  test('250 frames: the first 50 and the last 200', () => {
    const frames = Array.from({ length: 1000 }, (_, i) => ({ function: `f${i}`, filename: 'a', context_line: 'x' }))
    const { event } = refineEvent({ stacktrace: { frames } })
    const kept = event.stacktrace?.frames ?? []
    expect([kept.length, kept[49]?.function, kept[50]?.function, kept.at(-1)?.function]).toEqual([
      250,
      'f49',
      'f800',
      'f999',
    ])
    expect(event.stacktrace?.frames_omitted).toEqual([50, 800])
    expect(kept.filter((entry) => entry.context_line).length).toBe(50)
  })
  test('the 100 newest breadcrumbs', () => {
    const { event } = refineEvent({ breadcrumbs: Array.from({ length: 150 }, (_, i) => ({ message: `m${i}` })) })
    expect([event.breadcrumbs?.values.length, event.breadcrumbs?.values[0]?.message]).toEqual([100, 'm50'])
    expect(event._meta).toMatchObject({ breadcrumbs: { values: { '': { len: 150 } } } })
  })
  test('extra, contexts and bodies keep their depth and size', () => {
    let deep: unknown = 'x'
    for (let i = 0; i < 30; i++) deep = { in: deep }
    const { event } = refineEvent({
      extra: { deep, long: 'y'.repeat(100_000) },
      request: { data: { text: 'z'.repeat(50_000) } },
    })
    expect(JSON.stringify(event.extra).length).toBeLessThan(17_000)
    expect(JSON.stringify(event.request).length).toBeLessThan(9000)
    expect(JSON.stringify(event.extra)).toContain('[Object]')
  })
  test('200 tags, the rest is counted', () => {
    const { event, row } = refineEvent({
      tags: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`t${i}`, 'v'])),
    })
    expect(event.tags).toHaveLength(200)
    expect(Object.keys(row.tags).length).toBeLessThan(220)
    expect(event._meta).toMatchObject({ tags: { '': { len: 5000 } } })
  })
  test('remarks of the SDK stay', () => {
    expect(meta({ _meta: { extra: { a: { '': { len: 5 } } } } })).toMatchObject({ extra: { a: { '': { len: 5 } } } })
    expect(meta({ tags: { a: 'x'.repeat(300) }, _meta: { tags: 'odd' } })).toMatchObject({
      tags: { a: { '': { len: 300 } } },
    })
  })
})

describe('user address', () => {
  const address = (event: Record<string, unknown>) => refineEvent(event).event.user?.ip_address
  test.each([
    ['{{auto}}', { user: { ip_address: '{{auto}}' } }, '203.0.113.9'],
    ['never', { sdk: { settings: { infer_ip: 'never' } }, user: { ip_address: '{{auto}}' } }, undefined],
    ['auto', { platform: 'python', sdk: { settings: { infer_ip: 'auto' } } }, '203.0.113.9'],
    ['older SDK of a browser', { platform: 'javascript' }, '203.0.113.9'],
    ['older SDK of a server', { platform: 'python' }, undefined],
    ['REMOTE_ADDR', { platform: 'python', request: { env: { REMOTE_ADDR: '198.51.100.4' } } }, '198.51.100.4'],
    ['sent', { platform: 'javascript', user: { ip_address: '192.0.2.1' } }, '192.0.2.1'],
  ])('%s', (_, event, expected) => expect(address(event)).toBe(expected))
  test('scrubbed when the project says so', () => {
    const { event, row } = refineEvent({ platform: 'javascript' }, {}, { ...plainSettings, scrubIpAddresses: true })
    expect([event.user?.ip_address, row.payload.includes('203.0.113.9')]).toEqual(['[ip]', false])
  })
})
