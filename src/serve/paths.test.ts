import { expect, test } from 'vitest'
import { appTarget, innerTarget } from './paths.ts'

test.each([
  ['/mishap/o/acme/issues?q=a', '/mishap', '/o/acme/issues?q=a'],
  ['/mishap', '/mishap', '/'],
  ['/mishap/', '/mishap', '/'],
  ['/mishap?a=b', '/mishap', '/?a=b'],
  ['/mishap/api/1/envelope/?sentry_key=k', '/mishap', '/api/1/envelope/?sentry_key=k'],
  ['/tools/mishap/login', '/tools/mishap', '/login'],
  // The proxy removed the path, or the request is internal.
  ['/api/health/ready', '/mishap', '/api/health/ready'],
  ['/login', '/mishap', '/login'],
  // A different word with the same start.
  ['/mishapen/login', '/mishap', '/mishapen/login'],
  ['/mishap/login', '', '/mishap/login'],
  // Removed only once.
  ['/mishap/mishap/login', '/mishap', '/mishap/login'],
])('%s under "%s" is %s', (target, basePath, inner) => {
  expect(innerTarget(target, basePath)).toBe(inner)
})

test.each([
  ['/o/acme/issues?q=a', '/mishap', '/mishap/o/acme/issues?q=a'],
  ['/', '/mishap', '/mishap'],
  ['/?a=b', '/mishap', '/mishap?a=b'],
  ['/_next/static/a.js', '/mishap', '/mishap/_next/static/a.js'],
  ['/api/0/projects/', '/mishap', '/api/0/projects/'],
  ['/api/auth/sign-out', '/mishap', '/api/auth/sign-out'],
  ['/apiary', '/mishap', '/mishap/apiary'],
  ['/login', '', '/login'],
  ['/', '', '/'],
])('%s under "%s" is asked of process app as %s', (inner, basePath, asked) => {
  expect(appTarget(inner, basePath)).toBe(asked)
})
