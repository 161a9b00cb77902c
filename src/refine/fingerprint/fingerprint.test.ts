import { describe, expect, test } from 'vitest'
import type { NormalException } from '../../domain/event.ts'
import { groupingVersions } from '../../domain/grouping.ts'
import { refineEvent } from '../pipeline/fixture.cases.ts'
import { chainOf } from './chain.ts'
import { createRuleCache, group, md5 } from './fingerprint.ts'
import { frameValues } from './v1/frame.ts'
import { parameterize, parameterizedMessage } from './v1/parameterize.ts'

const hashes = (event: unknown, version = 1) =>
  refineEvent(event, {}, { grouping: { fingerprintRules: '', stackRules: '', version } }).row.hashes
const variants = (event: unknown) => refineEvent(event).event.findings.grouping.variants
const py = (over: object = {}) => ({
  filename: 'app/a.py',
  module: 'app.a',
  function: 'run',
  context_line: '  x  = 1 ',
  lineno: 3,
  in_app: true,
  ...over,
})
const error = (frames: object[], over: object = {}, event: object = {}) => ({
  platform: 'python',
  exception: { values: [{ type: 'E', value: 'v 1', stacktrace: { frames }, ...over }] },
  ...event,
})

describe('hashes', () => {
  test('MD5 over the values in order, the first 64 bits', () => {
    expect(md5(['a', 'bc'])).toBe('900150983cd24fb0d6963f7d28e17f72')
    expect(hashes(error([py()]))).toEqual([md5(['E', 'app.a', 'run', 'x = 1']).slice(0, 16)])
  })
  test('nothing at all is one issue', () => expect(hashes({})).toEqual(['d41d8cd98f00b204']))
  test('app first, then system', () => {
    const list = variants(error([py({ module: 'lib', in_app: false }), py()]))
    expect(list.map((entry) => [entry.name, entry.contributes])).toEqual([
      ['app', true],
      ['system', true],
    ])
    expect(list[0]?.values).toEqual(['E', 'app.a', 'run', 'x = 1'])
  })
  test('without frames of own code, system alone', () => {
    expect(
      variants(error([py({ in_app: false })]))
        .filter((variant) => variant.contributes)
        .map((variant) => variant.name),
    ).toEqual(['system'])
  })

  const same: [string, unknown, unknown][] = [
    ['line numbers', error([py()]), error([py({ lineno: 99 })])],
    ['values beside a stack', error([py()]), error([py()], { value: 'other' })],
    ['recursion', error([py()]), error([py(), py(), py()])],
    ['spaces of the source line', error([py()]), error([py({ context_line: 'x = 1' })])],
    ['numbers in a message', { message: 'user 12 gone' }, { message: 'user 99 gone' }],
    [
      'parameters of a template',
      { logentry: { message: 'a %s', params: ['b'] } },
      { logentry: { message: 'a %s', params: ['c'] } },
    ],
    [
      'values without a stack',
      { exception: { type: 'E', value: 'id 5f1d7a84-9a1c-4a5e-9d3c-0c6b1f1f2a3b' } },
      { exception: { type: 'E', value: 'id 0f1d7a84-9a1c-4a5e-9d3c-0c6b1f1f2a3c' } },
    ],
    ['hosts of a script', script('https://a.example/x.js'), script('https://b.example/y/x.js')],
    [
      'prefix of a JavaScript function',
      script('https://a.example/x.js', 'Object.run'),
      script('https://a.example/x.js', 'run'),
    ],
    ['client fingerprint', error([py()], {}, { fingerprint: ['one'] }), { message: 'x', fingerprint: ['one'] }],
    ['default in any spacing', error([py()]), error([py()], {}, { fingerprint: ['{{default}}'] })],
    [
      'chunks that fail to load',
      { platform: 'javascript', exception: { type: 'ChunkLoadError', value: 'Loading chunk 1 failed' } },
      { platform: 'javascript', exception: { type: 'ChunkLoadError', value: 'chunk app/layout' } },
    ],
    ['checksum', { checksum: 'a'.repeat(32), message: 'x' }, { checksum: 'A'.repeat(32), message: 'y' }],
  ]
  describe.each(groupingVersions)('version %i', (version) => {
    test.each(same)('merges over %s', (_, a, b) => expect(hashes(a, version)[0]).toBe(hashes(b, version)[0]))
  })

  const different: [string, unknown, unknown][] = [
    ['types', error([py()]), error([py()], { type: 'F' })],
    ['functions', error([py()]), error([py({ function: 'go' })])],
    ['words of a message', { message: 'user gone' }, { message: 'user back' }],
    [
      'hybrid fingerprints',
      error([py()], {}, { fingerprint: ['{{ default }}', 'a'] }),
      error([py()], {}, { fingerprint: ['{{ default }}', 'b'] }),
    ],
    ['client fingerprints', error([py()], {}, { fingerprint: ['a'] }), error([py()], {}, { fingerprint: ['b'] })],
    ['hydration of two pages', hydration('/a'), hydration('/b')],
    [
      'directives',
      { csp: { effective_directive: 'img-src', blocked_uri: 'https://a.example/x' } },
      { csp: { effective_directive: 'font-src', blocked_uri: 'https://a.example/x' } },
    ],
  ]
  describe.each(groupingVersions)('version %i', (version) => {
    test.each(different)('splits by %s', (_, a, b) => expect(hashes(a, version)[0]).not.toBe(hashes(b, version)[0]))
  })
})

