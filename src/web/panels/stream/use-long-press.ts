'use client'
import { type MouseEvent, type PointerEvent, useEffect, useRef } from 'react'

/** How long a finger rests before it selects, ms. Below this it is a tap. */
const pressMs = 450
/** A finger that moves this far scrolls, px. */
const movedPx = 10

/**
 * Handlers of a list that call `select` with the pressed element when a finger rests on it. The click that follows does
 * nothing. A mouse selects by check boxes.
 */
export function useLongPress(select: (target: EventTarget) => void) {
  const timer = useRef<number | undefined>(undefined)
  const from = useRef({ x: 0, y: 0 })
  const hasSelected = useRef(false)
  const cancel = () => window.clearTimeout(timer.current)
  useEffect(() => () => window.clearTimeout(timer.current), [])
  return {
    onPointerDown: (event: PointerEvent) => {
      cancel()
      hasSelected.current = false
      if (event.pointerType !== 'touch') return
      const { target } = event
      from.current = { x: event.clientX, y: event.clientY }
      timer.current = window.setTimeout(() => {
        hasSelected.current = true
        select(target)
      }, pressMs)
    },
    onPointerMove: (event: PointerEvent) => {
      if (Math.hypot(event.clientX - from.current.x, event.clientY - from.current.y) > movedPx) cancel()
    },
    onPointerUp: cancel,
    onPointerCancel: cancel,
    // The menu of a link would cover the rows.
    onContextMenu: (event: MouseEvent) => {
      if (hasSelected.current) event.preventDefault()
    },
    onClickCapture: (event: MouseEvent) => {
      if (!hasSelected.current) return
      hasSelected.current = false
      event.preventDefault()
      event.stopPropagation()
    },
  }
}
