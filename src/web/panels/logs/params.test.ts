import { expect, test } from 'vitest'
import { restPlan } from '../../../contract/explore/explore.ts'
import { isPlain, logParamsOf, logPlan, logQuery } from './params.ts'
import { logViewOf, logViewSearch } from './views.ts'

const projects = [{ id: '1', slug: 'web', name: 'Web' }]
const at = (search: string) => logParamsOf(new URLSearchParams(search))

test('no parameter is the lines of the last day; what is not known falls back to that', () => {
  expect(at('')).toMatchObject({ q: '', mode: 'lines', range: { period: '24h' }, columns: [], live: false, line: '' })
  expect(at('mode=chart&t=5y&live=yes&line=<script>&from=x&to=y')).toEqual(at(''))
})

test('columns and fields are unique and few', () => {
  expect(at('columns=a,a,,b,c,d,e,f,g&fields=x,%20y').columns).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  expect(at('fields=x,%20y').fields).toEqual(['x', 'y'])
})

test('the calls ask for the view of the address', () => {
  expect(logQuery(at('q=a&env=dev,prod&t=7d'), ['1'])).toEqual({
    query: 'a',
    project: ['1'],
    environment: ['dev', 'prod'],
    statsPeriod: '7d',
  })
  expect(isPlain(at('t=7d&columns=a'))).toBe(true)
  expect(isPlain(at('q=a'))).toBe(false)
})

test.each([
  ['?q='],
  ['?q=level%3Aerror&project=web&env=dev&t=7d&mode=patterns'],
  ['?q=a&columns=service%2Ccart.id%2Cbody.items%5B%5D.id'],
  ['?q=a&columns=host&fields=cart.id%2Cbody.items%5B%5D.id'],
])('a view is the address that it was saved from: %s', (search) => {
  expect(logViewSearch(logViewOf(at(search), projects), projects)).toBe(search)
})

test.each([
  ['', ['timestamp', 'severity', 'project', 'message']],
  ['q=level:error&columns=service,cart.id', ['timestamp', 'severity', 'project', 'service', 'cart.id', 'message']],
  ['columns=message,severity,body.items[].id', ['timestamp', 'severity', 'project', 'message', 'body.items[].id']],
])('an export of %j has the columns %j', (search, columns) => {
  const plan = logPlan(at(search))
  expect(plan).toMatchObject({ dataset: 'logs', columns, series: [], query: at(search).q })
  expect(restPlan.safeParse(plan).success).toBe(true)
})