function script(filename: string, name = 'run') {
  return {
    platform: 'javascript',
    exception: {
      type: 'E',
      value: 'v',
      stacktrace: { frames: [{ filename, function: name, in_app: true, lineno: 1 }] },
    },
  }
}

function hydration(transaction: string) {
  return {
    platform: 'javascript',
    transaction,
    exception: { type: 'Error', value: 'Text content does not match server-rendered HTML.' },
  }
}

describe('frames', () => {
  test.each([
    ['python', { module: 'm', filename: 'a/B.py', function: 'f' }, ['m', 'f']],
    ['python', { filename: 'a/B.py', function: 'f', context_line: 'x'.repeat(121) }, ['b.py', 'f']],
    ['go', { filename: 'a/b.go', function: 'f', context_line: 'x' }, ['b.go', 'f']],
    ['javascript', { filename: '/x.js', abs_path: 'https://a/x.js', function: 'a.b.c' }, ['c']],
    ['javascript', { filename: '/x.js', abs_path: 'https://a/x.js', context_line: 'code' }, []],
    ['javascript', { filename: 'x.js', function: 'eval' }, []],
    ['javascript', { filename: 'x.js', abs_path: '<anonymous>', function: 'f' }, []],
    ['javascript', { filename: 'x.js', function: 'f/<' }, ['x.js']],
    [
      'node',
      { filename: '/srv/app/x.js', abs_path: '/srv/app/x.js', module: 'x', function: 'Object.<anonymous>' },
      ['x'],
    ],
    ['java', { module: 'a.B$$Lambda$1', function: 'lambda$x$0', filename: 'B.java' }, ['b.java']],
    ['ruby', { filename: 'a.rb', function: 'block (2 levels) in x' }, ['a.rb', 'block']],
    ['php', { filename: 'a.php', function: 'class@anonymous\0/x.php:3::go' }, ['a.php', 'go']],
    ['native', { function: '<redacted>' }, []],
  ])('%s %j', (platform, frame, expected) =>
    expect(frameValues({ in_app: true, ...frame }, platform)).toEqual(expected),
  )

  test('a single frame of a page without function: the message groups', () => {
    const event = {
      platform: 'javascript',
      exception: {
        type: 'E',
        value: 'v 7',
        stacktrace: { frames: [{ filename: 'https://a.example/x.js', lineno: 1 }] },
      },
    }
    expect(variants(event)[0]?.values).toEqual(['E', 'v <int>'])
  })
})

