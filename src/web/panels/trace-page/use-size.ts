'use client'
import { type RefObject, useLayoutEffect, useState } from 'react'

/** The inner size of an element in pixels, kept current. Zero until it is known. */
export function useSize(element: RefObject<HTMLElement | null>): { width: number; height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const read = () => setSize({ width: current.clientWidth, height: current.clientHeight })
    read()
    const observer = new ResizeObserver(read)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return size
}
