import { expect, test } from 'vitest'
import { comparedOf, type PerformanceView } from './compared.ts'
import { routeIdOf, routeOfId, statementIdOf, statementOfId } from './ids.ts'

test.each(['/orders/[id]', '/', '', 'GET /a?b=%2F..', '/日本/"><b>', '/[...rest]'])(
  'the route %s survives its id',
  (route) => {
    const key = { projectId: 7, op: 'http.server', route }
    const id = routeIdOf(key)
    expect(id).toMatch(/^[MNO][\w-]*$/)
    expect(routeOfId(id)).toEqual(key)
  },
)

test('an op may be empty', () => {
  const key = { projectId: 7, op: '', route: '/a' }
  expect(routeOfId(routeIdOf(key))).toEqual(key)
})

test.each(['vitals', 'queries', 'requests', 'assets', 'routes', '', 'a b', '..', 'MTIz'])('%s is no route', (id) =>
  expect(routeOfId(id)).toBeUndefined(),
)

test('statements', () => {
  expect(statementOfId(statementIdOf({ projectId: 7, hash: '00000000000000ab' }))).toEqual({
    projectId: 7,
    hash: '00000000000000ab',
  })
  for (const id of ['', '7', '7-xyz', '-00000000000000ab']) expect(statementOfId(id)).toBeUndefined()
})

const day = 86_400_000
test.each([
  ['previous', 7, 7],
  ['previous', 1, 1],
  ['week', 1, 7],
  ['week', 7, 7],
  ['week', 14, 14],
] as const)('against %s, %d days are compared with those %d days before', (against, days, shift) => {
  const toMs = 100 * day
  const range = { fromMs: toMs - days * day, toMs, period: 'range' }
  const view: Pick<PerformanceView, 'against' | 'withCut' | 'projects' | 'environments' | 'range'> = {
    against,
    withCut: false,
    projects: [],
    environments: [],
    range,
  }
  expect(comparedOf(view).beforeMs).toEqual({ fromMs: range.fromMs - shift * day, toMs: toMs - shift * day })
})
