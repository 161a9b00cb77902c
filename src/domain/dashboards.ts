import type { Dataset } from './datasets.ts'

/** Kinds of tiles, by the names of the REST API. */
export const tileDisplays = ['line', 'area', 'bar', 'table', 'big_number', 'heatmap', 'text'] as const
export type TileDisplay = (typeof tileDisplays)[number]

/** What a tile asks about, by the names of the REST API. `issue` is a list of issues. */
export const tileTypes = ['error-events', 'discover', 'spans', 'logs', 'tracemetrics', 'outcomes', 'issue'] as const
export type TileType = (typeof tileTypes)[number]

const datasetByType: Readonly<Record<Exclude<TileType, 'issue'>, Dataset>> = {
  'error-events': 'errors',
  discover: 'errors',
  spans: 'spans',
  logs: 'logs',
  tracemetrics: 'metrics',
  outcomes: 'outcomes',
}

/** The dataset of a tile, or undefined for a list of issues. */
export const datasetOfTile = (type: TileType): Dataset | undefined =>
  type === 'issue' ? undefined : datasetByType[type]

/** The type of a tile over a dataset. */
export const tileTypeOf = (dataset: Dataset): TileType =>
  tileTypes.find((type) => type !== 'discover' && datasetOfTile(type) === dataset) ?? 'error-events'

/** Columns of the grid. Clients of Sentry's API lay tiles out on six, too. */
export const gridColumns = 6
export const gridRowsMax = 500
export const tilesMax = 40
/** Issues of a list, and groups of a chart, if the tile names no limit. */
export const issueLimit = 10
export const chartGroups = 5
/** Groups of one chart: more lines cannot be told apart. */
export const chartGroupsMax = 20

/** The size that a new tile gets. */
export const tileSizes: Readonly<Record<TileDisplay, { w: number; h: number }>> = {
  line: { w: 3, h: 2 },
  area: { w: 3, h: 2 },
  bar: { w: 3, h: 2 },
  table: { w: 3, h: 2 },
  big_number: { w: 2, h: 1 },
  heatmap: { w: 3, h: 2 },
  text: { w: 2, h: 1 },
}

export type TileLayout = { x: number; y: number; w: number; h: number; minH: number }

const overlaps = (a: TileLayout, b: TileLayout) =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

/** The first free place for a tile of this size, row by row from the top. */
export function freePlace(taken: readonly TileLayout[], { w, h }: { w: number; h: number }): TileLayout {
  for (let y = 0; ; y++)
    for (let x = 0; x + w <= gridColumns; x++) {
      const place = { x, y, w, h, minH: 1 }
      if (!taken.some((other) => overlaps(other, place))) return place
    }
}
