'use client'
import { type RefObject, useCallback, useLayoutEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { type Item, offsetsOf, rowAtPx } from './items.ts'

const rowPx = 24
/** Two lines: time and marks above the message. */
const phoneRowPx = 46
const phone = '(max-width: 720px)'
/** Height of an open line before it is measured. */
const detailPxAtFirst = 260
const overscan = 12
/** Rows in the document, before a script knows the height of the window. */
const firstCount = 40
/** What covers rows at the top and the bottom of the window, px. */
const covered = { headPx: 130, footPx: 60 }

function onPhoneChange(change: () => void): () => void {
  const query = window.matchMedia(phone)
  query.addEventListener('change', change)
  return () => query.removeEventListener('change', change)
}

/** The rows near the scroll position of the window, where each is, and a function that scrolls to a row. */
export function useListWindow(list: RefObject<HTMLElement | null>, items: readonly Item[]) {
  const height = useSyncExternalStore(
    onPhoneChange,
    () => (window.matchMedia(phone).matches ? phoneRowPx : rowPx),
    () => rowPx,
  )
  const [detailPx, setDetailPx] = useState(detailPxAtFirst)
  const offsets = useMemo(() => offsetsOf(items, height, detailPx), [items, height, detailPx])
  const [part, setPart] = useState({ from: 0, to: firstCount })
  useLayoutEffect(() => {
    const update = () => {
      const topPx = -(list.current?.getBoundingClientRect().top ?? 0)
      const from = Math.max(0, rowAtPx(offsets, Math.max(0, topPx)) - overscan)
      const to = Math.min(items.length, rowAtPx(offsets, Math.max(0, topPx + window.innerHeight)) + overscan)
      setPart((last) => (last.from === from && last.to === to ? last : { from, to }))
    }
    update()
    // What is above the list can grow.
    const observer = new ResizeObserver(update)
    observer.observe(document.body)
    window.addEventListener('scroll', update, { passive: true })
    return () => {
      observer.disconnect()
      window.removeEventListener('scroll', update)
    }
  }, [list, items.length, offsets])
  const measure = useCallback((element: HTMLElement | null) => {
    if (!element) return
    const observer = new ResizeObserver(() => setDetailPx(Math.max(1, element.offsetHeight)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const show = useCallback(
    (index: number) => {
      const listTop = (list.current?.getBoundingClientRect().top ?? 0) + window.scrollY
      const [start, end] = [listTop + (offsets[index] ?? 0), listTop + (offsets[index + 1] ?? 0)]
      if (start < window.scrollY + covered.headPx) window.scrollTo({ top: Math.max(0, start - covered.headPx) })
      else if (end > window.scrollY + window.innerHeight - covered.footPx)
        window.scrollTo({ top: end - window.innerHeight + covered.footPx })
    },
    [list, offsets],
  )
  return { from: part.from, to: Math.min(part.to, items.length), offsets, measure, show }
}
