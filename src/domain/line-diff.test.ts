import { expect, test } from 'vitest'
import { lineDiff } from './line-diff.ts'

test.each<[string, string, string, string[]]>([
  ['nothing', '', '', []],
  ['equal texts', 'a\nb\n', 'a\nb\n', []],
  ['a new text', '', 'a\nb\n', ['+ a', '+ b']],
  ['a removed text', 'a\n', '', ['- a']],
  ['a changed line', 'a\nb\nc\n', 'a\nx\nc\n', ['  a', '- b', '+ x', '  c']],
  [
    'lines far from a change are left out',
    '1\n2\n3\n4\n5\n6\n7\n8',
    '1\n2\n3\nx\n5\n6\n7\n8',
    ['  2', '  3', '- 4', '+ x', '  5', '  6', '  …'],
  ],
  ['a moved line', 'a\nb\nc', 'b\nc\na', ['- a', '  b', '  c', '+ a']],
])('lineDiff of %s', (_name, before, after, expected) => expect(lineDiff(before, after)).toEqual(expected))

test('very long texts are replaced as a whole', () => {
  const before = Array.from({ length: 2100 }, (_line, at) => `a${at}`)
  const after = Array.from({ length: 2100 }, (_line, at) => `b${at}`)
  expect(lineDiff(before.join('\n'), after.join('\n'))).toHaveLength(4200)
})
