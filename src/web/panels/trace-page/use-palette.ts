'use client'
import { type RefObject, useEffect, useState } from 'react'
import { type Palette, paletteOf } from './paint.ts'

/** The colours of the theme, read again when the theme changes. Undefined until the element is there. */
export function usePalette(element: RefObject<HTMLElement | null>): Palette | undefined {
  const [palette, setPalette] = useState<Palette>()
  useEffect(() => {
    const read = () => setPalette(element.current ? paletteOf(element.current) : undefined)
    read()
    const observer = new MutationObserver(read)
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    const dark = window.matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', read)
    return () => {
      observer.disconnect()
      dark.removeEventListener('change', read)
    }
  }, [element])
  return palette
}
