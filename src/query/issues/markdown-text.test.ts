import { describe, expect, test } from 'vitest'
import { durationText, fenced, inline } from './markdown-text.ts'

describe('a fence', () => {
  test.each([
    ['no backticks', 'plain', '```'],
    ['nothing', '', '```'],
    ['one backtick', 'a `b` c', '```'],
    ['two backticks', '``', '```'],
    ['the fence itself', '```', '````'],
    ['a longer fence', 'x\n`````\ny', '``````'],
    ['the longest of several runs', '``` ` ```` ``', '`````'],
  ])('is longer than every run of backticks: %s', (_name, text, fence) => {
    expect(fenced(text)).toBe(`${fence}text\n${text}\n${fence}`)
  })

  test('has no carriage returns, which some readers take for line ends', () => {
    expect(fenced('a\r\nb\rc')).toBe('```text\na\nbc\n```')
  })

  test('around a text with 400,000 runs of backticks', () => {
    const text = '` '.repeat(400_000)
    expect(fenced(text)).toBe(`\`\`\`text\n${text}\n\`\`\``)
    expect(inline(text).startsWith('`` ` `')).toBe(true)
  })
})

describe('code in a line', () => {
  test.each([
    ['plain', 'plain', '`plain`'],
    ['nothing', '', '(empty)'],
    ['white space', ' \n\t ', '(empty)'],
    ['breaks become spaces', 'a\r\n\n  b', '`a b`'],
    ['a heading stays in the line', 'x\n# Do this', '`x # Do this`'],
    ['a backtick', 'a`b', '`` a`b ``'],
    ['two backticks', 'a``b', '``` a``b ```'],
    ['backticks alone', '`', '`` ` ``'],
    ['spaces of other scripts', 'a\u2003\u00a0b', '`a b`'],
  ])('%s', (_name, text, expected) => expect(inline(text)).toBe(expected))
})

describe('a duration', () => {
  test.each([
    [0, '0.00 ms'],
    [1, '0.00100 ms'],
    [1500, '1.50 ms'],
    [45_678, '45.7 ms'],
    [999_000, '999 ms'],
    [999_499, '999 ms'],
    [999_500, '1.00 s'],
    [999_999, '1.00 s'],
    [1_000_000, '1.00 s'],
    [59_940_000, '59.9 s'],
    [999_400_000, '999 s'],
    [999_900_000, '1000 s'],
    [4_500_000_000, '4500 s'],
    [86_400_000_000, '86400 s'],
    [-1500, '-1.50 ms'],
    [-5_000_000, '-5.00 s'],
    [-7_200_000_000, '-7200 s'],
  ])('of %d us is %j, never with an exponent', (us, expected) => expect(durationText(us)).toBe(expected))
})