describe('parameters (4.4)', () => {
  test.each([
    ['mail to bob@a.example now', 'mail to <email> now'],
    ['GET https://a.example/x?y=1 failed', 'GET <url> failed'],
    ['lookup db.internal failed', 'lookup <hostname> failed'],
    ['from 10.0.0.12:8080', 'from <ip>:<int>'],
    ['from fe80::1ff:fe23:4567:890a', 'from <ip>'],
    ['std::vector A::b', 'std::vector A::b'],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', '<traceparent>'],
    ['id 5f1d7a84-9a1c-4a5e-9d3c-0c6b1f1f2a3b', 'id <uuid>'],
    ['da39a3ee5e6b4b0d3255bfef95601890afd80709', '<sha1>'],
    ['d41d8cd98f00b204e9800998ecf8427e', '<md5>'],
    ['at 2024-01-02T03:04:05.123Z', 'at <date>'],
    ['on Jan 02, 2006', 'on <date>'],
    ['Thu, 01 Jan 1970 00:00:00 GMT', '<date>'],
    ['took 12ms of 3.4s', 'took <duration> of <duration>'],
    ['at 0x7fff5fbff8c0', 'at <hex>'],
    ['blob deadbeef01', 'blob <hex>'],
    ['commit a1b2c3d', 'commit <git_sha>'],
    ['ratio 0.25 of -3', 'ratio <float> of <int>'],
    ['step-2 v2', 'step-<int> v2'],
    ["name='bob' on=true", 'name=<quoted_str> on=<bool>'],
    ['trans-id tx0123456789abcdef01234-0061a5c3d2', 'trans-id <swift_txn_id>'],
    ['on 00:1a:2b:3c:4d:5e', 'on <mac>'],
    ['plain words', 'plain words'],
    ['a.b+c@x.example.com: see x.example.com or ftp://x.example.com/y', '<email>: see <hostname> or <url>'],
    [
      'call app.info() of foo.bar.com.baz at 10.0.0.1 db.local',
      'call app.info() of foo.bar.com.baz at <ip> <hostname>',
    ],
  ])('%s', (sent, expected) => expect(parameterize(sent)).toBe(expected))
  test('two lines, the rest as dots', () => expect(parameterizedMessage('\na\n\nb\nc')).toBe('a\nb...'))
  test('over 8,192 characters: as it is', () => expect(parameterize('1 '.repeat(5000))).toBe('1 '.repeat(5000)))
  test.each(['a.', 'a@', '1:', '1.', 'a', '0', 'f', '-', '="', 'Mon ', 'a-', '12 Jan ', '::1'])(
    'a text of nothing but %j: the same each time',
    (entry) => {
      const text = entry.repeat(8192 / entry.length)
      expect(parameterize(text)).toBe(parameterize(text))
      expect(parameterize(text).length).toBeGreaterThan(0)
    },
  )
  test('an event with nothing but hostile texts', () => {
    const value = (n: number) => `${n} ${`${'a-'.repeat(31)}a.`.repeat(127)}`
    const event = refineEvent(error([py()])).event
    event.exception = { values: Array.from({ length: 50 }, (_, n) => ({ type: 'E', value: value(n) })) }
    expect(group(event, undefined, createRuleCache()).variants.length).toBeGreaterThan(0)
  })
})

describe('variables (4.5)', () => {
  const event = error(
    [py({ package: '/lib/x.so' })],
    {},
    { transaction: '/t', logger: 'l', level: 'warning', tags: { a: 'b' }, message: 'm' },
  )
  test.each([
    ['{{ transaction }}', '/t'],
    ['{{ error.type }}', 'E'],
    ['{{type}}', 'E'],
    ['{{ error.value }}', 'v 1'],
    ['{{ function }}', 'run'],
    ['{{ stack.module }}', 'app.a'],
    ['{{ stack.filename }}', 'app/a.py'],
    ['{{ package }}', 'x.so'],
    ['{{ level }}', 'warning'],
    ['{{ logger }}', 'l'],
    ['{{ message }}', 'm'],
    ['{{ tags.a }}', 'b'],
    ['{{ tags.z }}', '<no-value-for-tag-z>'],
    ['{{ odd }}', '<unrecognized-variable-odd>'],
    ['x-{{ type }}', 'x-E'],
    ['plain', 'plain'],
  ])('%s is %s', (entry, expected) =>
    expect(variants({ ...event, fingerprint: [entry] })[0]?.values).toEqual([expected]),
  )
})

