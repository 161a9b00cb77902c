import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dumpFormOf, readForm } from './minidump.ts'

test.each([
  ['4d444d50', 'plain'],
  ['504d444d', 'plain'],
  ['1f8b08', 'gzip'],
  ['28b52ffd', 'zstd'],
  ['fd377a585a00', 'xz'],
  ['425a68', 'bzip2'],
  ['4d444d', undefined],
  ['fd377a585a', undefined],
  ['504b0304', undefined],
  ['', undefined],
])('%s begins like %s', (hex, form) => expect(dumpFormOf(Buffer.from(hex, 'hex'))).toBe(form))

test.each<[string, [string, string][], object, string[], boolean]>([
  ['nothing', [], {}, [], false],
  ['JSON', [['sentry', '{"a":1}']], { a: 1 }, [], false],
  ['blanks', [['sentry', ' ']], {}, [], false],
  ['no JSON', [['sentry', '{']], {}, [], true],
  ['a list', [['sentry', '[]']], {}, [], true],
  [
    'pieces by their numbers',
    [
      ['sentry__2', ':1}'],
      ['sentry__1', '{"a"'],
    ],
    { a: 1 },
    [],
    false,
  ],
  [
    'the whole before pieces',
    [
      ['sentry__1', '{"a":2}'],
      ['sentry', '{"a":1}'],
    ],
    { a: 1 },
    [],
    false,
  ],
  [
    'names in brackets, over the JSON',
    [
      ['sentry', '{"tags":{"a":"1"},"release":"x"}'],
      ['sentry[tags][b]', '2'],
      ['sentry[release]', 'y'],
    ],
    { tags: { a: '1', b: '2' }, release: 'y' },
    [],
    false,
  ],
  [
    'lists',
    [
      ['sentry[fingerprint][]', 'a'],
      ['sentry[fingerprint][]', 'b'],
    ],
    { fingerprint: ['a', 'b'] },
    [],
    false,
  ],
  [
    'a name over a text',
    [
      ['sentry[a]', 'x'],
      ['sentry[a][b]', 'y'],
    ],
    { a: { b: 'y' } },
    [],
    false,
  ],
  [
    'others',
    [
      ['ver', '1'],
      ['sentry_data', '2'],
      ['sentry__x', '3'],
    ],
    {},
    ['ver', 'sentry_data', 'sentry__x'],
    false,
  ],
  [
    'prototypes and no name',
    [
      ['sentry[__proto__][x]', '1'],
      ['sentry[]', '2'],
      ['sentry[', '3'],
    ],
    {},
    [],
    false,
  ],
])('readForm: %s', (_name, fields, event, rest, broken) => {
  const found = readForm(fields.map(([name, value]) => ({ name, value })))
  expect([found.event, found.others.map((entry) => entry.name), found.broken]).toEqual([event, rest, broken])
})

test('readForm never throws, and reaches no prototype', () => {
  const name = fc.array(fc.constantFrom('sentry', '[', ']', 'a', '__proto__', 'constructor', '__1', '[]', '[b]'), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.string()), { maxLength: 8 }), (fields) => {
      readForm(fields.map(([parts, value]) => ({ name: parts.join(''), value })))
      expect(Object.keys(Object.prototype)).toEqual([])
      expect(Object.hasOwn(Object, 'a')).toBe(false)
    }),
    { seed: 3, numRuns: 3000 },
  )
})
