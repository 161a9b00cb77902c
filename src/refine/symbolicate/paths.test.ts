import { describe, expect, test } from 'vitest'
import {
  addressOf,
  dataUrlBytes,
  inAppOfSource,
  joinUrl,
  moduleOfPath,
  referenceOf,
  shownSource,
  urlCandidates,
} from './paths.ts'

test.each([
  ['https://a.test/x.js#frag', 'https://a.test/x.js'],
  ['async https://a.test/x.js', 'https://a.test/x.js'],
  ['/srv/app.js', '/srv/app.js'],
])('addressOf %s', (sent, want) => expect(addressOf(sent)).toBe(want))

test.each<[string, string[]]>([
  ['https://a.test/s/x.js?v=1', ['https://a.test/s/x.js?v=1', 'https://a.test/s/x.js', '~/s/x.js?v=1', '~/s/x.js']],
  ['app:///x.js', ['app:///x.js', '~/x.js']],
  ['/srv/x.js', ['/srv/x.js', '~/srv/x.js']],
  ['x.js', ['x.js', '~/x.js']],
  ['~/x.js?1', ['~/x.js?1', '~/x.js']],
])('urlCandidates %s', (url, want) => expect(urlCandidates(url)).toEqual(want))

test.each<[string, string | undefined]>([
  ['a()\n//# sourceMappingURL=a.js.map', 'a.js.map'],
  ['a()\n//@ sourceMappingURL=old.map\n', 'old.map'],
  ['//# sourceMappingURL=1.map\n//# sourceMappingURL=2.map\n//# debugId=x', '2.map'],
  ['//# sourceMappingURL=\n', undefined],
  ['//# sourceMappingURL=1.map\n//# sourceMappingURL=\n', undefined],
  ['a()\r\n//# sourceMappingURL=a.js.map \r\n', 'a.js.map'],
  ['a()//# sourceMappingURL=a.js.map', 'a.js.map'],
  ['//# sourceMappingURL=a.js.map\nconst b = "//# sourceMappingURL=b.map"', 'a.js.map'],
  ["//# sourceMappingURL=a.js.map\nadd('\\n//# sourceMappingURL=' + name)", 'a.js.map'],
  ['//# sourceMappingURL=a.js.map\nadd(`//# sourceMappingURL=${name}\n`)', 'a.js.map'],
  ['add(`//# sourceMappingURL=b.map`)', undefined],
  ['"//# sourceMappingURL=b.map"', undefined],
  ['a()', undefined],
])('referenceOf %j: the last one', (script, want) => expect(referenceOf(script)).toBe(want))

test.each<[string, string | undefined]>([
  ['data:application/json;base64,eyJhIjoxfQ==', '{"a":1}'],
  ['data:application/json;charset=utf-8;base64,eyJhIjoxfQ==', '{"a":1}'],
  ['data:application/json,%7B%22a%22%3A1%7D', '{"a":1}'],
  ['data:application/json,%', undefined],
  ['a.js.map', undefined],
])('dataUrlBytes %s', (url, want) => expect(dataUrlBytes(url)?.toString()).toBe(want))

test.each([
  ['https://a.test/s/x.js', 'x.js.map', 'https://a.test/s/x.js.map'],
  ['https://a.test/s/x.js?q=/w', '../m/x.map', 'https://a.test/m/x.map'],
  ['https://a.test/x.js', '../../up.ts', 'https://a.test/up.ts'],
  ['https://a.test/s/x.js', '/m.map', 'https://a.test/m.map'],
  ['https://a.test/s/x.js', '~/m.map', 'https://a.test/m.map'],
  ['https://a.test/s/x.js', '//cdn.test/m.map', 'https://cdn.test/m.map'],
  ['https://a.test/s/x.js', 'webpack:///./src/a.ts', 'webpack:///./src/a.ts'],
  ['app:///s/x.js', './a b/ö.ts', 'app:///s/a b/ö.ts'],
  ['/srv/dist/x.js', '../src/a.ts', '/srv/src/a.ts'],
  ['~/s/x.js', 'x.js.map', '~/s/x.js.map'],
  ['https://a.test', 'x.map', 'https://a.test/x.map'],
])('joinUrl %s %s', (base, reference, want) => expect(joinUrl(base, reference)).toBe(want))

test.each([
  ['webpack://shop/./src/a.ts', './src/a.ts'],
  ['webpack:///./src/App.vue?1a2b', './src/App.vue'],
  ['webpack:///./~/react/index.js', '~/react/index.js'],
  ['turbopack:///[project]/src/a.ts', 'src/a.ts'],
  ['../../src/a.ts', 'src/a.ts'],
  ['https://a.test/src/a.ts', '/src/a.ts'],
])('shownSource %s', (source, want) => expect(shownSource(source)).toBe(want))

test.each<[string, string | undefined]>([
  ['https://a.test/files/test.js', 'files/test'],
  ['https://a.test/static/js/app.min.js?x', 'app'],
  ['https://a.test/1.2.3/app-deadbeef.js', 'app'],
  ['https://a.test/x/0123456789abcdef0123456789abcdef/in/app.js', 'in/app'],
  ['webpack:///./src/node_modules/x/a.tsx', 'src/node_modules/x/a'],
  ['app:///_next/server/pages/test.js', 'server/pages/test'],
  ['https://a.test/', undefined],
])('moduleOfPath %s', (path, want) => expect(moduleOfPath(path)).toBe(want))

describe('inAppOfSource', () => {
  test.each<[string, string, boolean | undefined, boolean | undefined]>([
    ['webpack://shop/./src/a.ts', 'webpack://shop/./src/a.ts', undefined, true],
    ['webpack:///./src/a.ts', '', false, true],
    ['webpack:///external "x"', '', true, false],
    ['webpack:///./node_modules/x/a.js', '', true, false],
    ['webpack:///./~/x/a.js', '', true, false],
    ['turbopack:///[project]/src/a.ts', '', undefined, true],
    ['a.ts', 'app:///a.ts', undefined, true],
    ['../node_modules/x/a.js', 'https://a.test/node_modules/x/a.js', true, false],
    ['src/a.ts', 'https://a.test/src/a.ts', undefined, undefined],
    ['src/a.ts', 'https://a.test/src/a.ts', true, true],
  ])('%s at %s, said %s: %s', (source, absPath, said, want) => {
    expect(inAppOfSource(source, absPath, said)).toBe(want)
  })
})
