import { expect, test } from 'vitest'
import { MishapError } from '../../base/errors.ts'
import { fieldsOfDataset } from './datasets.ts'
import { fieldsOf as fieldsOfSet, orderOf, shownCell, splitFields } from './fields.ts'

const fieldsOf = (names: readonly string[]) => fieldsOfSet(fieldsOfDataset('spans'), names)

const error = (run: () => unknown): string => {
  try {
    run()
  } catch (caught) {
    if (caught instanceof MishapError) return JSON.stringify(caught.fields)
    throw caught
  }
  return ''
}

test.each<[name: string, type: string, unit: string | null]>([
  ['span.duration', 'duration', 'millisecond'],
  ['transaction', 'string', null],
  ['is_transaction', 'boolean', null],
  ['timestamp', 'date', null],
  ['project', 'string', null],
  ['project.id', 'integer', null],
  ['measurements.lcp', 'duration', 'millisecond'],
  ['measurements.cls', 'number', null],
  ['tags[a b]', 'string', null],
  ['tags[cart.size,number]', 'number', null],
  ['count()', 'integer', null],
  ['p95(span.duration)', 'duration', 'millisecond'],
  ['p95()', 'duration', 'millisecond'],
  ['avg(cart.size)', 'number', null],
  ['max(measurements.cls)', 'number', null],
  ['failure_rate()', 'percentage', null],
  ['epm()', 'rate', '1/minute'],
  ['eps()', 'rate', '1/second'],
  ['apdex(300)', 'number', null],
  ['apdex()', 'number', null],
  ['count_unique(user)', 'integer', null],
  ['count(span.duration)', 'integer', null],
  ['performance_score(measurements.score.lcp)', 'number', null],
])('%s is a %s', (name, type, unit) => {
  expect(fieldsOf([name]).map((field) => field.type)).toEqual([{ type, unit }])
})

test.each<[name: string, named: RegExp]>([
  ['p42(span.duration)', /p42 is no function/],
  ['constructor()', /constructor is no function/],
  ['count_unique()', /count_unique\(\) needs a field/],
  ['failure_rate(x)', /failure_rate\(\) takes no argument/],
  ['p95(span.op)', /span\.op in p95\(\) is no number/],
  ['avg(a b)', /a b in avg\(\)/],
  ['apdex(0)', /apdex\(\) takes milliseconds/],
  ['apdex(soon)', /apdex/],
  ['performance_score(span.duration)', /performance_score/],
  ['a b', /"\\"a b\\" is no field/],
  ['has', /is no field/],
  ["x'); DROP", /is no field/],
])('%s is refused and named', (name, named) => {
  expect(error(() => fieldsOf([name]))).toMatch(named)
})

test('at most 40 fields, each once', () => {
  expect(fieldsOf(['id', 'id', '']).length).toBe(1)
  expect(error(() => fieldsOf(Array.from({ length: 41 }, (_, n) => `a${n}`)))).toContain('40')
})

test('an order names requested fields, values first', () => {
  const fields = fieldsOf(['count()', 'span.op', 'p95(span.duration)'])
  const { values, aggregates } = splitFields(fields)
  expect([values.length, aggregates.length]).toEqual([1, 2])
  expect(orderOf(['-p95(span.duration)', 'span.op'], fields)).toEqual([
    { at: 2, descending: true },
    { at: 0, descending: false },
  ])
  expect(orderOf(['-p95_span_duration', '-count'], fields).map(({ at }) => at)).toEqual([2, 1])
  expect(error(() => orderOf(['-id'], fields))).toContain('id')
})

test('counts are whole, projects are slugs', () => {
  const [count, project, id] = fieldsOf(['count()', 'project', 'project.id'])
  if (!count || !project || !id) throw new Error('no fields')
  const slugOf = (number: number) => `p${number}`
  expect([shownCell(count, 399.99997, slugOf), shownCell(project, 3, slugOf), shownCell(id, 3, slugOf)]).toEqual([
    400,
    'p3',
    3,
  ])
})
