import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { captures, comparedRoutes, fileOf, isMeantMissing, type Sight } from '../e2e/shots/routes.ts'

const app = join(import.meta.dirname, '../src/web/app')

/** The folders of src/web/app that have a page. */
const routes = readdirSync(app, { recursive: true, encoding: 'utf8' })
  .filter((path) => /(^|\/)page\.tsx$/.test(path))
  .map((path) => dirname(path).replace(/^\.$/, ''))
  .sort()

test('every route of the app folder has a capture in e2e/shots/routes.ts, and no capture is of a route that is gone', () => {
  expect(routes.length).toBeGreaterThan(0)
  expect(Object.keys(captures).sort()).toEqual(routes)
})

test('the compared routes exist, and every route has a file name of its own', () => {
  expect(routes).toEqual(expect.arrayContaining(comparedRoutes))
  expect(new Set(routes.map(fileOf)).size).toBe(routes.length)
})

test.each<[string, Partial<Sight>, boolean]>([
  ['o/[org]/[...rest]', {}, true],
  ['o/[org]/alerts/incidents/[id]', {}, false],
  ['o/[org]/alerts/incidents/[id]', { absent: ['incident'] }, true],
  ['o/[org]/alerts/incidents', { absent: ['incident'] }, false],
  ['o/[org]/releases/compare', { absent: ['releaseBefore'] }, true],
  ['login', { absent: ['issue'], isViewer: true }, false],
  ['o/[org]/settings/status', {}, false],
  ['o/[org]/settings/status', { isViewer: true }, true],
])('whether %s with %j shows on purpose that there is no page: %s', (route, sight, isMeant) => {
  expect(isMeantMissing(route, { absent: [], isViewer: false, ...sight })).toBe(isMeant)
})