describe('chains (4.2)', () => {
  const entry = (type: string, mechanism: object): NormalException => ({
    type,
    value: type,
    mechanism: { type: 'generic', ...mechanism },
  })
  const differ = () => false
  test('a group of one distinct exception: its path without the wrapper', () => {
    const values = [
      entry('Cause', { exception_id: 2, parent_id: 1 }),
      entry('Real', { exception_id: 1, parent_id: 0 }),
      entry('Group', { exception_id: 0, is_exception_group: true }),
    ]
    const chain = chainOf(values, undefined, differ)
    expect([chain?.list.map((e) => e.type), chain?.main.type]).toEqual([['Cause', 'Real'], 'Real'])
  })
  test('a group of several: those and the root', () => {
    const values = [
      entry('A', { exception_id: 2, parent_id: 0 }),
      entry('B', { exception_id: 1, parent_id: 0 }),
      entry('Group', { exception_id: 0, is_exception_group: true }),
    ]
    const chain = chainOf(values, undefined, differ)
    expect([chain?.list.map((e) => e.type), chain?.main.type]).toEqual([['A', 'B', 'Group'], 'Group'])
  })
  test.each([
    ['missing', [{}, { exception_id: 0, is_exception_group: true }]],
    ['twice', [{ exception_id: 0 }, { exception_id: 0, is_exception_group: true }]],
    [
      'its own parent',
      [
        { exception_id: 1, parent_id: 1 },
        { exception_id: 0, is_exception_group: true },
      ],
    ],
  ])('ids %s: the flat list', (_, mechanisms) => {
    const values = mechanisms.map((mechanism, i) => entry(`T${i}`, mechanism))
    expect(chainOf(values, undefined, differ)?.list).toHaveLength(2)
  })
  test.each([
    ['sentry.python', '2.35.0', ['Real']],
    ['sentry.python', '3.0.0', ['Real', 'Group']],
    ['sentry.python.django', '3.1.0', ['Real', 'Group']],
    ['sentry.javascript.node', '3.0.0', ['Real']],
  ])('of %s %s', (name, version, types) => {
    const values = [
      entry('Real', { exception_id: 1, parent_id: 0 }),
      entry('Group', { exception_id: 0, is_exception_group: true }),
    ]
    expect(chainOf(values, { name, version }, differ)?.list.map((e) => e.type)).toEqual(types)
  })
  test('title and culprit are those of the exception that stands for a group', () => {
    const child = (id: number, value: string, name: string) => ({
      type: 'ValueError',
      value,
      stacktrace: { frames: [py({ function: name })] },
      mechanism: { type: 'chained', exception_id: id, parent_id: 0 },
    })
    const root = {
      type: 'ExceptionGroup',
      value: 'many (2 sub-exceptions)',
      stacktrace: { frames: [py({ function: 'wrap' })] },
      mechanism: { type: 'generic', exception_id: 0, is_exception_group: true },
    }
    const titleOf = (second: string) =>
      refineEvent({
        platform: 'python',
        exception: { values: [child(2, 'two', second), child(1, 'one', 'run'), root] },
      }).event.findings
    // Same type and stack, two values: they count as one exception.
    expect(titleOf('run')).toMatchObject({ title: 'ValueError: two', culprit: 'app.a in run' })
    expect(titleOf('go')).toMatchObject({ title: 'ExceptionGroup: many (2 sub-exceptions)', culprit: 'app.a in wrap' })
  })
  test('a ring of parents ends', () => {
    const values = [
      entry('A', { exception_id: 1, parent_id: 2, is_exception_group: true }),
      entry('B', { exception_id: 2, parent_id: 1, is_exception_group: true }),
      entry('R', { exception_id: 0, parent_id: 1, is_exception_group: true }),
    ]
    expect(chainOf(values, undefined, differ)?.main.type).toBe('R')
  })
  test("React's wrapper gives way to its cause", () => {
    const text =
      'There was an error during concurrent rendering but React was able to recover by instead synchronously rendering the entire root.'
    const cause: NormalException = { type: 'TypeError', value: 'real', mechanism: { type: 'x', source: 'cause' } }
    expect(chainOf([cause, { type: 'Error', value: text }], undefined, differ)?.main).toBe(cause)
  })
})
