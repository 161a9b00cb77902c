import { expect, test } from 'vitest'
import { MishapError } from '../../base/errors.ts'
import type { Filter, Value } from '../../store/events/question.ts'
import { fieldsOfDataset } from './datasets.ts'
import { isWide, searchOf } from './filter.ts'

const nowMs = 1_795_000_000_000
const context = {
  dataset: fieldsOfDataset('spans'),
  nowMs,
  projects: [
    { id: 1, slug: 'web' },
    { id: 2, slug: 'api' },
  ],
  latestReleases: async () => ['web@9'],
}
const plan = (text: string) => searchOf(text, context)
const op: Value = { of: 'text', column: 'op' }
const duration: Value = { of: 'number', column: 'duration' }
const size: Value = { of: 'attribute', key: 'cart.size', as: 'any' }
const is = (value: Value, text: string): Filter => ({ op: 'match', value, match: 'is', text })
const more = (value: Value, number: number): Filter => ({ op: 'compare', value, compare: '>', number })

test.each<[text: string, filter: Filter | undefined]>([
  ['', undefined],
  ['span.op:db', is(op, 'db')],
  ['!span.op:db', { op: 'not', of: is(op, 'db') }],
  ['span.op:db.*', { op: 'match', value: op, match: 'like', text: 'db.*' }],
  ['span.op:[db, http]', { op: 'or', of: [is(op, 'db'), is(op, 'http')] }],
  ['span.op:""', { op: 'not', of: { op: 'match', value: op, match: 'has', text: '' } }],
  ['span.duration:>1.5s', more(duration, 1500)],
  ['span.duration:>5', more(duration, 5)],
  ['transaction.duration:>1m', more(duration, 60_000)],
  ['cart.size:>3', more(size, 3)],
  ['cart.size:many', is(size, 'many')],
  ['cart.size:3', { op: 'or', of: [is(size, '3'), { op: 'compare', value: size, compare: '=', number: 3 }] }],
  ['tags[cart.size,number]:>3', more(size, 3)],
  ['tags[span.op]:db', is({ of: 'attribute', key: 'span.op', as: 'any' }, 'db')],
  ['has:cart.size', { op: 'match', value: size, match: 'has', text: '' }],
  ['is_transaction:true', { op: 'compare', value: { of: 'flag', column: 'isSegment' }, compare: '=', number: 1 }],
  ['timestamp:-1h', { op: 'compare', value: { of: 'time' }, compare: '>=', number: nowMs - 3_600_000 }],
  ['project:w*', { op: 'projects', ids: [1] }],
  ['project:none', { op: 'or', of: [] }],
  ['project.id:>1', { op: 'projects', ids: [2] }],
  ['release:latest', is({ of: 'text', column: 'release' }, 'web@9')],
  [
    'a (span.op:db OR cart.size:>3)',
    {
      op: 'and',
      of: [
        { op: 'match', value: { of: 'text', column: 'label' }, match: 'like', text: '*a*' },
        { op: 'or', of: [is(op, 'db'), more(size, 3)] },
      ],
    },
  ],
])('%j', async (text, filter) => {
  expect((await plan(text)).filter).toEqual(filter)
})

test('a pasted id finds its trace or span', async () => {
  const ids = ['a'.repeat(32), 'b'.repeat(16)]
  const columns = await Promise.all(ids.map(async (id) => JSON.stringify((await plan(id)).filter)))
  expect(columns[0]).toContain('"column":"trace"')
  expect(columns[1]).toContain('"column":"span"')
})

test('conditions on groups stand beside the others', async () => {
  expect(await plan('span.op:db p95(span.duration):>1s failure_rate():>5% count():>10')).toEqual({
    filter: is(op, 'db'),
    having: [
      { aggregate: { fn: 'percentile', level: 0.95, of: duration }, compare: '>', number: 1000 },
      { aggregate: { fn: 'failureRate' }, compare: '>', number: 0.05 },
      { aggregate: { fn: 'count' }, compare: '>', number: 10 },
    ],
    withCut: false,
  })
  expect((await plan('!span.cut_off:x')).withCut).toBe(true)
})

test.each<[text: string, wide: boolean]>([
  ['span.op:db span.duration:>1s', false],
  ['span.op:d*', true],
  ['!(span.op:db OR http.route:x)', true],
])('%j reads wide columns: %j', async (text, wide) => {
  expect(isWide((await plan(text)).filter)).toBe(wide)
})

test.each<[text: string, position: number, named: RegExp]>([
  ['😀 is:unresolved', 3, /is: expected a key of spans/],
  ['span.op:db p42(x):>1', 12, /p42 is no function/],
  ['x OR count():>1', 6, /count\(\)/],
  ['span.duration:soon', 15, /ms, s, m/],
  ['is_transaction:maybe', 16, /true/],
])('%s is wrong at %i', async (text, position, named) => {
  const error = await plan(text).catch((caught: unknown) => caught)
  if (!(error instanceof MishapError)) throw new Error('no error')
  expect(error.message + error.mistakes.map(({ expected }) => expected).join()).toMatch(named)
  expect(error.mistakes.map((mistake) => mistake.position)).toEqual([position])
})

test('more than 20 patterns and attributes are too many', async () => {
  const terms = Array.from({ length: 21 }, (_, n) => `a${n}:x`).join(' ')
  await expect(plan(terms)).rejects.toMatchObject({ code: 'QUERY_TOO_LONG' })
})
