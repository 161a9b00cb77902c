import { describe, expect, test } from 'vitest'
import { compareReleases, compareSemver, semverOf, sortReleases, versionFault, versionInfo } from './release-order.ts'

describe('which texts are a version', () => {
  test.each([
    'shop@1.2.3',
    '1',
    'a'.repeat(200),
    'shop@1.0.0+build.7',
    'with space',
    'ünïcode@1',
    '...',
    'latest@1',
    'ab\u00a0c',
  ])('%j is one', (text) => expect(versionFault(text)).toBeUndefined())
  test.each([
    ['', /A version/],
    ['a'.repeat(201), /At most 200/],
    ['a/b', /slashes/],
    ['a\\b', /slashes/],
    ['a\tb', /tabs/],
    ['a\nb', /line ends/],
    ['a\rb', /line ends/],
    ['a\0b', /tabs/],
    ['a\fb', /line ends/],
    ['a\u2028b', /line ends/],
    ['.', /must not be/],
    ['..', /must not be/],
    ['latest', /must not be/],
    ['Latest', /must not be/],
  ])('%j is none', (text, sentence) => expect(versionFault(text)).toMatch(sentence))
})

describe('name@x.y.z', () => {
  test.each([
    ['shop@1.2.3', { name: 'shop', major: '1', minor: '2', patch: '3', pre: [], build: '' }],
    ['@acme/shop@1.2.3', { name: '@acme/shop', pre: [] }],
    ['a@b@1.2.3-rc.1+7.x', { name: 'a@b', pre: ['rc', '1'], build: '7.x' }],
    ['shop@1.2.3--', { pre: ['-'] }],
    ['shop@1.2.3-0a', { pre: ['0a'] }],
    [`shop@${'9'.repeat(100)}.0.0`, { major: '9'.repeat(100) }],
  ])('%s', (version, found) => expect(semverOf(version)).toMatchObject(found))
  test.each([
    '1.2.3',
    '@1.2.3',
    'shop@1.2',
    'shop@1.2.3.4',
    'shop@v1.2.3',
    'shop@01.2.3',
    'shop@1.2.3-01',
    'shop@1.2.3-a..b',
    'shop@1.2.3+a..b',
    'shop@1.2.3-',
    'shop@1.2.3+',
    'shop@',
    'shop',
    '0123456789abcdef0123456789abcdef01234567',
  ])('%s is none', (version) => expect(semverOf(version)).toBeUndefined())
})

const read = (version: string) => semverOf(version) ?? expect.unreachable(version)

// Each version is older than the next.
const ascending = [
  'p@0.0.0',
  'p@0.9.10',
  'p@0.10.9',
  'p@1.0.0-1',
  'p@1.0.0-2',
  'p@1.0.0-10',
  'p@1.0.0-99999999999999999999',
  'p@1.0.0--',
  'p@1.0.0-alpha',
  'p@1.0.0-alpha.1',
  'p@1.0.0-alpha.beta',
  'p@1.0.0-beta',
  'p@1.0.0-beta.2',
  'p@1.0.0-beta.11',
  'p@1.0.0-rc.1',
  'p@1.0.0',
  'p@1.0.1-0',
  'p@1.0.1',
  'p@9007199254740993.0.0',
  'p@9007199254740994.0.0',
  'p@10000000000000000000000000.0.0',
]

test('semver: the order of a list, each against each', () => {
  for (const [i, a] of ascending.entries())
    for (const [j, b] of ascending.entries())
      expect([a, b, Math.sign(compareSemver(read(a), read(b)))]).toEqual([a, b, Math.sign(i - j)])
})

describe('which of two is later', () => {
  test.each([
    ['semver, whatever the time', 'p@1.0.0', 9, 'p@1.0.1', 1, -1],
    ['prerelease first', 'p@1.0.0-rc.1', 9, 'p@1.0.0', 1, -1],
    ['only the build differs: by time', 'p@1.0.0+b', 1, 'p@1.0.0+a', 2, -1],
    ['other names: by time', 'web@2.0.0', 1, 'api@1.0.0', 2, -1],
    ['one has no semver: by time', 'p@2.0.0', 1, 'main-7', 2, -1],
    ['no package: by time', '2.0.0', 1, '1.0.0', 2, -1],
    ['hashes: by time', 'f'.repeat(40), 1, '0'.repeat(40), 2, -1],
    ['the same', 'p@1.0.0', 1, 'p@1.0.0', 1, 0],
  ])('%s', (_name, a, aMs, b, bMs, found) => {
    expect(compareReleases({ version: a, createdMs: aMs }, { version: b, createdMs: bMs })).toBe(found)
    expect(compareReleases({ version: b, createdMs: bMs }, { version: a, createdMs: aMs })).toBe(found === 0 ? 0 : 1)
  })
})

describe('a list', () => {
  const sorted = (...list: [string, number][]) =>
    sortReleases(list.map(([version, createdMs]) => ({ version, createdMs }))).map((sortRelease) => sortRelease.version)
  test.each<[string, [string, number][], string[]]>([
    [
      'by time without semver',
      [
        ['b', 1],
        ['a', 3],
        ['c', 2],
      ],
      ['a', 'c', 'b'],
    ],
    [
      'a fix of an old version stays behind the newer one',
      [
        ['p@1.0.0', 1],
        ['p@2.0.0', 2],
        ['p@1.0.1', 3],
      ],
      ['p@2.0.0', 'p@1.0.1', 'p@1.0.0'],
    ],
    [
      'pairs that go in a circle have one order, and semver holds in it',
      [
        ['p@1.0.0', 3],
        ['main', 2],
        ['p@2.0.0', 1],
      ],
      ['p@2.0.0', 'p@1.0.0', 'main'],
    ],
    [
      'two names side by side',
      [
        ['api@9.0.0', 1],
        ['web@1.0.0', 2],
        ['api@9.0.1', 3],
        ['web@1.0.1', 4],
      ],
      ['web@1.0.1', 'api@9.0.1', 'web@1.0.0', 'api@9.0.0'],
    ],
    [
      'one time',
      [
        ['p@1.0.0+1', 1],
        ['p@1.0.0+2', 1],
        ['p@0.9.0', 1],
      ],
      ['p@1.0.0+2', 'p@1.0.0+1', 'p@0.9.0'],
    ],
    ['none', [], []],
  ])('%s', (_name, list, found) => {
    expect(sorted(...list)).toEqual(found)
    expect(sorted(...[...list].reverse())).toEqual(found)
  })
  test('the order of the array that was given stays', () => {
    const list = [
      { version: 'a', createdMs: 1 },
      { version: 'b', createdMs: 2 },
    ]
    sortReleases(list)
    expect(list.map((item) => item.version)).toEqual(['a', 'b'])
  })
})

test.each([
  ['shop@1.2.3-rc.1+7', 'shop', '1.2.3-rc.1+7', '1.2.3-rc.1+7', null],
  ['@acme/shop@7', '@acme/shop', '7', '7', null],
  [`shop@${'ab'.repeat(20)}`, 'shop', 'ab'.repeat(20), 'ab'.repeat(6), 'ab'.repeat(20)],
  ['cd'.repeat(32), null, 'cd'.repeat(32), 'cd'.repeat(6), 'cd'.repeat(32)],
  ['v1', null, 'v1', 'v1', null],
  ['shop@', null, 'shop@', 'shop@', null],
  ['@1', null, '@1', '@1', null],
])('what %s says', (version, name, raw, description, buildHash) =>
  expect(versionInfo(version)).toMatchObject({ package: name, raw, description, buildHash }),
)
