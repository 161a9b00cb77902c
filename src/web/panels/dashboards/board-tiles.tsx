'use client'
import type { CSSProperties } from 'react'
import type { RestTile } from '../../../contract/explore/dashboards.ts'
import { inOrder } from '../../../domain/dashboard-layout.ts'
import { alertHref, exploreHref } from './explore-link.ts'
import type { BoardParams } from './params.ts'
import { TileBody, TileHead, type TileScope } from './tile.tsx'

type Place = CSSProperties & Record<'--x' | '--y' | '--w' | '--h', number>

const placeOf = ({ layout: { x, y, w, h } }: RestTile): Place => ({ '--x': x + 1, '--y': y + 1, '--w': w, '--h': h })

/** The tiles of a dashboard that is only read, in reading order. A phone shows them below each other. */
export function BoardTiles({
  tiles,
  scope,
  params,
  mayAlert,
}: {
  tiles: readonly RestTile[]
  scope: TileScope
  params: BoardParams
  /** Whether the reader may create alert rules. */
  mayAlert: boolean
}) {
  return (
    <div className="board-grid">
      {inOrder(tiles).map((tile) => (
        <section key={tile.id} className="board-tile" style={placeOf(tile)} aria-labelledby={`tile-${tile.id}`}>
          <TileHead
            tile={tile}
            explore={tile.plan ? exploreHref(scope.organization, tile.plan, tile.displayType, params) : undefined}
            alert={mayAlert ? alertHref(scope.organization, tile, params) : undefined}
            actions={undefined}
          />
          <TileBody tile={tile} scope={scope} />
        </section>
      ))}
    </div>
  )
}
