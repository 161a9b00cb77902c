'use client'
import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import type { AlignedSeries, TimeChartKind, ValueAxis } from './time-series.ts'

type TimePlotProps = {
  kind: TimeChartKind
  /** The values to draw: already stacked, if they are stacked. */
  aligned: AlignedSeries
  axis: ValueAxis
  fromMs: number
  toMs: number
  heightPx: number
  /** Names of colour tokens, one per series. */
  colours: readonly string[]
  /** The interval that is read, or null. */
  at: number | null
  onPoint(at: number | null): void
  onSelect?: ((fromMs: number, toMs: number) => void) | undefined
}

/** Counts theme changes: canvas colours do not follow CSS by themselves. */
function useThemeChanges(): number {
  const [changes, setChanges] = useState(0)
  useEffect(() => {
    const count = () => setChanges((before) => before + 1)
    const observer = new MutationObserver(count)
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    const dark = window.matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', count)
    return () => {
      observer.disconnect()
      dark.removeEventListener('change', count)
    }
  }, [])
  return changes
}

/** Values without a neighbour: a line through them alone has no length, so they are drawn as dots. */
function alonePoints(values: readonly (number | null | undefined)[]): number[] {
  return values.flatMap((value, at) => (value != null && values[at - 1] == null && values[at + 1] == null ? [at] : []))
}

function seriesOf(kind: TimeChartKind, colour: string, isPrevious: boolean): uPlot.Series {
  const points: uPlot.Series.Points = {
    show: kind !== 'bar',
    size: 4,
    fill: colour,
    filter: (plot, place) => alonePoints((plot.data[place] ?? []) as (number | null)[]),
  }
  if (isPrevious) return { stroke: colour, width: 1, dash: [3, 3], alpha: 0.65, points }
  if (kind === 'bar') {
    const paths = uPlot.paths.bars?.({ size: [0.76, 48], align: 0 })
    return { stroke: colour, fill: colour, width: 0, points: { show: false }, ...(paths ? { paths } : {}) }
  }
  // The tokens are six digits. 0x30 of 0xff is 19 %, at which grid lines stay visible.
  return { stroke: colour, width: 1.5, points, ...(kind === 'area' ? { fill: `${colour}30` } : {}) }
}

/** What uPlot draws: only the plot. Labels are elements around it, so that they keep fonts, zones and size. */
function optionsOf(props: TimePlotProps, colourOf: (token: string) => string, widthPx: number): uPlot.Options {
  const { kind, aligned, axis, fromMs, toMs, heightPx, colours } = props
  const grid = { stroke: colourOf('--grid'), width: 1 }
  const order = kind === 'bar' ? colours.toReversed() : colours
  const shown = order.map((colour) => seriesOf(kind, colourOf(colour), false))
  const previous = aligned.previous.map((_row, at) => seriesOf('line', colourOf(colours[at] ?? '--c7'), true))
  const bare = { size: 0, gap: 0, ticks: { show: false }, values: () => [] }
  return {
    width: Math.max(1, widthPx),
    height: heightPx,
    padding: [0, 0, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { show: kind !== 'bar', size: 6 },
      drag: { x: props.onSelect !== undefined, y: false, setScale: false },
    },
    scales: {
      x: { time: false, range: () => [fromMs, toMs] },
      y: { range: () => [axis.min, axis.max] },
    },
    axes: [
      { ...bare, grid: { show: false } },
      { ...bare, grid, splits: () => axis.ticks.toReversed() },
    ],
    series: [{}, ...shown, ...previous],
    bands:
      kind === 'area' ? shown.slice(1).map((_series, at) => ({ series: [at + 2, at + 1] as [number, number] })) : [],
  }
}

function dataOf({ kind, aligned }: TimePlotProps): uPlot.AlignedData {
  const middles = aligned.startsMs.map((startMs) => startMs + aligned.intervalMs / 2)
  // Stacked bars cover each other: the highest comes first.
  const values = kind === 'bar' ? aligned.values.toReversed() : aligned.values
  return [middles, ...values, ...aligned.previous]
}

/** The drawn part of a time chart, on a canvas. Only `TimeChart` uses it, and loads it after the page. */
export function TimePlot(props: TimePlotProps) {
  const { at, heightPx } = props
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(null)
  const latest = useRef(props)
  latest.current = props
  const themes = useThemeChanges()
  const drawn = JSON.stringify([props.kind, props.aligned, props.axis, props.fromMs, props.toMs, props.colours])
  useEffect(() => {
    const target = box.current
    if (!target) return
    // The effect runs again for each of these, although it reads them from `latest`.
    void [themes, drawn]
    const style = getComputedStyle(target)
    const colourOf = (token: string) => style.getPropertyValue(token).trim() || '#888888'
    const current = new uPlot(
      {
        ...optionsOf({ ...latest.current, heightPx }, colourOf, target.clientWidth),
        hooks: {
          setCursor: [({ cursor }) => latest.current.onPoint(cursor.idx ?? null)],
          setSelect: [
            (chart) => {
              const { left, width } = chart.select
              if (width >= 4) latest.current.onSelect?.(chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x'))
              if (width > 0) chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
            },
          ],
        },
      },
      dataOf(latest.current),
      target,
    )
    plot.current = current
    const observer = new ResizeObserver(() =>
      current.setSize({ width: Math.max(1, target.clientWidth), height: heightPx }),
    )
    observer.observe(target)
    return () => {
      observer.disconnect()
      current.destroy()
      plot.current = null
    }
  }, [themes, drawn, heightPx])
  useEffect(() => {
    const { current } = plot
    if (!current || (current.cursor.idx ?? null) === at) return
    const x = at === null ? undefined : current.data[0][at]
    const left = x == null ? -10 : current.valToPos(x, 'x')
    current.setCursor({ left, top: at === null ? -10 : 1 }, false)
  }, [at])
  return <div ref={box} className="time-chart-canvas" style={{ height: heightPx }} aria-hidden="true" />
}
