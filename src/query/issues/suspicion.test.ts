import { describe, expect, test } from 'vitest'
import { fitOf, partsOf, suspicionsOf } from './suspicion.ts'

describe('parts of a path', () => {
  test.each([
    ['src/cart.ts', 'src cart.ts'],
    ['./src/cart.ts', 'src cart.ts'],
    ['/srv/build/src/cart.ts', 'srv build src cart.ts'],
    ['webpack://shop/./src/cart.ts', 'src cart.ts'],
    ['webpack:///./src/cart.ts', 'src cart.ts'],
    ['webpack:///src/cart.ts?a1b2', 'src cart.ts'],
    ['webpack-internal:///(rsc)/./src/app/page.tsx', 'src app page.tsx'],
    ['turbopack:///[project]/src/cart.ts', 'src cart.ts'],
    ['app:///src/cart.ts', 'src cart.ts'],
    ['file:///home/jo/shop/src/cart.ts', 'home jo shop src cart.ts'],
    ['https://shop.test/static/app.js?v=2#x', 'static app.js'],
    ['async https://shop.test/static/app.js', 'static app.js'],
    ['~/static/app.js', 'static app.js'],
    ['C:\\work\\shop\\src\\cart.ts', 'work shop src cart.ts'],
    ['./loader.js!./src/cart.vue', 'src cart.vue'],
    ['../../packages/cart/src/index.ts', 'packages cart src index.ts'],
    ['src/a/../cart.ts', 'src cart.ts'],
    ['src/(shop)/cart/page.tsx', 'src (shop) cart page.tsx'],
    ['src/[id]/page.tsx', 'src [id] page.tsx'],
    ['', ''],
    ['/', ''],
    ['webpack://', ''],
    [`${'a/'.repeat(100_000)}cart.ts`, `${'a '.repeat(39)}cart.ts`],
  ])('%.60s', (path, parts) => expect(partsOf(path).join(' ')).toBe(parts))
})

describe('whether a frame and a changed file fit', () => {
  test.each<[string, string, string, [number, string] | undefined]>([
    ['the same', 'src/cart.ts', 'src/cart.ts', [2, 'high']],
    ['webpack', 'webpack://shop/./src/cart.ts', 'src/cart.ts', [2, 'high']],
    ['an absolute build path', '/home/runner/work/shop/src/cart.ts', 'src/cart.ts', [2, 'high']],
    ['a monorepo in front of the repository’s path', './src/cart.ts', 'packages/web/src/cart.ts', [2, 'high']],
    ['both have something in front', '/app/web/src/cart.ts', 'packages/shop/src/cart.ts', [2, 'medium']],
    ['deep and both have something in front', '/app/src/ui/cart.ts', 'web/src/ui/cart.ts', [3, 'medium']],
    ['a file at the top of both', 'cart.ts', 'cart.ts', [1, 'high']],
    ['a bare file name', 'cart.ts', 'src/cart.ts', [1, 'low']],
    ['a frame with folders, a file at the repository’s top', '/app/cart.ts', 'cart.ts', [1, 'low']],
    ['only the name', 'src/a/cart.ts', 'src/b/cart.ts', undefined],
    ['another name', 'src/cart.ts', 'src/order.ts', undefined],
    ['half a name', 'src/shopping-cart.ts', 'src/cart.ts', undefined],
    ['another case', 'src/Cart.ts', 'src/cart.ts', undefined],
    ['a common bare name', 'index.ts', 'src/index.ts', undefined],
    ['a common name in a common folder', '/app/a/src/index.ts', 'packages/b/src/index.ts', undefined],
    ['a common name with its folders', '/app/cart/src/index.ts', 'packages/cart/src/index.ts', [3, 'medium']],
    ['a common name, wholly in', './src/app/page.tsx', 'web/src/app/page.tsx', [3, 'high']],
    ['a common name with one folder, wholly in', './src/index.ts', 'packages/b/src/index.ts', [2, 'medium']],
    [
      'a common name with one folder, the build in front',
      '/app/packages/a/src/index.ts',
      'src/index.ts',
      [2, 'medium'],
    ],
    ['a common name with one folder, the same path', './src/index.ts', 'src/index.ts', [2, 'high']],
    ['a common name at the top of both', 'https://shop.test/main.js', 'main.js', [1, 'low']],
    ['no path', '', 'src/cart.ts', undefined],
  ])('%s', (_name, frame, file, found) => {
    const fit = fitOf(partsOf(frame), partsOf(file))
    expect(fit && [fit.parts, fit.confidence]).toEqual(found)
  })
})

