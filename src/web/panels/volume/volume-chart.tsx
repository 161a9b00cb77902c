'use client'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useLocale, useTranslations } from 'next-intl'
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import type { RestIssue } from '../../../contract/issues.ts'
import type { RestVolume } from '../../../contract/volume.ts'
import { type Answered, dataFor } from '../../client/answered.ts'
import { type ApiRequest, apiFetch, apiPage } from '../../client/api.ts'
import { type ChartAnnotation, groupAnnotations } from '../../ui/chart/annotations.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { useTimeText } from '../../ui/time.tsx'
import {
  axisTop,
  type Brush,
  brushOf,
  eventsIn,
  eventsOf,
  movedBrush,
  partsOf,
  rangeOfBrush,
  ticksOf,
} from './volume.ts'

type Query = NonNullable<ApiRequest['query']>

const heightPx = 60
/** Each bar is 10 units wide and leaves 1 to the next. */
const barUnits = 10
const leastPx = 1.5
const ticksMax = 8
const releasesMax = 8
/** Steps of the keys PageUp and PageDown, bars. */
const pageBars = 8
/** How long a selection must rest before its issues are counted, ms. */
const freshMs = 30_000

type ChartProps = {
  organization: string
  /** The parameters of the list. */
  query: Query
  annotations: readonly ChartAnnotation[] | undefined
  /** Came with the document. */
  preloaded: Answered<RestVolume> | undefined
  /** The list shows an older search. */
  isDimmed: boolean
  /** Sets the range of the list, in the parameters of its URL. */
  select: (range: { t: null; from: string; to: string }) => void
}

/** The events of the matching issues over the range. A selected part can become the range of the list. */
export function VolumeChart({ organization, query, annotations, preloaded, isDimmed, select }: ChartProps) {
  const t = useTranslations('search.volume')
  const initialData = dataFor(preloaded, query)
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['issues-volume', organization, query],
    queryFn: ({ signal }) => apiFetch<RestVolume>(`organizations/${organization}/issues-volume/`, { query, signal }),
    ...(initialData ? { initialData } : {}),
    placeholderData: (before) => before,
    staleTime: freshMs,
    retry: false,
  })
  return (
    <section className="volume" aria-label={t('label')} data-dimmed={isDimmed || isPlaceholderData || undefined}>
      {data?.buckets.length ? (
        <Bars
          // A selection belongs to the bars it was made on.
          key={`${data.buckets[0]?.start} ${data.interval} ${data.buckets.length}`}
          organization={organization}
          query={query}
          volume={data}
          annotations={annotations}
          select={select}
        />
      ) : null}
    </section>
  )
}

/** The selection, and what moves it: pointer and keys. */
function useBrush(count: number) {
  const [brush, setBrush] = useState<Brush>()
  const plot = useRef<HTMLDivElement>(null)
  const anchor = useRef<number>(undefined)
  const barAt = (event: PointerEvent) => {
    const box = plot.current?.getBoundingClientRect()
    return box ? Math.floor(((event.clientX - box.left) / box.width) * count) : 0
  }
  const begin = (event: PointerEvent<HTMLElement>, from = barAt(event)) => {
    if (event.button !== 0) return
    event.preventDefault()
    plot.current?.setPointerCapture(event.pointerId)
    anchor.current = from
    setBrush(brushOf(from, barAt(event), count))
  }
  const drag = (event: PointerEvent) => {
    if (anchor.current !== undefined) setBrush(brushOf(anchor.current, barAt(event), count))
  }
  const end = () => {
    anchor.current = undefined
  }
  const moveBy = (event: KeyboardEvent, side: keyof Brush) => {
    if (event.key === 'Escape') return setBrush(undefined)
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -pageBars, PageDown: pageBars, Home: -count, End: count }[
      event.key
    ]
    if (step === undefined) return undefined
    event.preventDefault()
    event.stopPropagation()
    return setBrush((before) => before && movedBrush(before, side, step, count))
  }
  return { brush, setBrush, plot, begin, drag, end, moveBy }
}

