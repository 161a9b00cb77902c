'use client'
import { useTranslations } from 'next-intl'
import { type MouseEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flameAt, flamePx, levelsOf, paintFlame } from './flame.ts'
import { usePalette } from './use-palette.ts'
import { useSize } from './use-size.ts'
import type { TraceControls } from './use-trace.ts'
import { useWords } from './words.ts'

/** All spans by depth over time. A click selects a span, a double click zooms to it. */
export function FlameView({ trace }: { trace: TraceControls }) {
  const t = useTranslations('trace')
  const words = useWords(trace.model)
  const scroller = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const { width, height } = useSize(scroller)
  const palette = usePalette(scroller)
  const [title, setTitle] = useState('')
  const { model, window, colour, selected } = trace
  const levels = useMemo(() => levelsOf(model), [model])
  const paint = () => {
    if (!canvas.current || !palette) return
    paintFlame(canvas.current, width, height, {
      model,
      levels,
      window,
      palette,
      by: colour,
      scrollPx: scroller.current?.scrollTop ?? 0,
      selected: selected?.kind === 'node' ? selected.ref : -1,
    })
  }
  useLayoutEffect(paint)
  const nodeAt = (event: MouseEvent<HTMLElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    const scrolled = scroller.current?.scrollTop ?? 0
    return flameAt({ model, levels, window }, width, event.clientX - left, event.clientY - top + scrolled)
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys of the page select spans in each view
    <div
      ref={scroller}
      className="tp-scroll"
      role="img"
      aria-label={t('flame')}
      title={title}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area needs the focus for the keys of the browser
      tabIndex={0}
      onScroll={paint}
      onClick={(event) => {
        const node = nodeAt(event)
        if (node !== undefined) trace.reveal(node)
      }}
      onDoubleClick={trace.fitSelected}
      onMouseMove={(event) => {
        const node = nodeAt(event)
        const text =
          node === undefined
            ? ''
            : `${words.op(node)} ${words.name(node)} · ${words.duration(model.tree.durations[node] ?? 0)}`
        if (text !== title) setTitle(text)
      }}
    >
      <div className="tp-sticky tp-flame" aria-hidden="true">
        <canvas ref={canvas} style={{ left: 0, width, height }} />
      </div>
      <div style={{ height: levels.length * flamePx + 24 }} />
    </div>
  )
}
