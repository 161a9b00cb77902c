import { expect, test } from 'vitest'
import { readSearch } from '../../../query/search/grammar.ts'
import { spanKeyOf } from '../../../query/traces/span-keys.ts'
import { tracesOf } from './traces-of.ts'

const selected = {
  route: '/orders/[id]',
  op: 'http.server',
  project: 'api',
  fromMs: 500,
  toMs: undefined,
  during: undefined,
  having: undefined,
}
const queryOf = (search: string | undefined) => new URLSearchParams(search).get('q')

test.each([
  [{}, 'is_transaction:true span.op:http.server route:"/orders/[id]" span.duration:>=500ms'],
  [
    { toMs: 900.12345, having: { key: 'flag.new', value: 'on' } },
    'is_transaction:true span.op:http.server route:"/orders/[id]" span.duration:>=500ms span.duration:<900.123ms flag.new:on',
  ],
  [{ fromMs: 0, op: '', route: '', having: { key: 'release', value: 'web@2' } }, 'is_transaction:true release:web@2'],
  // An attribute with the name of a key is no key.
  [
    { fromMs: 0, op: '', route: '', having: { key: 'span.duration.x y', value: 'a "b"' } },
    'is_transaction:true tags[span.duration.x y]:"a \\"b\\""',
  ],
])('the search over spans with the selection %j', (change, query) => {
  const found = queryOf(tracesOf('', { ...selected, ...change }))
  expect(found).toBe(query)
  // The language of Traces reads it.
  expect(readSearch(found ?? '', spanKeyOf)).toBeDefined()
})

test('the scope stays, and a part of the range is the range', () => {
  expect([...new URLSearchParams(tracesOf('?project=web,api&env=production&t=24h&against=week', selected))]).toEqual(
    expect.arrayContaining([
      ['env', 'production'],
      ['t', '24h'],
      ['project', 'api'],
    ]),
  )
  expect(new URLSearchParams(tracesOf('', selected)).get('t')).toBe('7d')
  const part = new URLSearchParams(tracesOf('?t=24h', { ...selected, during: { fromMs: 0, toMs: 60_000 } }))
  expect([part.get('t'), part.get('from'), part.get('to')]).toEqual([
    null,
    '1970-01-01T00:00:00.000Z',
    '1970-01-01T00:01:00.000Z',
  ])
})

test('spans have no browser, so traces are not searched by it', () => {
  expect(tracesOf('', { ...selected, having: { key: 'browser', value: 'Safari' } })).toBeUndefined()
})
