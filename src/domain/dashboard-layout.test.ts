import { describe, expect, it } from 'vitest'
import { inOrder, movedTiles, type PlacedTile, type TileStep } from './dashboard-layout.ts'
import { freePlace } from './dashboards.ts'

const tile = (id: string, x: number, y: number, w: number, h: number): PlacedTile => ({
  id,
  layout: { x, y, w, h, minH: 1 },
})
// a a a b b b
// a a a b b b
// c c d d d d
const tiles = [tile('a', 0, 0, 3, 2), tile('b', 3, 0, 3, 2), tile('c', 0, 2, 2, 1), tile('d', 2, 2, 4, 1)]
const after = (id: string, step: TileStep) =>
  movedTiles(tiles, id, step).map(({ id: name, layout: { x, y, w, h } }) => `${name} ${x},${y} ${w}x${h}`)

describe('movedTiles', () => {
  it.each<[string, string, TileStep, string[]]>([
    ['to the left edge', 'a', { dx: -1 }, ['a 0,0 3x2', 'b 3,0 3x2', 'c 0,2 2x1', 'd 2,2 4x1']],
    ['down behind its neighbour', 'a', { dy: 1 }, ['a 0,3 3x2', 'b 3,0 3x2', 'c 0,0 2x1', 'd 2,2 4x1']],
    ['up before its neighbour', 'c', { dy: -1 }, ['a 0,1 3x2', 'b 3,0 3x2', 'c 0,0 2x1', 'd 2,3 4x1']],
    ['up at the top', 'b', { dy: -1 }, ['a 0,0 3x2', 'b 3,0 3x2', 'c 0,2 2x1', 'd 2,2 4x1']],
    ['down at the bottom', 'd', { dy: 1 }, ['a 0,0 3x2', 'b 3,0 3x2', 'c 0,2 2x1', 'd 2,2 4x1']],
    ['wider pushes others down', 'a', { dw: 1 }, ['a 0,0 4x2', 'b 3,2 3x2', 'c 0,2 2x1', 'd 2,4 4x1']],
    ['not wider than the grid', 'd', { dw: 1 }, ['a 0,0 3x2', 'b 3,0 3x2', 'c 0,2 2x1', 'd 2,2 4x1']],
    ['higher', 'b', { dh: 1 }, ['a 0,0 3x2', 'b 3,0 3x3', 'c 0,2 2x1', 'd 2,3 4x1']],
    ['not lower than its least height', 'c', { dh: -1 }, ['a 0,0 3x2', 'b 3,0 3x2', 'c 0,2 2x1', 'd 2,2 4x1']],
    ['an unknown tile', 'x', { dx: 1 }, ['a 0,0 3x2', 'b 3,0 3x2', 'c 0,2 2x1', 'd 2,2 4x1']],
  ])('%s', (_name, id, step, expected) => expect(after(id, step)).toEqual(expected))
  it('never lets tiles cover each other', () => {
    let shown = tiles
    const steps: TileStep[] = [{ dx: 1 }, { dy: 1 }, { dw: 1 }, { dx: -1 }, { dh: 1 }, { dy: -1 }, { dw: -1 }]
    for (let round = 0; round < 60; round++) {
      shown = movedTiles(shown, 'abcd'[round % 4] ?? 'a', steps[round % steps.length] ?? {})
      const cells = shown.flatMap(({ layout: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_cell, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
      )
      expect(new Set(cells).size).toBe(cells.length)
      expect(shown.every(({ layout }) => layout.x >= 0 && layout.x + layout.w <= 6)).toBe(true)
    }
  })
})

it('inOrder goes row by row', () =>
  expect(
    inOrder(tiles.toReversed())
      .map(({ id }) => id)
      .join(''),
  ).toBe('abcd'))

it.each([
  [2, 1, 0, 3],
  [1, 1, 0, 3],
  [6, 1, 0, 3],
])('the first free place for %d x %d is %d, %d', (w, h, x, y) =>
  expect(
    freePlace(
      tiles.map(({ layout }) => layout),
      { w, h },
    ),
  ).toEqual({ x, y, w, h, minH: 1 }),
)
