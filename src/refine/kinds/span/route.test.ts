import { describe, expect, test } from 'vitest'
import { routeRules } from '../../../domain/traces/routes.ts'
import { assetPath, parameterizedPath, pathOf } from './path.ts'
import { routeOf } from './route.ts'
import { statementOf } from './statement.ts'

describe('placeholders of paths', () => {
  test.each([
    ['/orders/7', '/orders/[id]'],
    ['/orders/7/', '/orders/[id]'],
    ['/', '/'],
    ['/users/3f2504e0-4f89-11d3-9a0c-0305e82c3301/edit', '/users/[id]/edit'],
    ['/c/9f86d081884c7d65', '/c/[id]'],
    ['/commit/4f3a9b2', '/commit/[id]'],
    ['/feedback/decade', '/feedback/decade'],
    ['/v/01ARZ3NDEKTSV4RRFFQ69G5FAV', '/v/[id]'],
    ['/y/dQw4w9WgXcQ', '/y/[id]'],
    ['/blog/2026-11-26/news', '/blog/[date]/news'],
    ['/blog/how-to-build-a-boat', '/blog/[slug]'],
    ['/p/blue-shoes-4711', '/p/[slug]'],
    ['/getting-started/user-settings', '/getting-started/user-settings'],
    ['/api/v2/orders/12.json', '/api/v2/orders/[id].json'],
    ['/u/jane%40example.com', '/u/[email]'],
    ['/@jane/posts', '/@jane/posts'],
    ['/orders/:id', '/orders/:id'],
    ['/orders/{id}', '/orders/{id}'],
    ['/shop/[id]/(group)', '/shop/[id]/(group)'],
    ['/en-US/about', '/en-US/about'],
  ])('%s is %s', (path, expected) => {
    expect(parameterizedPath(path)).toBe(expected)
    expect(parameterizedPath(expected)).toBe(expected)
  })

  test.each([
    ['/_next/static/chunks/main-4f3a9b2c1d.js', '/_next/static/chunks/main-[hash].js'],
    ['/assets/index.BqX81kd2.css', '/assets/index.[hash].css'],
    ['/fonts/inter.woff2', '/fonts/inter.woff2'],
    ['/img/42.png', '/img/42.png'],
  ])('the asset %s is %s', (path, expected) => {
    expect(assetPath(path)).toBe(expected)
  })

  test.each([
    ['https://shop.example/a/b?c=1#d', '/a/b'],
    ['https://shop.example', '/'],
    ['/a?b', '/a'],
    ['Pageload', undefined],
  ])('the path of %s', (address, expected) => {
    expect(pathOf(address)).toBe(expected)
  })
})

describe('the route of a segment', () => {
  const segment = (name: string, attributes: object, more: object = {}) => ({
    op: 'pageload',
    kind: '',
    name,
    source: '',
    release: '',
    attributes: { ...attributes },
    ...more,
  })
  const server = { op: 'http.server' }
  test.each([
    [
      'a template of the framework wins',
      segment('GET /orders/7', { 'http.route': '/orders/[id]' }, server),
      '/orders/[id]',
    ],
    [
      'a template with its method',
      segment('GET', { 'http.route': 'POST /orders', 'http.request.method': 'POST' }, server),
      'POST /orders',
    ],
    [
      'a method that changes something',
      segment('/orders/7', { 'http.request.method': 'DELETE' }, server),
      'DELETE /orders/[id]',
    ],
    ['a browser has no method', segment('/orders/7', { 'http.request.method': 'POST' }), '/orders/[id]'],
    ['only the kind', segment('Pageload', { 'url.path': '/page/42' }, { source: 'url' }), '/page/[id]'],
    [
      'only the kind, a full address',
      segment('Navigation', { 'url.full': 'http://a.example/page/cart?x=1' }),
      '/page/cart',
    ],
    ['a route of the SDK', segment('/shop/[id]', { 'url.path': '/shop/7' }, { source: 'route' }), '/shop/[id]'],
    [
      'a name of its own',
      segment('checkout step 2', { 'url.path': '/checkout' }, { source: 'custom' }),
      'checkout step 2',
    ],
    ['a raw address as name', segment('/old/17', {}), '/old/[id]'],
    ['a whole address as name', segment('https://a.example/old/17?x', {}), '/old/[id]'],
    ['a job', segment('tasks.send_mail', {}, { op: 'queue.process', source: 'task' }), 'tasks.send_mail'],
    ['only a method', segment('GET', { 'url.full': 'http://a.example/x/1' }, server), '/x/[id]'],
    ['nothing', segment('', {}), ''],
    ['attributes of wrong types', segment('Pageload', { 'url.path': ['/a'], 'http.route': {} }), 'Pageload'],
  ])('%s', (_name, source, expected) => {
    expect(routeOf(source)).toBe(expected)
  })
})