function Bars({
  organization,
  query,
  volume,
  annotations,
  select,
}: Pick<ChartProps, 'organization' | 'query' | 'annotations' | 'select'> & { volume: RestVolume }) {
  const t = useTranslations('search.volume')
  const locale = useLocale()
  const { buckets, interval } = volume
  const count = buckets.length
  const { brush, setBrush, plot, begin, drag, end, moveBy } = useBrush(count)
  const number = new Intl.NumberFormat(locale, { notation: 'compact' })
  const top = axisTop(buckets)
  const fromMs = (buckets[0]?.start ?? 0) * 1000
  const toMs = ((buckets.at(-1)?.start ?? 0) + interval) * 1000
  const place = (at: number) => `${(at / count) * 100}%`
  const { text } = useTimeText()
  const tick = interval * count < 3 * 86_400 ? 'clock' : 'shortDay'
  const summary = t('summary', {
    events: number.format(buckets.reduce((sum, bucket) => sum + eventsOf(bucket), 0)),
    top: number.format(Math.max(...buckets.map(eventsOf))),
  })
  return (
    <>
      <div className="volume-axis" aria-hidden="true">
        <span>{number.format(top)}</span>
        <span>{number.format(top / 2)}</span>
      </div>
      <div
        ref={plot}
        className="volume-plot"
        data-brushed={brush ? true : undefined}
        onPointerDown={begin}
        onPointerMove={drag}
        onPointerUp={end}
        onPointerCancel={end}
      >
        <svg role="img" aria-label={summary} viewBox={`0 0 ${count * barUnits} ${heightPx}`} preserveAspectRatio="none">
          <path className="volume-grid" d={`M0 .5H${count * barUnits}M0 ${heightPx / 2}H${count * barUnits}`} />
          {buckets.map((bucket, at) => (
            <Bar
              key={bucket.start}
              at={at}
              bucket={bucket}
              top={top}
              isOut={brush !== undefined && (at < brush.from || at > brush.to)}
            />
          ))}
        </svg>
        <Releases annotations={annotations} fromMs={fromMs} toMs={toMs} />
        {brush ? (
          <Handles volume={volume} brush={brush} endMs={toMs} begin={begin} moveBy={moveBy} />
        ) : (
          <button
            type="button"
            className="volume-start"
            onClick={() => setBrush(brushOf(count - pageBars, count - 1, count))}
          >
            {t('select')}
          </button>
        )}
      </div>
      <div className="volume-ticks" aria-hidden="true">
        {ticksOf(count, ticksMax).map((at) => (
          <span key={at} style={{ left: place(at) }}>
            {text((buckets[at]?.start ?? 0) * 1000, tick)}
          </span>
        ))}
        {volume.truncated ? <span className="volume-note">{t('truncated')}</span> : null}
      </div>
      <div className="volume-bubbles">
        {brush ? (
          <Bubble
            organization={organization}
            query={query}
            volume={volume}
            brush={brush}
            clear={() => setBrush(undefined)}
            select={() => {
              const range = rangeOfBrush(volume, brush, toMs)
              select({ t: null, from: new Date(range.fromMs).toISOString(), to: new Date(range.toMs).toISOString() })
              setBrush(undefined)
            }}
          />
        ) : null}
      </div>
    </>
  )
}

/** Releases and deploys as dashed lines, with the newest version of each. */
function Releases({ annotations, fromMs, toMs }: Pick<ChartProps, 'annotations'> & { fromMs: number; toMs: number }) {
  return groupAnnotations(annotations ?? [], fromMs, toMs, releasesMax).map((group) => (
    <span
      key={group.fromMs}
      className="volume-release"
      style={{ left: `${group.place * 100}%` }}
      data-late={group.place > 0.85 || undefined}
    >
      <code>
        <PlainText text={group.versions.at(-1) ?? ''} charactersMax={16} />
      </code>
    </span>
  ))
}

