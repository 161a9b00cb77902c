'use client'
import { useTranslations } from 'next-intl'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type BarsInput, paintBars, rowPx, usAt, xOf } from './paint.ts'
import { Row } from './row.tsx'
import { rowAt } from './rows.ts'
import { usePalette } from './use-palette.ts'
import { useSize } from './use-size.ts'
import type { TraceControls } from './use-trace.ts'
import { useWords, type Words } from './words.ts'
import { ticksOf } from './zoom.ts'

/** Rows above and below the visible ones, so that a fast scroll shows names at once. */
const overscan = 12
const rulerPx = 24
/** Width of the text of a tick. Without this space right of its line, it goes to the left. */
const tickTextPx = 52

function Ruler({ trace, width, words }: { trace: TraceControls; width: number; words: Words }) {
  const t = useTranslations('trace')
  // Times count from the start of the trace. Its first span can be moved, so that is not the zero of the times.
  const { fromUs } = trace.model
  const shown = { fromUs: trace.window.fromUs - fromUs, toUs: trace.window.toUs - fromUs }
  const ticks = width > 0 ? ticksOf(shown, Math.max(2, Math.floor(width / 90))) : []
  return (
    <div className="tp-ruler" aria-hidden="true">
      <div className="tp-name">{t('span')}</div>
      <div className="tp-ticks">
        {ticks.map((at) => (
          <span
            key={at}
            data-left={xOf(shown, width, at) > width - tickTextPx || undefined}
            style={{ left: xOf(shown, width, at) }}
          >
            {at === 0 ? '0' : words.duration(at)}
          </span>
        ))}
      </div>
    </div>
  )
}

/** Scrolls so that the selected row is visible. */
function useScrollToSelected(trace: TraceControls, scroller: React.RefObject<HTMLDivElement | null>): void {
  const { selected, rows } = trace
  useLayoutEffect(() => {
    const { current } = scroller
    if (!current || !selected) return
    const row = rowAt(rows, selected.kind, selected.ref)
    if (row < 0) return
    const top = row * rowPx
    const height = current.clientHeight - rulerPx
    if (top < current.scrollTop) current.scrollTop = Math.max(0, top - rowPx * 3)
    else if (top + rowPx > current.scrollTop + height) current.scrollTop = top - height + rowPx * 4
  }, [selected, rows, scroller])
}

/** Zooms with the wheel and Ctrl around the pointer, and moves the window with a sideways wheel. */
function useWheel(
  trace: TraceControls,
  scroller: React.RefObject<HTMLDivElement | null>,
  namesPx: number,
  width: number,
): void {
  const latest = useRef({ trace, namesPx, width })
  latest.current = { trace, namesPx, width }
  useEffect(() => {
    const { current } = scroller
    if (!current) return
    const onWheel = (event: WheelEvent) => {
      const now = latest.current
      const { window: shown } = now.trace
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault()
        const x = event.clientX - current.getBoundingClientRect().left - now.namesPx
        now.trace.zoom(event.deltaY < 0 ? 'in' : 'out', usAt(shown, now.width, x))
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault()
        const by = (event.deltaX / Math.max(1, now.width)) * (shown.toUs - shown.fromUs)
        now.trace.setWindow({ fromUs: shown.fromUs + by, toUs: shown.toUs + by })
      }
    }
    // React adds wheel listeners as passive ones, which cannot keep the page from zooming.
    current.addEventListener('wheel', onWheel, { passive: false })
    return () => current.removeEventListener('wheel', onWheel)
  }, [scroller])
}

/** The width of the names: a fixed column, or half of a phone. */
const namesWidth = (width: number): number => (width >= 720 ? 392 : Math.round(width * 0.56))

/**
 * The waterfall: names as rows of the document, so that they can be selected, read aloud and searched, and all bars on
 * one canvas. Only visible rows exist, and a row that scrolls out is used again for the one that comes in.
 */
export function Waterfall({ trace }: { trace: TraceControls }) {
  const t = useTranslations('trace')
  const words = useWords(trace.model)
  const scroller = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const { width, height } = useSize(scroller)
  const palette = usePalette(scroller)
  const [firstRow, setFirstRow] = useState(0)
  const { rows, model, window: shown, colour, matches } = trace
  const namesPx = namesWidth(width)
  const barsPx = Math.max(0, width - namesPx)
  const visible = Math.ceil(Math.max(0, height - rulerPx) / rowPx) + 1
  const matching = useMemo(() => new Set(matches), [matches])
  useScrollToSelected(trace, scroller)
  useWheel(trace, scroller, namesPx, barsPx)
  const paint = () => {
    if (!canvas.current || !scroller.current || !palette) return
    const top = scroller.current.scrollTop
    const input: BarsInput = {
      model,
      rows,
      window: shown,
      palette,
      by: colour,
      duration: words.duration,
      runText: words.run,
      firstRow: Math.floor(top / rowPx),
      offsetPx: top % rowPx,
    }
    paintBars(canvas.current, barsPx, Math.max(0, height - rulerPx), input)
  }
  // Every change of the inputs paints again; a scroll paints without a render.
  useLayoutEffect(paint)
  const onScroll = () => {
    const next = Math.max(0, Math.floor((scroller.current?.scrollTop ?? 0) / rowPx) - overscan)
    // Names and bars of one frame belong together. Half of the overscan may pass without a render, which paints too.
    if (Math.abs(next - firstRow) >= overscan / 2 || (next === 0 && firstRow !== 0)) flushSync(() => setFirstRow(next))
    else paint()
  }
  const pool = visible + overscan * 2 + overscan / 2
  const last = Math.min(rows.kinds.length, firstRow + pool)
  const list = Array.from({ length: Math.max(0, last - firstRow) }, (_, at) => firstRow + at)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a tree has no element
    <div
      ref={scroller}
      className="tp-scroll"
      role="tree"
      aria-label={t('waterfall')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area needs the focus for the keys of the browser
      tabIndex={0}
      onScroll={onScroll}
      style={{ '--names': `${namesPx}px` } as React.CSSProperties}
    >
      <Ruler trace={trace} width={barsPx} words={words} />
      <div className="tp-sticky" aria-hidden="true">
        <canvas ref={canvas} style={{ left: namesPx, width: barsPx, height: Math.max(0, height - rulerPx) }} />
      </div>
      <div className="tp-rows" role="presentation" style={{ height: rows.kinds.length * rowPx }}>
        {list.map((row) => (
          <div
            key={row % pool}
            className="tp-slot"
            role="presentation"
            style={{ transform: `translateY(${row * rowPx}px)` }}
          >
            <Row
              trace={trace}
              words={words}
              row={row}
              isMatch={(rows.kinds[row] === 'node' || rows.kinds[row] === 'run') && matching.has(rows.refs[row] ?? -1)}
            />
          </div>
        ))}
      </div>
    </div>
  )
}
