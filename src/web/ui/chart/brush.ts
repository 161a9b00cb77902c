'use client'
import { type HTMLAttributes, type PointerEvent, useState } from 'react'

/**
 * A selection of bars of equal width by dragging over them. `plot` are the handlers of the element with the bars, `low`
 * and `high` the selected places while the pointer is down, else -1. `apply` gets the places at the end.
 */
export function useBrush(
  count: number,
  apply: (from: number, to: number) => void,
): {
  plot: Pick<HTMLAttributes<HTMLElement>, 'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel'>
  low: number
  high: number
} {
  const [brush, setBrush] = useState<{ from: number; to: number }>()
  const barAt = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const at = box.width > 0 ? Math.floor(((event.clientX - box.left) / box.width) * count) : 0
    return Math.max(0, Math.min(count - 1, at))
  }
  const [low, high] = brush ? [Math.min(brush.from, brush.to), Math.max(brush.from, brush.to)] : [-1, -1]
  return {
    low,
    high,
    plot: {
      onPointerDown: (event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        setBrush({ from: barAt(event), to: barAt(event) })
      },
      onPointerMove: (event) => brush && setBrush({ ...brush, to: barAt(event) }),
      onPointerUp: () => {
        setBrush(undefined)
        if (brush) apply(low, high)
      },
      onPointerCancel: () => setBrush(undefined),
    },
  }
}