/** The window of a selection with its two ends. */
function Handles({
  volume,
  brush,
  endMs,
  begin,
  moveBy,
}: Pick<ReturnType<typeof useBrush>, 'begin' | 'moveBy'> & { volume: RestVolume; brush: Brush; endMs: number }) {
  const t = useTranslations('search.volume')
  const { text } = useTimeText()
  const count = volume.buckets.length
  const { fromMs, toMs } = rangeOfBrush(volume, brush, endMs)
  return (
    <div
      className="volume-brush"
      style={{ left: `${(brush.from / count) * 100}%`, right: `${100 - ((brush.to + 1) / count) * 100}%` }}
    >
      {(['from', 'to'] as const).map((side) => (
        <button
          key={side}
          type="button"
          role="slider"
          className="volume-handle"
          data-side={side}
          aria-label={t(side === 'from' ? 'start' : 'end')}
          aria-valuemin={side === 'from' ? 0 : brush.from}
          aria-valuemax={side === 'from' ? brush.to : count - 1}
          aria-valuenow={brush[side]}
          aria-valuetext={text(side === 'from' ? fromMs : toMs, 'shortMinute')}
          onPointerDown={(event) => {
            event.stopPropagation()
            begin(event, side === 'from' ? brush.to : brush.from)
          }}
          onKeyDown={(event) => moveBy(event, side)}
        />
      ))}
    </div>
  )
}

function Bar({
  at,
  bucket,
  top,
  isOut,
}: {
  at: number
  bucket: RestVolume['buckets'][number]
  top: number
  isOut: boolean
}) {
  const parts = partsOf(bucket, top, leastPx / heightPx)
  let y = heightPx
  return (
    <g opacity={isOut ? 0.42 : 1}>
      {(['error', 'warning', 'other'] as const).map((level) => {
        const height = parts[level] * heightPx
        if (height === 0) return null
        y -= height
        return (
          <rect
            key={level}
            className={`volume-${level}`}
            x={at * barUnits}
            y={y}
            width={barUnits - 1}
            height={height}
          />
        )
      })}
    </g>
  )
}

/** The selected range with its events and issues, and the button that makes it the range of the list. */
function Bubble({
  organization,
  query,
  volume,
  brush,
  clear,
  select,
}: Pick<ChartProps, 'organization' | 'query'> & {
  volume: RestVolume
  brush: Brush
  clear: () => void
  select: () => void
}) {
  const t = useTranslations('search.volume')
  const { range: rangeText, zone } = useTimeText()
  const { fromMs, toMs } = rangeOfBrush(volume, brush, Number.MAX_SAFE_INTEGER)
  const { statsPeriod: _, ...rest } = query
  const range = { start: new Date(fromMs).toISOString(), end: new Date(toMs).toISOString() }
  const { data } = useQuery({
    queryKey: ['issues-count', organization, rest, range],
    queryFn: ({ signal }) =>
      apiPage<RestIssue>(`organizations/${organization}/issues/`, { query: { ...rest, ...range, limit: 1 }, signal }),
    staleTime: freshMs,
    retry: false,
  })
  const count = volume.buckets.length
  // Beside the window, on the side with more room.
  const isLeft = brush.from > count - 1 - brush.to
  return (
    <div
      className="volume-bubble"
      role="status"
      data-side={isLeft ? 'left' : 'right'}
      style={{ left: `${((isLeft ? brush.from : brush.to + 1) / count) * 100}%` }}
    >
      <b>
        {rangeText(fromMs, toMs, 'shortMinute')}, {zone}
      </b>
      <span>
        {t('found', { events: eventsIn(volume, brush) })}
        {data?.hits === undefined || data.hits === null ? '' : `, ${t('issues', { count: data.hits })}`}
      </span>
      <button type="button" className="link" onClick={select}>
        {t('only')}
      </button>
      <button type="button" className="volume-clear" aria-label={t('clear')} onClick={clear}>
        <X size={13} strokeWidth={1.75} aria-hidden="true" />
      </button>
    </div>
  )
}
