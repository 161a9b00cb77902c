import { describe, expect, test } from 'vitest'
import {
  addUploaded,
  compileUploaded,
  isRouteManifest,
  matchingUploaded,
  routeOfFile,
  routesOfManifest,
} from './uploaded-routes.ts'

describe('the route of a file', () => {
  test.each([
    ['~/_next/static/chunks/app/page-0123456789abcdef.js', '/'],
    ['~/_next/static/chunks/app/blog/[slug]/page-0123456789abcdef.js', '/blog/[slug]'],
    ['~/_next/static/chunks/app/blog/%5Bslug%5D/page-0123456789abcdef.js.map', '/blog/[slug]'],
    ['~/_next/server/app/docs/[...all]/page.js', '/docs/[...all]'],
    ['~/_next/server/app/shop/[[...filters]]/page.js', '/shop/[[...filters]]'],
    ['~/_next/server/app/(shop)/cart/page.js', '/cart'],
    ['~/_next/server/app/(shop)/page.js', '/'],
    ['~/_next/server/app/dashboard/@team/page.js', '/dashboard'],
    ['~/_next/server/app/api/orders/[id]/route.js', '/api/orders/[id]'],
    ['~/server/app/cart/page.js', '/cart'],
    ['https://shop.example/base/_next/static/chunks/app/cart/page-0123456789abcdef.js?dpl=1', '/base/cart'],
    ['~/base/_next/static/chunks/pages/index-0123456789abcdef.js', '/base'],
    ['~/_next/static/chunks/pages/blog/[slug]-0123456789abcdef.js', '/blog/[slug]'],
    ['~/_next/static/chunks/pages/blog/index-0123456789abcdef.js', '/blog'],
    ['~/_next/server/pages/api/hello.js', '/api/hello'],
    ['~/_next/static/chunks/pages/_app-0123456789abcdef.js', undefined],
    ['~/_next/static/chunks/app/layout-0123456789abcdef.js', undefined],
    ['~/_next/static/chunks/app/_private/page-0123456789abcdef.js', undefined],
    ['~/_next/static/chunks/app/_not-found/page-0123456789abcdef.js', undefined],
    ['~/_next/server/app/feed/(..)photo/[id]/page.js', undefined],
    ['~/_next/server/app/feed/(.)photo/page.js', undefined],
    ['~/_next/server/app/%5Flow/page.js', undefined],
    ['~/_next/static/chunks/main-0123456789abcdef.js', undefined],
    ['~/_next/server/app/cart/page.html', undefined],
    ['~/0d5c6f1e-1111-4222-8333-444455556666-0.js', undefined],
    [`~/_next/server/app/${'a/'.repeat(600)}page.js`, undefined],
  ])('%s is %s', (url, route) => {
    expect(routeOfFile(url)).toBe(route)
  })
})

describe('a manifest', () => {
  test('of routes has static and dynamic ones, and the base path', () => {
    const manifest = {
      version: 3,
      basePath: '/shop',
      staticRoutes: [{ page: '/' }, { page: '/cart', regex: '^/cart$' }, { page: '/_not-found' }, { page: 7 }, null],
      dynamicRoutes: [{ page: '/orders/[id]' }],
    }
    expect(routesOfManifest(JSON.stringify(manifest))).toEqual(['/shop', '/shop/cart', '/shop/orders/[id]'])
  })

  test('of paths has routes by file', () => {
    expect(
      routesOfManifest('{"/(shop)/cart/page":"/cart","/api/x/route":"/api/x","/_not-found/page":"/_not-found"}'),
    ).toEqual(['/cart', '/api/x'])
  })

  test.each(['', '[]', '7', 'null', '{"staticRoutes":{}}', '{"basePath":"\\n","a":"b"}', '{"a":"/x y"}'])(
    '%s has none',
    (text) => {
      expect(routesOfManifest(text)).toEqual([])
    },
  )

  test.each([
    ['~/routes-manifest.json', true],
    ['~/_next/app-path-routes-manifest.json?x', true],
    ['~/build-manifest.json', false],
    ['~/routes-manifest.json.map', false],
  ])('%s: %s', (url, expected) => {
    expect(isRouteManifest(url)).toBe(expected)
  })
})

describe('which route a path has', () => {
  const routes = compileUploaded([
    '/',
    '/docs/[...all]',
    '/docs/[page]',
    '/docs/start',
    '/shop/[[...filters]]',
    '/[lang]/about',
    '/orders/[id]/items',
  ])
  test.each([
    ['/', '/'],
    ['/docs', undefined],
    ['/docs/start', '/docs/start'],
    ['/docs/end', '/docs/[page]'],
    ['/docs/a/b', '/docs/[...all]'],
    ['/shop', '/shop/[[...filters]]'],
    ['/shop/a/b', '/shop/[[...filters]]'],
    ['/de/about', '/[lang]/about'],
    ['//about', undefined],
    ['/orders/7/items', '/orders/[id]/items'],
    ['/orders/7', undefined],
  ])('%s: %s', (path, expected) => {
    expect(matchingUploaded(path.split('/'), routes)).toBe(expected)
  })
})

describe('routes of releases', () => {
  test('files of one release add up, and releases with the same routes share an entry', () => {
    const one = addUploaded([], 'a', ['/cart', '/'])
    expect(addUploaded(one, 'a', ['/'])).toBe(one)
    expect(addUploaded(one, 'b', [])).toBe(one)
    const two = addUploaded(one, 'b', ['/', '/cart'])
    expect(two).toEqual([{ releases: ['b', 'a'], routes: ['/', '/cart'] }])
    const three = addUploaded(two, 'b', ['/new'])
    expect(three).toEqual([
      { releases: ['b'], routes: ['/', '/cart', '/new'] },
      { releases: ['a'], routes: ['/', '/cart'] },
    ])
  })

  test('what is stored is bounded', () => {
    let sets = addUploaded(
      [],
      'r',
      Array.from({ length: 900 }, (_, n) => `/${n}`),
    )
    expect(sets[0]?.routes).toHaveLength(500)
    for (let n = 0; n < 30; n++) sets = addUploaded(sets, `s${n}`, ['/same', `/${'x'.repeat(300)}`])
    expect([sets.length, sets[0]?.releases.length, sets[0]?.routes]).toEqual([2, 20, ['/same']])
    for (let n = 0; n < 9; n++) sets = addUploaded(sets, `t${n}`, [`/${n}`])
    expect(sets.map(({ releases }) => releases[0])).toEqual(['t8', 't7', 't6', 't5', 't4'])
  })
})
