'use client'
import 'react-grid-layout/css/styles.css'
import { GripVertical } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type KeyboardEvent, useState } from 'react'
import ReactGridLayout, { useContainerWidth } from 'react-grid-layout'
import type { RestTile } from '../../../contract/explore/dashboards.ts'
import { inOrder, movedTiles, type TileStep } from '../../../domain/dashboard-layout.ts'
import { gridColumns } from '../../../domain/dashboards.ts'
import { TileBody, TileHead, type TileScope } from './tile.tsx'
import { gapPx, rowPx } from './tile-content.tsx'

const moves: Readonly<Record<string, TileStep>> = {
  ArrowLeft: { dx: -1 },
  ArrowRight: { dx: 1 },
  ArrowUp: { dy: -1 },
  ArrowDown: { dy: 1 },
}
const sizes: Readonly<Record<string, TileStep>> = {
  ArrowLeft: { dw: -1 },
  ArrowRight: { dw: 1 },
  ArrowUp: { dh: -1 },
  ArrowDown: { dh: 1 },
}

/**
 * The tiles of a dashboard that is edited. They move and change their size by drag, and by keys on the handle of a tile:
 * arrows move it, Shift and arrows change its size. The library of the grid is loaded only here.
 */
export function BoardEditor({
  tiles,
  scope,
  onChange,
  onEdit,
}: {
  tiles: readonly RestTile[]
  scope: TileScope
  onChange: (tiles: RestTile[]) => void
  onEdit: (tile: RestTile) => void
}) {
  const t = useTranslations('boards.edit')
  const { width, containerRef, mounted } = useContainerWidth()
  const [said, setSaid] = useState('')
  const layout = tiles.map(({ id, layout: { x, y, w, h, minH } }) => ({ i: id, x, y, w, h, minH }))

  function step(event: KeyboardEvent, tile: RestTile): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const change = (event.shiftKey ? sizes : moves)[event.key]
    if (!change) return
    event.preventDefault()
    event.stopPropagation()
    const next = movedTiles(tiles, tile.id, change)
    const place = next.find(({ id }) => id === tile.id)?.layout ?? tile.layout
    onChange(next)
    setSaid(t('said', { column: place.x + 1, row: place.y + 1, width: place.w, height: place.h }))
  }
  const handleOf = (tile: RestTile) => (
    <button
      type="button"
      className="board-handle"
      aria-label={t('move', { title: tile.title })}
      title={t('moveHint')}
      onKeyDown={(event) => step(event, tile)}
    >
      <GripVertical size={14} strokeWidth={1.75} aria-hidden="true" />
    </button>
  )
  return (
    <div ref={containerRef} className="board-editing">
      {/* react-draggable looks for its style element by this id, and else makes one without a nonce, which the content
          security policy blocks. dashboards.css has its two rules. */}
      <span id="react-draggable-style-el" hidden />
      <p className="visually-hidden" role="status">
        {said}
      </p>
      {mounted ? (
        <ReactGridLayout
          width={width}
          layout={layout}
          gridConfig={{ cols: gridColumns, rowHeight: rowPx, margin: [gapPx, gapPx], containerPadding: [0, 0] }}
          dragConfig={{ enabled: true, handle: '.board-head', cancel: '.board-head button:not(.board-handle)' }}
          resizeConfig={{ enabled: true, handles: ['se'] }}
          onLayoutChange={(changed) => {
            const places = new Map(changed.map(({ i, x, y, w, h }) => [i, { x, y, w, h }]))
            const next = tiles.map((tile) => ({ ...tile, layout: { ...tile.layout, ...places.get(tile.id) } }))
            if (JSON.stringify(next) !== JSON.stringify(tiles)) onChange(next)
          }}
        >
          {inOrder(tiles).map((tile) => (
            <section key={tile.id} className="board-tile" aria-labelledby={`tile-${tile.id}`} data-tile={tile.id}>
              <TileHead
                tile={tile}
                explore={undefined}
                actions={{
                  edit: () => onEdit(tile),
                  remove: () => onChange(tiles.filter(({ id }) => id !== tile.id)),
                  handle: handleOf(tile),
                }}
              />
              <TileBody tile={tile} scope={scope} />
            </section>
          ))}
        </ReactGridLayout>
      ) : null}
    </div>
  )
}
