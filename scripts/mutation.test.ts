import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  areas,
  areasOf,
  type Mutant,
  sampleOf,
  scoreOf,
  scoreTable,
  sectionOf,
  survivorsOf,
  withSection,
} from './mutation.ts'

const root = join(import.meta.dirname, '..')
const mutant = (status: string, line = 1, start = 1, end = 2): Mutant => ({
  mutatorName: 'ConditionalExpression',
  replacement: 'false',
  status,
  location: { start: { line, column: start }, end: { line, column: end } },
})

test('a sample is one in so many blocks of each file, and all blocks together are the files', () => {
  const files = [
    { path: 'a.ts', lines: 30 },
    { path: 'b.ts', lines: 24 },
  ]
  expect(sampleOf(files, 2)).toEqual(['a.ts:1-12', 'a.ts:25-30', 'b.ts:13-24'])
  expect(sampleOf(files, 1)).toEqual(['a.ts:1-12', 'a.ts:13-24', 'a.ts:25-30', 'b.ts:1-12', 'b.ts:13-24'])
})

describe('mutation scores', () => {
  test.each([
    ['nothing tried', [], { killed: 0, survived: 0, untested: 0, valid: 0, percent: 0 }],
    ['all killed', ['Killed', 'Timeout'], { killed: 2, survived: 0, untested: 0, valid: 2, percent: 100 }],
    ['no test reaches one', ['Killed', 'NoCoverage'], { killed: 1, survived: 0, untested: 1, valid: 2, percent: 50 }],
    [
      'what could not be tried does not count',
      ['Killed', 'Ignored', 'CompileError'],
      { killed: 1, survived: 0, untested: 0, valid: 1, percent: 100 },
    ],
    [
      'the percentage is never rounded up to the goal',
      [...Array(849).fill('Killed'), ...Array(151).fill('Survived')],
      { killed: 849, survived: 151, untested: 0, valid: 1000, percent: 84.9 },
    ],
  ])('%s', (_name, states: string[], score) => {
    expect(scoreOf(states.map((state) => mutant(state)))).toEqual(score)
  })

  test('a survivor is named with its place and both texts', () => {
    const lines = survivorsOf('src/a.ts', 'const a = 1\nif (a > 1) b()', [
      mutant('Survived', 2, 5, 10),
      mutant('Killed'),
    ])
    expect(lines).toEqual(['src/a.ts:2:5 ConditionalExpression: a > 1 -> false'])
  })

  test('the section is replaced, the rows of other areas stay', () => {
    const row = (name: string, percent: number) => ({
      name,
      killed: percent,
      survived: 100 - percent,
      untested: 0,
      valid: 100,
      percent,
      measured: 'today',
    })
    const first = withSection('# Measured\n\n| a | b |\n', (rows) => scoreTable(rows, row('scrub', 80)))
    const second = withSection(first, (rows) => scoreTable(rows, row('auth', 90)))
    const third = withSection(second, (rows) => scoreTable(rows, row('scrub', 86)))
    expect(third).toContain('# Measured\n\n| a | b |\n')
    expect(third.match(/^\| (auth|scrub) \|.*$/gm)).toEqual([
      '| auth | 90% | 90 | 10 | 0 | yes | today |',
      '| scrub | 86% | 86 | 14 | 0 | yes | today |',
    ])
    expect(first).toContain('| scrub | 80% | 80 | 20 | 0 | **no** | today |')
    expect(sectionOf(third)).toBe(third.slice(third.indexOf('\n## Mutation')))
    expect(sectionOf('# Measured\n')).toBe('')
  })

  test.each([
    ['src/journal/record.ts', ['journal']],
    ['src/refine/pipeline/refine.ts', ['refine']],
    ['src/refine/pipeline/retry.ts', ['storing']],
    ['src/store/events/settle.ts', ['settle']],
    ['src/web/app/layout.tsx', []],
  ])('%s belongs to %j', (file, expected) => {
    expect(areasOf(file)).toEqual(expected)
  })

  test.each(Object.entries(areas))('%s: each path leads to files', (_name, area) => {
    for (const glob of [...area.mutate.filter((path) => !path.startsWith('!')), ...area.tests])
      expect(globSync(glob, { cwd: root }).length, glob).toBeGreaterThan(0)
  })
})
