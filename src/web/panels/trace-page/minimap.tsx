'use client'
import { useTranslations } from 'next-intl'
import { type PointerEvent, useLayoutEffect, useRef } from 'react'
import { paintMinimap } from './paint.ts'
import { usePalette } from './use-palette.ts'
import { useSize } from './use-size.ts'
import type { TraceControls } from './use-trace.ts'

const heightPx = 64
/** A drag shorter than this is a click: it moves the window to the place. */
const dragMinPx = 4

type Drag = { kind: 'from' | 'to' | 'new'; startUs: number; startX: number }

/** The whole trace as lines, with a window that two handles or a drag set. The keys + - 0 do the same. */
export function Minimap({ trace }: { trace: TraceControls }) {
  const t = useTranslations('trace')
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const drag = useRef<Drag | undefined>(undefined)
  const { width } = useSize(box)
  const palette = usePalette(box)
  const { model, whole, window: shown, colour, setWindow } = trace
  useLayoutEffect(() => {
    if (canvas.current && palette) paintMinimap(canvas.current, width, heightPx, { model, palette, by: colour, whole })
  }, [model, palette, colour, whole, width])
  const length = whole.toUs - whole.fromUs
  const percent = (us: number) => `${((us - whole.fromUs) / length) * 100}%`
  const usOf = (event: PointerEvent) => {
    const { left, width: across } = event.currentTarget.getBoundingClientRect()
    return whole.fromUs + Math.min(1, Math.max(0, (event.clientX - left) / across)) * length
  }
  const onDown = (event: PointerEvent<HTMLDivElement>) => {
    const handle = event.target instanceof HTMLElement ? event.target.dataset.handle : undefined
    drag.current = {
      kind: handle === 'from' || handle === 'to' ? handle : 'new',
      startUs: usOf(event),
      startX: event.clientX,
    }
    event.currentTarget.setPointerCapture(event.pointerId)
  }
  const onMove = (event: PointerEvent<HTMLDivElement>) => {
    const now = drag.current
    if (!now) return
    const at = usOf(event)
    if (now.kind === 'new') {
      if (Math.abs(event.clientX - now.startX) < dragMinPx) return
      setWindow({ fromUs: Math.min(now.startUs, at), toUs: Math.max(now.startUs, at) })
    } else if (now.kind === 'from' && at < shown.toUs) setWindow({ fromUs: at, toUs: shown.toUs })
    else if (now.kind === 'to' && at > shown.fromUs) setWindow({ fromUs: shown.fromUs, toUs: at })
  }
  const onUp = (event: PointerEvent<HTMLDivElement>) => {
    const now = drag.current
    drag.current = undefined
    if (now?.kind !== 'new' || Math.abs(event.clientX - now.startX) >= dragMinPx) return
    const half = (shown.toUs - shown.fromUs) / 2
    setWindow({ fromUs: now.startUs - half, toUs: now.startUs + half })
  }
  return (
    <div className="tp-minimap">
      <div
        ref={box}
        className="tp-map"
        role="img"
        aria-label={t('minimap')}
        onPointerDown={onDown}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onDoubleClick={trace.fit}
      >
        <canvas ref={canvas} style={{ width: '100%', height: heightPx }} />
        <span className="tp-shade" style={{ left: 0, width: percent(shown.fromUs) }} />
        <span className="tp-shade" style={{ left: percent(shown.toUs), right: 0 }} />
        <span className="tp-handle" data-handle="from" style={{ left: percent(shown.fromUs) }} />
        <span className="tp-handle" data-handle="to" style={{ left: percent(shown.toUs) }} />
      </div>
    </div>
  )
}
