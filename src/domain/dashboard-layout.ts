import { gridColumns, type TileLayout } from './dashboards.ts'

/** The place of a tile on the grid. */
export type PlacedTile = { id: string; layout: TileLayout }

/** A step by keys: columns, and places up or down; and a change of the size. */
export type TileStep = { dx?: number; dy?: -1 | 0 | 1; dw?: number; dh?: number }

const isOver = (a: TileLayout, b: TileLayout) =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
const sharesColumn = (a: TileLayout, b: TileLayout) => a.x < b.x + b.w && b.x < a.x + a.w
const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value))

/** Tiles from the top down, as a reader and the tab key go through them. */
export const inOrder = <Tile extends PlacedTile>(tiles: readonly Tile[]): Tile[] =>
  [...tiles].sort((a, b) => a.layout.y - b.layout.y || a.layout.x - b.layout.x)

/** Lets each tile rise as far as it can. Where two want one place, the earlier in the list gets it. */
function risen<Tile extends PlacedTile>(tiles: readonly Tile[]): Tile[] {
  const placed: Tile[] = []
  for (const tile of tiles) {
    let layout = tile.layout
    while (placed.some((other) => isOver(other.layout, layout))) layout = { ...layout, y: layout.y + 1 }
    while (layout.y > 0 && !placed.some((other) => isOver(other.layout, { ...layout, y: layout.y - 1 })))
      layout = { ...layout, y: layout.y - 1 }
    placed.push({ ...tile, layout })
  }
  return placed
}

/** The row that a tile takes when it changes places with its neighbour above or below. */
function rowAfter({ id, layout }: PlacedTile, tiles: readonly PlacedTile[], dy: number): number {
  const column = tiles.filter((other) => other.id !== id && sharesColumn(other.layout, layout))
  if (dy < 0) return Math.max(0, ...column.filter((other) => other.layout.y < layout.y).map((other) => other.layout.y))
  const below = column.filter((other) => other.layout.y >= layout.y + layout.h)
  const next = Math.min(...below.map((other) => other.layout.y + other.layout.h))
  return Number.isFinite(next) ? next - layout.h : layout.y
}

/**
 * The tiles after a step of one of them. It stays inside the grid, pushes others down and leaves no gaps above. The
 * order of the list stays, so that nothing loses the focus.
 */
export function movedTiles<Tile extends PlacedTile>(tiles: readonly Tile[], id: string, step: TileStep): Tile[] {
  const moved = tiles.find((tile) => tile.id === id)
  if (!moved) return [...tiles]
  const { dx = 0, dy = 0, dw = 0, dh = 0 } = step
  const { layout } = moved
  const w = clamp(layout.w + dw, 1, gridColumns - layout.x)
  const h = clamp(layout.h + dh, layout.minH, 20)
  const next: TileLayout = {
    ...layout,
    w,
    h,
    x: clamp(layout.x + dx, 0, gridColumns - w),
    y: dy === 0 ? layout.y : rowAfter(moved, tiles, dy),
  }
  const others = inOrder(tiles.filter((tile) => tile.id !== id))
  // A tile that moves down follows those that it passes, all other steps win over those in their way.
  const isBefore = (other: Tile) => (dy > 0 ? other.layout.y < next.y + next.h : other.layout.y < next.y)
  const list = [...others.filter(isBefore), { ...moved, layout: next }, ...others.filter((other) => !isBefore(other))]
  const places = new Map(risen(list).map((tile) => [tile.id, tile.layout]))
  return tiles.map((tile) => ({ ...tile, layout: places.get(tile.id) ?? tile.layout }))
}
