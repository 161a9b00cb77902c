import { describe, expect, test } from 'vitest'
import {
  datasetOfTile,
  freePlace,
  gridColumns,
  type TileLayout,
  tileSizes,
  tileTypeOf,
  tileTypes,
} from './dashboards.ts'
import { datasets } from './datasets.ts'

describe('types of tiles', () => {
  test.each(datasets)('the type of %s asks the same dataset', (dataset) => {
    expect(datasetOfTile(tileTypeOf(dataset))).toBe(dataset)
  })

  test('only a list of issues has no dataset', () => {
    expect(tileTypes.filter((type) => datasetOfTile(type) === undefined)).toEqual(['issue'])
  })

  test('discover is read and not written', () => {
    expect(datasetOfTile('discover')).toBe('errors')
    expect(datasets.map(tileTypeOf)).not.toContain('discover')
  })
})

const at = (x: number, y: number, w: number, h: number): TileLayout => ({ x, y, w, h, minH: 1 })

describe('the first free place', () => {
  test.each<[name: string, taken: TileLayout[], size: [w: number, h: number], place: [x: number, y: number]]>([
    ['an empty grid', [], [6, 2], [0, 0]],
    ['beside a tile', [at(0, 0, 3, 2)], [3, 2], [3, 0]],
    ['left of a tile', [at(3, 0, 3, 2)], [3, 2], [0, 0]],
    ['below, if one column is missing', [at(0, 0, 3, 2)], [4, 1], [0, 2]],
    ['below the lowest tile in its way', [at(0, 0, 2, 1), at(2, 0, 4, 3)], [6, 1], [0, 3]],
    ['in a gap of its width', [at(0, 0, 2, 1), at(4, 0, 2, 1)], [2, 1], [2, 0]],
    ['not in a gap that is too low', [at(0, 0, 2, 1), at(4, 0, 2, 1), at(2, 1, 2, 1)], [2, 2], [0, 1]],
    ['in a row above all tiles', [at(0, 1, 6, 1)], [6, 1], [0, 0]],
    ['not over a tile that starts further down', [at(0, 1, 6, 1)], [1, 2], [0, 2]],
    ['tiles in any order', [at(0, 1, 6, 1), at(0, 0, 6, 1)], [1, 1], [0, 2]],
    ['tiles that cover each other', [at(0, 0, 4, 2), at(2, 0, 4, 2)], [1, 1], [0, 2]],
    ['the last column', [at(0, 0, 5, 9)], [1, 9], [5, 0]],
  ])('%s', (_name, taken, [w, h], [x, y]) => {
    expect(freePlace(taken, { w, h })).toEqual(at(x, y, w, h))
  })

  test('the tiles stay as they are', () => {
    const taken = Object.freeze([Object.freeze(at(0, 0, 6, 1))])
    freePlace(taken, { w: 1, h: 1 })
    expect(taken).toEqual([at(0, 0, 6, 1)])
  })

  test.each(Object.entries(tileSizes))('new tiles of kind %s fill rows without a gap', (_kind, size) => {
    const perRow = Math.floor(gridColumns / size.w)
    const placed: TileLayout[] = []
    for (let made = 0; made < 3 * perRow; made++) placed.push(freePlace(placed, size))
    expect(placed.map(({ x, y }) => [x, y])).toEqual(
      placed.map((_tile, index) => [(index % perRow) * size.w, Math.floor(index / perRow) * size.h]),
    )
  })
})
