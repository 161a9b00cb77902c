import { describe, expect, test } from 'vitest'
import { refineEvent } from '../../pipeline/fixture.cases.ts'
import { asDigest, digestInText } from './digest.ts'

const stack = (...frames: object[]) => ({ stacktrace: { frames: frames.map((frame) => ({ in_app: true, ...frame })) } })

describe('titles', () => {
  test.each([
    [{ exception: { type: 'E', value: 'one\ntwo' } }, 'E: one'],
    [{ exception: { type: 'E' } }, 'E'],
    [{ exception: { value: 'only this' } }, 'only this'],
    [{ exception: stack({ function: 'f' }) }, 'f'],
    [{ exception: stack({ filename: 'x' }) }, '<unknown>'],
    [
      {
        exception: { type: 'Error', value: 'thrown text', mechanism: { synthetic: true }, ...stack({ function: 'f' }) },
      },
      'thrown text',
    ],
    [
      {
        exception: {
          type: 'SIGSEGV',
          value: 'Segfault',
          mechanism: { synthetic: true },
          ...stack({ function: 'crash', instruction_addr: '0x1' }),
        },
      },
      'crash',
    ],
    [
      {
        exception: [
          { type: 'Cause', value: 'a' },
          { type: 'Last', value: 'b' },
        ],
      },
      'Last: b',
    ],
    [{ exception: { type: 'E', value: 'x'.repeat(400) } }, `E: ${'x'.repeat(250)}...`],
    [{ message: '\n  hello \nyou' }, 'hello'],
    [{}, '<unlabeled event>'],
  ])('%j', (event, title) => expect(refineEvent(event).effect.title).toBe(title))
})

describe('culprits', () => {
  const frames = stack(
    { function: 'a', filename: 'https://x.example/js/a.js', module: 'mod/a' },
    { function: 'lib', filename: 'https://x.example/lib.js', in_app: false },
  )
  test.each([
    [{ transaction: '/t', exception: frames }, '/t'],
    [{ platform: 'javascript', exception: frames }, 'a(mod/a)'],
    [{ platform: 'javascript', exception: stack({ filename: 'https://x.example/js/a.js' }) }, '?(/js/a.js)'],
    [{ platform: 'python', exception: stack({ function: 'f', module: 'm' }) }, 'm in f'],
    [{ platform: 'native', exception: stack({ function: 'f', package: 'p' }) }, 'f'],
    [{ message: 'x', request: { url: 'https://a.example/p?q=1' } }, 'https://a.example/p'],
    [{ message: 'x' }, ''],
  ])('%j', (event, culprit) => expect(refineEvent(event).effect.culprit).toBe(culprit))
  test('file and function of the crash, for list rows', () => {
    expect(refineEvent({ platform: 'javascript', exception: { type: 'E', ...frames } }).effect.metadata).toEqual({
      type: 'E',
      filename: '/js/a.js',
      function: 'a',
    })
  })
})

describe('in_app', () => {
  test.each([
    ['javascript', { filename: 'https://a/x.js' }, false],
    ['javascript', { filename: 'https://a/node_modules/x.js', in_app: true }, true],
    ['javascript', { filename: 'webpack://app/./src/x.js' }, true],
    ['javascript', { filename: './src/x.js' }, true],
    ['javascript', { filename: 'webpack://app/node_modules/x.js', in_app: true }, false],
    ['node', { filename: 'app:///index.js' }, true],
    ['node', { filename: 'app:///node_modules/x/index.js', in_app: true }, false],
    ['node', { filename: 'node:internal/timers' }, false],
    ['node', { filename: '/srv/app/x.js', in_app: true }, true],
    ['python', { filename: '/usr/lib/python3/site-packages/x.py', in_app: false }, false],
    ['python', { filename: 'app/x.py', in_app: null }, false],
  ])('%s %j', (platform, frame, expected) =>
    expect(refineEvent({ platform, stacktrace: { frames: [frame] } }).event.stacktrace?.frames[0]?.in_app).toBe(
      expected,
    ),
  )
})

describe('digests', () => {
  test.each([
    [{ tags: { digest: '3859755225' } }, 'tags.digest'],
    [{ contexts: { nextjs: { digest: '3859755225' } } }, 'contexts.nextjs.digest'],
    [
      { exception: { type: 'E', mechanism: { type: 'x', data: { digest: '3859755225' } } } },
      'exception.values.0.mechanism.data.digest',
    ],
    [{ exception: { type: 'E', value: "failed { digest: '3859755225' }" } }, 'exception.values.0.value'],
    [
      { breadcrumbs: [{ data: { arguments: ['x', { digest: '3859755225' }] } }] },
      'breadcrumbs.values.0.data.arguments.1.digest',
    ],
    [{ breadcrumbs: [{ message: 'Digest: 3859755225' }] }, 'breadcrumbs.values.0.message'],
    [{ extra: { error: { digest: 3859755225 } } }, 'extra.error.digest'],
    [{ message: 'Application error, digest 3859755225' }, 'logentry.formatted'],
  ])('%j', (event, found) => {
    const refined = refineEvent(event)
    expect([refined.row.digest, refined.event.findings.digest?.found]).toEqual(['3859755225', found])
  })
  test.each([
    'NEXT_REDIRECT;replace;/x;307;',
    'NEXT_NOT_FOUND',
    'NEXT_HTTP_ERROR_FALLBACK;404',
    'words',
    '12',
    'a b 1',
    'x'.repeat(65),
    null,
    {},
    '',
  ])('%j is none', (value) => {
    expect(asDigest(value)).toBeUndefined()
  })
  test.each(['message digest sha256 differs', 'digest auth failed', 'no number', undefined])('%s names none', (text) =>
    expect(digestInText(text)).toBeUndefined(),
  )
})
