import { expect, test } from 'vitest'
import { columnsOf, type TestSpan } from './trace.cases.ts'
import { buildTree } from './trace-tree.ts'

const client: TestSpan = { id: 'a', op: 'http.client', from: 100, for: 50 }
const server = (from: number, length: number, more: Partial<TestSpan> = {}): TestSpan => ({
  id: 'b',
  parent: 'a',
  op: 'http.server',
  project: 1,
  segment: true,
  from,
  for: length,
  ...more,
})

test.each<[string, TestSpan[], number[]]>([
  ['inside its caller', [client, server(110, 20)], [0, 0]],
  ['a little outside', [client, server(99.5, 20)], [0, 0]],
  ['a clock that is behind: into the middle', [client, server(10, 30)], [0, 100]],
  ['a clock that is ahead', [client, server(145, 30)], [0, -35]],
  ['longer than its caller and before it: to its start', [client, server(60, 90)], [0, 40]],
  ['longer than its caller and after it', [client, server(120, 90)], [0, 0]],
  ['a caller that does not wait: a job may run later', [{ ...client, op: 'queue.publish' }, server(900, 10)], [0, 0]],
  [
    'a caller that does not wait: a job may not run before',
    [{ ...client, op: 'queue.publish' }, server(90, 10)],
    [0, 10],
  ],
  ['the same service is never moved', [client, server(10, 30, { project: 0, segment: false })], [0, 0]],
  ['a page load began before the server that it names', [client, server(10, 300, { op: 'pageload' })], [0, 0]],
  [
    'its own spans move along, a service below by its own clock',
    [
      client,
      server(10, 30),
      { id: 'c', parent: 'b', project: 1, op: 'http.client', from: 15, for: 10 },
      { id: 'd', parent: 'c', project: 2, segment: true, op: 'http.server', from: 116, for: 8 },
      { id: 'e', parent: 'd', project: 2, op: 'db', from: 117, for: 2 },
    ],
    [0, 100, 100, 0, 0],
  ],
])('%s', (_name, list, expected) => {
  expect([...buildTree(columnsOf(list)).shifts].map((us) => us / 1000)).toEqual(expected)
})

test('children are in the order of their corrected starts', () => {
  const tree = buildTree(columnsOf([client, { id: 'c', parent: 'a', from: 101, for: 2 }, server(10, 30)]))
  expect([...tree.order]).toEqual([0, 1, 2])
})