const commit = (name: string, atMs: number) => ({ name, atMs })
type Commit = ReturnType<typeof commit>
const a = commit('a', 1)
const b = commit('b', 2)
const c = commit('c', 3)
const file = (of: Commit, path: string, change: 'A' | 'M' = 'M') => ({ commit: of, path, change })
const frame = (at: number, ...paths: string[]) => ({ at, paths })
const found = (...input: Parameters<typeof suspicionsOf<Commit>>) =>
  suspicionsOf(...input).map((suspicion) => [
    suspicion.commit.name,
    suspicion.frame,
    suspicion.path,
    suspicion.confidence,
    suspicion.alike,
  ])

describe('suspicions', () => {
  test.each<[string, Parameters<typeof suspicionsOf<Commit>>, unknown[]]>([
    [
      'nothing fits: nothing is guessed',
      [[frame(0, 'src/cart.ts')], [file(a, 'src/order.ts'), file(b, 'README.md')]],
      [],
    ],
    ['no frames', [[], [file(a, 'src/cart.ts')]], []],
    ['no files', [[frame(0, 'src/cart.ts')], []], []],
    [
      'the longest common end wins over another file of the same name',
      [
        [frame(0, '/app/packages/shop/src/cart.ts')],
        [file(a, 'packages/shop/src/cart.ts'), file(b, 'admin/src/cart.ts')],
      ],
      [['a', 0, 'packages/shop/src/cart.ts', 'high', 0]],
    ],
    [
      'files that fit equally are said, and nothing sure is made of them',
      [[frame(0, './src/cart.ts')], [file(a, 'packages/x/src/cart.ts'), file(b, 'packages/y/src/cart.ts')]],
      [
        ['b', 0, 'packages/y/src/cart.ts', 'low', 1],
        ['a', 0, 'packages/x/src/cart.ts', 'low', 1],
      ],
    ],
    [
      'two commits of one file are no tie: the later one first',
      [[frame(0, 'src/cart.ts')], [file(a, 'src/cart.ts'), file(b, 'src/cart.ts')]],
      [
        ['b', 0, 'src/cart.ts', 'high', 0],
        ['a', 0, 'src/cart.ts', 'high', 0],
      ],
    ],
    [
      'nearer to where it was thrown comes first',
      [
        [frame(0, 'src/cart.ts'), frame(1, 'src/order.ts')],
        [file(c, 'src/order.ts'), file(a, 'src/cart.ts')],
      ],
      [
        ['a', 0, 'src/cart.ts', 'high', 0],
        ['c', 1, 'src/order.ts', 'high', 0],
      ],
    ],
    [
      'a commit has its strongest reason',
      [
        [frame(0, '/x/y/cart.ts'), frame(1, 'src/order.ts')],
        [file(a, 'cart.ts'), file(a, 'src/order.ts')],
      ],
      [['a', 1, 'src/order.ts', 'high', 0]],
    ],
    [
      'the better of two paths of a frame',
      [[frame(0, 'cart.ts', 'webpack://shop/./src/cart.ts')], [file(a, 'src/cart.ts')]],
      [['a', 0, 'src/cart.ts', 'high', 0]],
    ],
    [
      'frames beyond the thirtieth are not looked at',
      [
        [...Array.from({ length: 30 }, (_one, at) => frame(at, `src/x${at}.ts`)), frame(30, 'src/cart.ts')],
        [file(a, 'src/cart.ts')],
      ],
      [],
    ],
  ])('%s', (_name, input, expected) => expect(found(...input)).toEqual(expected))

  test('of 20,000 files with one name 500 are compared', () => {
    const files = Array.from({ length: 20_000 }, (_one, at) => file(a, `packages/p${at}/src/cart.ts`))
    const frames = Array.from({ length: 30 }, (_one, at) => frame(at, '/app/src/cart.ts'))
    expect(suspicionsOf(frames, files)[0]?.alike).toBe(499)
  })
})
