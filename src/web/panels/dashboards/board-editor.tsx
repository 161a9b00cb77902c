'use client'
import 'react-grid-layout/css/styles.css'
import { GripVertical } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type KeyboardEvent, useState } from 'react'
import { flushSync } from 'react-dom'
import ReactGridLayout, { type Layout, useContainerWidth } from 'react-grid-layout'
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

  function step(event: KeyboardEvent<HTMLButtonElement>, tile: RestTile): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const change = (event.shiftKey ? sizes : moves)[event.key]
    if (!change) return
    event.preventDefault()
    event.stopPropagation()
    const next = movedTiles(tiles, tile.id, change)
    const own = next.find(({ id }) => id === tile.id)?.layout ?? tile.layout
    const handle = event.currentTarget
    flushSync(() => {
      onChange(next)
      setSaid(t('said', { column: own.x + 1, row: own.y + 1, width: own.w, height: own.h }))
    })
    // The document has the tiles in the order of their places. A tile that moved within it has lost the focus.
    if (document.activeElement !== handle) handle.focus({ preventScroll: true })
  }
  /** Takes over where a drag left the tiles. */
  function place(changed: Layout): void {
    const places = new Map(changed.map(({ i, x, y, w, h }) => [i, { x, y, w, h }]))
    const next = tiles.map((tile) => ({ ...tile, layout: { ...tile.layout, ...places.get(tile.id) } }))
    if (JSON.stringify(next) !== JSON.stringify(tiles)) onChange(next)
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
          // Not `onLayoutChange`: it also repeats each layout that it was given, late. A key pressed meanwhile was lost, and
          // both layouts took turns without an end.
          onDragStop={place}
          onResizeStop={place}
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
