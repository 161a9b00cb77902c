import { describe, expect, test } from 'vitest'
import { brokenPattern, learnNames, matchingPattern, readRoutes, routeRules, withLearned } from './routes.ts'

const names = (count: number, prefix: string, suffix = '') =>
  Array.from(
    { length: count },
    (_, n) => `${prefix}/n${String.fromCharCode(97 + (n % 26))}${'x'.repeat(n / 26)}${suffix}`,
  )

describe('names that are learned', () => {
  test.each([
    ['too few names are pages', names(49, '/users'), [], [], []],
    ['many names after one path', names(50, '/users'), [], [], ['/users']],
    ['a method does not matter', names(50, 'POST /users'), [], [], ['/users']],
    ['the root has more pages', names(199, ''), [], [], []],
    ['even the root can vary', names(200, ''), [], [], ['']],
    ['what follows a name', names(50, '/users', '/posts'), [], [], ['/users']],
    ['people can keep names apart', names(50, '/docs'), ['!/docs'], [], []],
    ['what is known stays', [], [], ['/old'], ['/old']],
    ['names of jobs are no paths', names(60, 'task'), [], [], []],
    ['placeholders are no names', Array.from({ length: 60 }, () => '/users/[id]'), [], [], []],
  ])('%s', (_name, routes, patterns, learned, expected) => {
    expect(learnNames(routes, { patterns, learned })).toEqual(expected)
  })

  test('names behind names are learned once the first are', () => {
    const routes = names(50, '/users').map((route, n) => `${route}/${names(50, '')[n]?.slice(1)}`)
    const learned = learnNames(routes, { patterns: [], learned: [] })
    expect(learned).toEqual(['/users', '/users/[name]'])
    expect(learnNames(routes, { patterns: [], learned })).toEqual(learned)
    expect(withLearned('/users/jane/x/y'.split('/'), new Set(learned)).join('/')).toBe('/users/[name]/[name]/y')
  })
})

describe('patterns of people', () => {
  const rules = routeRules({ patterns: ['/shop/[category]/[id]', '/files/**', '!/docs', '/shop/:a'], learned: [] })
  test.each([
    ['/shop/shoes/7', '/shop/[category]/[id]'],
    ['/shop/shoes', '/shop/:a'],
    ['/shop/', undefined],
    ['/files/a/b', '/files/**'],
    ['/files', undefined],
    ['/docs/a', undefined],
  ])('%s is %s', (path, expected) => {
    expect(matchingPattern(path.split('/'), rules)).toBe(expected)
  })

  test.each([
    [['/a', '!/b'], undefined],
    [['/a', 'b'], 'b'],
    [['/a b'], '/a b'],
    [['/a?b'], '/a?b'],
  ])('%j', (patterns, expected) => {
    expect(brokenPattern(patterns)).toBe(expected)
  })

  test('a project without settings has none', () => {
    expect(readRoutes('{}')).toEqual({ patterns: [], learned: [] })
  })
})