test('a project has its own patterns, and names that were learned', () => {
  const rules = routeRules({ patterns: ['/shop/[category]/[id]'], learned: ['/users'] })
  const route = (path: string) =>
    routeOf(
      { op: 'pageload', kind: '', name: 'Pageload', source: 'url', release: '', attributes: { 'url.path': path } },
      rules,
    )
  expect(['/shop/shoes/7', '/users/jane/', '/users/7', '/orders/7'].map(route)).toEqual([
    '/shop/[category]/[id]',
    '/users/[name]',
    '/users/[id]',
    '/orders/[id]',
  ])
})

test('routes that were uploaded with a release win over what was learned, and patterns of people over them', () => {
  const uploaded = [{ releases: ['shop@2'], routes: ['/users/[handle]', '/users/new', '/files/[...path]'] }]
  const rules = routeRules({ patterns: ['/files/**'], learned: ['/users'], uploaded })
  const route = (path: string, release: string) =>
    routeOf(
      { op: 'pageload', kind: '', name: 'Pageload', source: 'url', release, attributes: { 'url.path': path } },
      rules,
    )
  expect(
    ['/users/jane', '/users/new', '/users/7/', '/files/a/b', '/orders/7'].map((path) => route(path, 'shop@2')),
  ).toEqual(['/users/[handle]', '/users/new', '/users/[handle]', '/files/**', '/orders/[id]'])
  expect(['/users/jane', '/users/new', '/users/7'].map((path) => route(path, 'shop@1'))).toEqual([
    '/users/[name]',
    '/users/[name]',
    '/users/[id]',
  ])
})

describe('the statement of a span', () => {
  const span = (category: string, text: string, attributes: object = {}, more: object = {}) => ({
    category: category as 'db',
    op: category,
    isSegment: false,
    kind: '',
    text,
    attributes: { ...attributes },
    ...more,
  })
  test.each([
    ['a query', span('db', 'query', { 'db.query.text': 'SELECT * FROM t WHERE a = 1' }), 'SELECT * FROM t WHERE a = ?'],
    [
      'a command of MongoDB',
      span('db', '{"find":"users","filter":{"_id":"5f","age":{"$gt":7}},"limit":1}', { 'db.system.name': 'mongodb' }),
      '{"find":"users","filter":{"_id":?,"age":{"$gt":?}},"limit":?}',
    ],
    ['a list in JSON', span('db', '[{"$match":{"a":{"$in":[1,2,3]}}}]'), '[{"$match":{"a":{"$in":[?]}}}]'],
    ['a command of Redis', span('db', 'set user:17:name "x y"', { 'db.system.name': 'redis' }), 'SET user:[id]:name ?'],
    [
      'a cache',
      span('cache', 'session:9f86d081884c7d65', { 'cache.key': ['session:9f86d081884c7d65'] }, { op: 'cache.get' }),
      'get session:[id]',
    ],
    [
      'a request',
      span(
        'http',
        'GET shop.example',
        { 'url.full': 'https://user:pw@api.example:8443/orders/7?x=1', 'http.request.method': 'post' },
        { op: 'http.client' },
      ),
      'POST api.example:8443/orders/[id]',
    ],
    [
      'a request in its text',
      span('http', 'GET https://api.example/a/1', {}, { op: 'http.client' }),
      'GET api.example/a/[id]',
    ],
    ['a request to the own origin', span('http', 'GET /data/7', {}, { op: 'http.client' }), 'GET /data/[id]'],
    [
      'a template of a request',
      span('http', 'x', { 'url.full': 'https://a.example/b/jane', 'url.template': '/b/{name}' }),
      'GET a.example/b/{name}',
    ],
    ['a remote procedure', span('http', 'x', { 'rpc.service': 'shop.Cart', 'rpc.method': 'Add' }), 'shop.Cart/Add'],
    ['a request that a server answers', span('http', 'GET /a', {}, { isSegment: true }), ''],
    [
      'an asset',
      span('resource', 'shop.example', { 'url.full': 'https://cdn.example/js/app-4f3a9b2c1d.js?v=2' }),
      'cdn.example/js/app-[hash].js',
    ],
    ['an asset in its text', span('resource', '/v11.js'), '/v11.js'],
    ['contents in an address', span('resource', 'data:image/png;base64,AAAA'), 'data:'],
    ['a queue', span('queue', 'x', { 'messaging.destination.name': 'mails' }), 'mails'],
    ['another span', span('ui', 'React render'), ''],
  ])('%s', (_name, source, expected) => {
    expect(statementOf(source)).toBe(expected)
  })
})
