import { expect, test } from 'vitest'
import type { RestLogLine } from '../../../contract/explore/logs.ts'
import { foldedText, type Gap, itemsOf, messageParts, offsetsOf, rowAtPx, shapeParts } from './items.ts'

const line = (n: number, pattern = '', message = `line ${n}`): RestLogLine => ({
  id: String(n),
  projectID: '1',
  timestamp: `2026-11-27T10:00:${String(60 - n).padStart(2, '0')}.000000Z`,
  level: 'info',
  severity: 9,
  message,
  template: '',
  pattern,
  trace: '',
  span: '',
  columns: [],
})
const none = { gaps: [] as Gap[], openId: '', unfolded: new Set<string>() }
const shown = (lines: readonly RestLogLine[], more: Partial<typeof none> = {}) =>
  itemsOf(lines, { ...none, ...more }).map((item) =>
    item.kind === 'fold' ? `${item.lines.length} ×` : item.kind === 'detail' ? item.id : `${item.kind} ${item.id}`,
  )
const run = [1, 2, 3, 4, 5].map((n) => line(n, 'aa'))

test('lines of one pattern in a row fold from four on, unless they were opened', () => {
  expect(shown([...run, line(6, 'bb')])).toEqual(['5 ×', 'line 6'])
  expect(shown([...run.slice(0, 3), line(6, 'bb')])).toEqual(['line 1', 'line 2', 'line 3', 'line 6'])
  expect(shown([...run.slice(0, 2), line(6, 'bb'), ...run.slice(2)])).toHaveLength(6)
  expect(shown(run, { unfolded: new Set(['fold 5']) })).toHaveLength(5)
})

test('a line without a pattern, of another project or level folds with nothing', () => {
  expect(shown([1, 2, 3, 4].map((n) => line(n)))).toHaveLength(4)
  expect(shown(run.map((each, at) => ({ ...each, projectID: String(at % 2) })))).toHaveLength(5)
  expect(shown(run.map((each, at) => ({ ...each, level: at % 2 ? 'info' : 'warning' })))).toHaveLength(5)
})

test('a fold keeps its name when newer lines join it', () => {
  expect(shown([line(0, 'aa'), ...run], { unfolded: new Set(['fold 5']) })).toHaveLength(6)
})

test('the open line is no part of a fold, and its detail follows it', () => {
  expect(shown(run, { openId: '5' })).toEqual(['4 ×', 'line 5', 'detail 5'])
  expect(shown(run, { openId: '1' })).toEqual(['line 1', 'detail 1', '4 ×'])
})

test('a gap stands at its time, and ends a fold', () => {
  const gaps: Gap[] = [{ id: 'g', count: 7, reason: 'slow', at: '2026-11-27T10:00:57.500000Z' }]
  expect(shown([line(1), line(2), line(3)], { gaps })).toEqual(['line 1', 'line 2', 'gap g', 'line 3'])
  expect(shown(run, { gaps })).toEqual(['line 1', 'line 2', 'gap g', 'line 3', 'line 4', 'line 5'])
  expect(shown([line(1)], { gaps })).toEqual(['line 1', 'gap g'])
})

test('rows are found by their position: only a detail has another height', () => {
  const offsets = offsetsOf(itemsOf([line(1), line(2), line(3)], { ...none, openId: '2' }), 24, 100)
  expect([...offsets]).toEqual([0, 24, 48, 148, 172])
  expect([0, 23, 24, 47, 48, 147, 148, 999].map((px) => rowAtPx(offsets, px))).toEqual([0, 0, 1, 1, 2, 2, 3, 4])
})

test('a fold shows the words that its lines share', () => {
  const parts = foldedText([
    line(1, 'a', 'GET /a 200 in 3 ms'),
    line(2, 'a', 'GET /b 200 in 4 ms'),
    line(3, 'a', 'GET /c 200 in 4 ms'),
  ])
  expect(parts.map(({ text, isVarying }) => (isVarying ? '*' : text))).toEqual(['GET', '*', '200 in', '*', 'ms'])
  expect(foldedText([line(1, 'a', 'one two'), line(2, 'a', 'one')])).toEqual([{ text: 'one two', isVarying: false }])
  expect(shapeParts('cart * of *').map(({ isVarying }) => isVarying)).toEqual([false, true, false, true])
})

test('the parts of a message are the message, and numbers, names and quoted texts vary', () => {
  const text = 'cart 8812 loaded in 1,500 ms user=ada "x y" on db-3'
  const parts = messageParts(text)
  expect(parts.map((part) => part.text).join('')).toBe(text)
  expect(parts.filter((part) => part.isVarying).map((part) => part.text)).toEqual([
    '8812',
    '1,500 ms',
    'user=ada',
    '"x y"',
    '3',
  ])
})

test.each([
  ['"'.repeat(100_000)],
  ['a='.repeat(50_000)],
  ['1'.repeat(100_000)],
  ['a-'.repeat(50_000)],
  ['[{'.repeat(8000)],
])('a hostile message is split, and only its start is: %#', (text) => {
  expect(
    messageParts(text)
      .map((part) => part.text)
      .join(''),
  ).toBe(text.slice(0, 500))
})
