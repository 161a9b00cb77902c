import { describe, expect, test } from 'vitest'
import type { Arithmetic } from '../../store/events/question.ts'
import { formulaOf } from './formula.ts'

const places: Record<string, number> = { a: 0, b: 1, c: 2, total_1: 3 }
const nameOf = (name: string): number | undefined => (Object.hasOwn(places, name) ? places[name] : undefined)

/** Arithmetic with a parenthesis around each operation, so that a test sees the order. */
function written(of: Arithmetic): string {
  if (of.op === 'number') return String(of.value)
  if (of.op === 'aggregate') return Object.keys(places)[of.at] ?? '?'
  const [left, right] = of.of
  return `(${written(left)} ${of.op} ${written(right)})`
}

const read = (text: string): string => {
  const found = formulaOf(text, nameOf)
  return 'of' in found ? written(found.of) : `${found.position}: ${found.expected}`
}

describe('a formula', () => {
  test.each<[string, string, string]>([
    ['a name', 'a', 'a'],
    ['a number', '12.5', '12.5'],
    ['a number that begins with its point', '.5', '0.5'],
    ['spaces around', '  a  ', 'a'],
    ['a name with digits', 'total_1', 'total_1'],
    ['a sum', 'a + b', '(a + b)'],
    ['no spaces', 'a+b', '(a + b)'],
    ['from left to right', 'a - b - c', '((a - b) - c)'],
    ['division from left to right', 'a / b / c', '((a / b) / c)'],
    ['a product before a sum', 'a + b * c', '(a + (b * c))'],
    ['a product before a sum, turned round', 'a * b + c', '((a * b) + c)'],
    ['parentheses first', '(a + b) * c', '((a + b) * c)'],
    ['a share in percent', 'a / (a + b) * 100', '((a / (a + b)) * 100)'],
    ['a sign', '-a', '(0 - a)'],
    ['a sign after an operator', 'a * -b', '(a * (0 - b))'],
    ['a sign binds closer than a product', '-a * b', '((0 - a) * b)'],
    ['two signs', '--a', '(0 - (0 - a))'],
    ['parentheses around all', '((a))', 'a'],
    ['a division by a number of nothing, which the engine answers with null', 'a / 0', '(a / 0)'],
  ])('%s: %s', (_name, text, wanted) => expect(read(text)).toBe(wanted))
})

describe('a wrong formula names its place, in characters from 1', () => {
  const operand = 'the name of a series, a number or a parenthesis'
  const sign = 'a name of a series, a number, + - * / or a parenthesis'
  test.each<[string, string, string]>([
    ['nothing', '', `1: ${operand}`],
    ['spaces alone', '   ', `1: ${operand}`],
    ['an unknown series', 'a + d', `5: ${operand}`],
    ['a name that objects have', 'constructor', `1: ${operand}`],
    ['a missing operand', 'a +', `4: ${operand}`],
    ['an operator at the start', '* a', `1: ${operand}`],
    ['two operators', 'a * / b', `5: ${operand}`],
    ['a parenthesis that is not closed', '(a + b', '7: )'],
    ['a parenthesis that was not opened', 'a)', '2: an operator, or the end'],
    ['two names side by side', 'a b', '3: an operator, or the end'],
    ['empty parentheses', '()', `2: ${operand}`],
    ['a function', 'sum(a)', `1: ${operand}`],
    ['a number with two points', '1.2.3', '4: an operator, or the end'],
    ['a character of no meaning', 'a % b', `3: ${sign}`],
    ['SQL', "a; DROP TABLE x --'", `2: ${sign}`],
    ['a quote', "a + 'b'", `5: ${sign}`],
    ['a comment', 'a /* b */', `4: ${operand}`],
    ['a letter of another alphabet', 'a + б', `5: ${sign}`],
  ])('%s: %s', (_name, text, wanted) => expect(read(text)).toBe(wanted))

  test.each([
    ['parentheses', '('.repeat(21), 21],
    ['signs', '-'.repeat(21), 21],
    ['very many', '('.repeat(100_000), 21],
  ])('%s that are nested too deep', (_name, text, position) =>
    expect(read(text)).toBe(`${position}: at most 20 nested parts`),
  )

  test('twenty levels are read', () => {
    expect(read(`${'('.repeat(19)}a${')'.repeat(19)}`)).toBe('a')
  })

  test('a long chain is read without a stack for each of its parts', () => {
    const found = formulaOf(Array.from({ length: 5000 }, () => 'a').join(' + '), nameOf)
    expect('of' in found).toBe(true)
  })
})
