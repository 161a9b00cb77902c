import { expect, test } from 'vitest'
import { type RowWindow, rowWindow, scrollToRow } from './row-window.ts'

const place = { topPx: 200, rowPx: 50, scrollPx: 0, viewPx: 800 }
const covered = { headPx: 150, footPx: 60 }

test.each<[string, number, Partial<typeof place>, RowWindow]>([
  ['the top of a long list', 1000, {}, { from: 0, to: 20 }],
  ['a list shorter than the window', 3, {}, { from: 0, to: 3 }],
  ['no rows', 0, { scrollPx: 500 }, { from: 0, to: 0 }],
  ['the middle', 1000, { scrollPx: 10_200 }, { from: 192, to: 224 }],
  ['a row further: four more at the end', 1000, { scrollPx: 10_250 }, { from: 192, to: 228 }],
  ['the end', 1000, { scrollPx: 49_400 }, { from: 976, to: 1000 }],
  ['a position of a longer list', 100, { scrollPx: 49_400 }, { from: 100, to: 100 }],
  ['a list below the window', 1000, { topPx: 5000 }, { from: 0, to: 0 }],
  ['pulled over the top', 1000, { scrollPx: -90 }, { from: 0, to: 20 }],
])('%s', (_name, count, changes, expected) => {
  expect(rowWindow(count, { ...place, ...changes })).toEqual(expected)
})

test('every row that the window shows is rendered, wherever it is', () => {
  for (let scrollPx = 0; scrollPx < 50_000; scrollPx += 37) {
    const { from, to } = rowWindow(1000, { ...place, scrollPx })
    const [first, last] = [Math.floor((scrollPx - 200) / 50), Math.ceil((scrollPx + 600) / 50)]
    expect(from <= Math.max(0, first) && to >= Math.min(1000, last)).toBe(true)
    expect(to - from).toBeLessThanOrEqual(40)
  }
})

test.each<[string, number, number, number | undefined]>([
  ['a visible row', 5, 0, undefined],
  ['one behind the head', 20, 1100, 1050],
  ['one below the window', 30, 0, 1010],
  ['the first row', 0, 900, 50],
  ['one that the foot covers', 11, 0, 60],
])('%s', (_name, index, scrollPx, expected) => {
  expect(scrollToRow(index, { ...place, scrollPx }, covered)).toBe(expected)
})
