'use client'
import './traces.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestEvent } from '../../../contract/events.ts'
import type { RestEventSpan, RestSegment, RestTraceEvent, RestTraceMeta } from '../../../contract/explore/traces.ts'
import { nearestTo } from '../../../domain/traces/segments.ts'
import { ApiError, apiFetch, isTemporary } from '../../client/api.ts'
import { hueOf } from '../../client/op-hue.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { durationText } from '../../ui/relative.ts'
import { useNow } from '../../ui/time.tsx'
import { kindOf, type Lane, laneOf, positionOn } from './lane.ts'

/** Segments to show at first; a person can show all. */
const shownMax = 8
const heightPx = 14
/** A page load ends, and is sent, at most 30 s after its error. Poll while the event is younger than this, ms. */
const recentMs = 90_000
const pollMs = 5000
const dayMs = 86_400_000

/** Durations as text. The text around one tells whether it is before or after the event. */
function useLength(): (ms: number) => string {
  const locale = useLocale()
  return (ms) => durationText(Math.abs(ms), locale)
}

/** An error on the lane: its time in seconds, and its span, which determines its segment. */
type TracePoint = { atS: number; span: RestEventSpan | null }
type SegmentProps = { segment: RestSegment; lane: Lane; here: TracePoint; others: readonly TracePoint[] }

/** An error with a known segment is marked there only, any other at its time over all segments. */
const belongsTo = ({ spanID, projectID }: RestSegment, { span }: TracePoint): boolean =>
  !span?.segment || (span.segment.spanID === spanID && span.segment.projectID === projectID)

/** The position of an error as text: its span, or a note that only its time is known. */
function Where({ span }: Pick<TracePoint, 'span'>) {
  const t = useTranslations('traces')
  if (!span) return t('byTime')
  const name = span.name || span.op || t('noName')
  return <PlainText text={t(span.relation === 'span' ? 'inSpan' : 'belowSpan', { name })} charactersMax={200} />
}

/** The bar of a segment, with its errors marked. */
function Bar({ segment, lane, here, others }: SegmentProps) {
  const { x, width, isOutside } = positionOn(lane, segment.startTimestamp, segment.endTimestamp)
  const times = [...new Set(others.filter((point) => belongsTo(segment, point)).map((point) => point.atS))]
  const hereX = positionOn(lane, here.atS).x
  return (
    <svg className="trace-lane" width="100%" height={heightPx} aria-hidden="true">
      <rect className="ground" x="0" y="0" width="100%" height={heightPx} />
      {isOutside ? null : (
        <rect className={hueOf(segment.op)} x={`${x}%`} y="2" width={`${width}%`} height={heightPx - 4} />
      )}
      {segment.cut && !isOutside ? (
        <line className="cut" x1={`${x + width}%`} x2={`${x + width}%`} y1="-2" y2={heightPx + 2} />
      ) : null}
      {times.map((at) => (
        <line
          key={at}
          className="other"
          x1={`${positionOn(lane, at).x}%`}
          x2={`${positionOn(lane, at).x}%`}
          y1="-3"
          y2={heightPx + 3}
        />
      ))}
      {belongsTo(segment, here) ? (
        <line className="here" x1={`${hereX}%`} x2={`${hereX}%`} y1="-3" y2={heightPx + 3} />
      ) : null}
    </svg>
  )
}

const fineStatus = new Set(['', 'ok', 'unset', 'cancelled', 'deadline_exceeded'])

function Row({ segment, lane, here, others }: SegmentProps) {
  const t = useTranslations('traces')
  const length = useLength()
  const { name, op, cut, status } = segment
  const kind = kindOf(op)
  const word = kind ? t(`kind.${kind}`) : op || t('noOp')
  const shown = name || t('noName')
  const sinceMs = (segment.startTimestamp - lane.fromS) * 1000
  const { isOutside } = positionOn(lane, segment.startTimestamp, segment.endTimestamp)
  const duration = length(segment.duration)
  const labels = { name: shown.slice(0, 200), op: word, duration, start: length(sinceMs) }
  return (
    <li className="trace-row" title={t(sinceMs < 0 ? 'rowBefore' : 'row', labels)}>
      <div className="trace-name">
        <b>
          <PlainText text={shown} charactersMax={200} />
        </b>
        <span>
          <PlainText text={`${word} · ${segment.projectSlug}`} charactersMax={200} />
        </span>
      </div>
      <div className="trace-lane-box">
        <Bar segment={segment} lane={lane} here={here} others={others} />
      </div>
      <span className="trace-length">{duration}</span>
      {isOutside ? (
        <p className="trace-said">
          {t(segment.startTimestamp < here.atS ? 'farBefore' : 'farAfter', {
            at: length((segment.startTimestamp - here.atS) * 1000),
          })}
        </p>
      ) : null}
      {cut ? (
        <p className="trace-said" title={t('cutWhy')}>
          {t(`cut.${cut}`)}
        </p>
      ) : fineStatus.has(status) ? null : (
        <p className="trace-said">
          <PlainText text={t('failedStatus', { status })} charactersMax={100} />
        </p>
      )}
    </li>
  )
}

/** The row that shows the event among the segments. */
function CurrentPoint({ lane, here }: { lane: Lane; here: TracePoint }) {
  const t = useTranslations('traces')
  const length = useLength()
  const hereS = here.atS
  const { x } = positionOn(lane, hereS)
  const at = length((hereS - lane.fromS) * 1000)
  return (
    <li className="trace-row">
      <div className="trace-name">
        <b className="flex-none">{t('here')}</b>
        <span>
          <Where span={here.span} />
        </span>
      </div>
      <div className="trace-lane-box">
        <svg
          className="trace-lane"
          width="100%"
          height={heightPx}
          role="img"
          aria-label={t(hereS < lane.fromS ? 'hereBefore' : 'hereAt', { at })}
        >
          <line className="here" x1={`${x}%`} x2={`${x}%`} y1="0" y2={heightPx + 3} />
          <circle className="point" cx={`${x}%`} cy={heightPx / 2} r="4" />
        </svg>
      </div>
      <span className="trace-length">
        {hereS < lane.fromS ? '−' : '+'}
        {at}
      </span>
    </li>
  )
}

/** Segments of the trace as bars over time. */
function Strip({ trace, here, others }: { trace: RestTraceMeta; here: TracePoint; others: readonly RestTraceEvent[] }) {
  const t = useTranslations('traces')
  const length = useLength()
  const [showsAll, setShowsAll] = useState(false)
  const otherPoints = others.map(({ timestamp, span }): TracePoint => ({ atS: timestamp, span }))
  const lane = laneOf(
    trace.segments,
    here.atS,
    otherPoints.map((point) => point.atS),
  )
  if (!lane) return null
  const shown = showsAll ? trace.segments : nearestTo(trace.segments, here.atS, shownMax)
  const unlisted = trace.segmentCount - trace.segments.length
  return (
    <>
      <ol className="trace-strip" aria-label={t('list', { duration: length((lane.toS - lane.fromS) * 1000) })}>
        <CurrentPoint lane={lane} here={here} />
        {shown.map((segment) => (
          <Row
            key={`${segment.projectID} ${segment.spanID}`}
            segment={segment}
            lane={lane}
            here={here}
            others={otherPoints}
          />
        ))}
      </ol>
      {trace.segments.length > shownMax ? (
        <Button className="button-compact mt-2" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? t('less') : t('more', { count: trace.segments.length })}
        </Button>
      ) : null}
      {showsAll && unlisted > 0 ? <p className="part-note">{t('unlisted', { count: unlisted })}</p> : null}
      {trace.truncated ? <p className="part-note">{t('truncated', { count: trace.span_count })}</p> : null}
    </>
  )
}

/** Other errors of the trace, with links to their issues. */
function Others({
  base,
  others,
  hereS,
  isPlaced,
}: {
  base: string
  others: readonly RestTraceEvent[]
  hereS: number
  /** Whether there are segments to place them at. */
  isPlaced: boolean
}) {
  const t = useTranslations('traces')
  const length = useLength()
  if (others.length === 0) return null
  return (
    <>
      <h3 className="mt-3">{t('others', { count: others.length })}</h3>
      <ul className="trace-others">
        {others.map((traceEvent) => (
          <li key={`${traceEvent.projectID} ${traceEvent.eventID}`}>
            {traceEvent.groupID === null ? (
              <span className="text-ink-3">
                <code>{traceEvent.eventID.slice(0, 8)}</code> {t('removed')}
              </span>
            ) : (
              <>
                <Link className="link" href={`${base}/${traceEvent.groupID}/events/${traceEvent.eventID}`}>
                  <PlainText text={traceEvent.title || traceEvent.eventID.slice(0, 8)} charactersMax={200} />
                </Link>
                <code className="text-ink-3">{traceEvent.shortId}</code>
              </>
            )}
            <span className="text-ink-3">
              {t(traceEvent.timestamp < hereS ? 'before' : 'after', {
                at: length((traceEvent.timestamp - hereS) * 1000),
              })}
              {isPlaced ? (
                <>
                  {' · '}
                  <Where span={traceEvent.span} />
                </>
              ) : null}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

function None({ event, keptDays }: { event: Pick<RestEvent, 'dateCreated'>; keptDays: number }) {
  const t = useTranslations('traces')
  const isOld = useNow() - Date.parse(event.dateCreated) > keptDays * dayMs
  return (
    <>
      <p>
        <b>{t('none')}</b>
      </p>
      <p className="text-ink-2">{isOld ? t('noneOld', { days: keptDays }) : t('noneWhy')}</p>
    </>
  )
}

/** The trace as text and bars. */
export function TraceParts({
  trace,
  event,
  base,
}: {
  trace: RestTraceMeta
  event: Pick<RestEvent, 'eventID' | 'projectID' | 'dateCreated'>
  base: string
}) {
  const hereS = Date.parse(event.dateCreated) / 1000
  const isThis = (traceEvent: RestTraceEvent) =>
    traceEvent.eventID === event.eventID && traceEvent.projectID === event.projectID
  const others = trace.events.filter((traceEvent) => !isThis(traceEvent))
  const here: TracePoint = { atS: hereS, span: trace.events.find(isThis)?.span ?? null }
  return (
    <>
      {trace.segments.length > 0 ? (
        <Strip trace={trace} here={here} others={others} />
      ) : (
        <None event={event} keptDays={trace.keptDays} />
      )}
      <Others base={base} others={others} hereS={hereS} isPlaced={trace.segments.length > 0} />
    </>
  )
}

/** Why the trace is not shown: it is loading, the store is down, access is denied, or the request failed. */
function Unread({ failed, retry }: { failed: Error | null; retry: () => void }) {
  const t = useTranslations('traces')
  if (!failed)
    return (
      <p className="text-ink-3" role="status">
        {t('loading')}
      </p>
    )
  if (failed instanceof ApiError && failed.status === 403) return <p role="alert">{t('forbidden')}</p>
  return (
    <div role="alert">
      <p>
        <b>{t('failed')}</b> {isTemporary(failed) ? t('away') : failed.message}{' '}
        {failed instanceof ApiError ? <code className="text-ink-3">{failed.code}</code> : null}
      </p>
      <Button className="button-compact mt-2" onClick={retry}>
        {t('again')}
      </Button>
    </div>
  )
}

/**
 * The event's trace as a compact timeline: its segments, the position of the error, and the trace's other errors. It is
 * part of the document if it loads quickly. Otherwise the browser loads it into reserved space. Renders nothing without
 * a trace id.
 */
export function TraceStrip({
  organization,
  event,
  base,
  preloaded,
}: {
  organization: string
  event: RestEvent
  /** Path of the issues: `/o/acme/issues`. */
  base: string
  /** Loaded with the document. */
  preloaded: RestTraceMeta | undefined
}) {
  const t = useTranslations('traces')
  const now = useNow()
  const { traceId } = event
  const hereS = Date.parse(event.dateCreated) / 1000
  const isRecent = now - Date.parse(event.dateReceived) < recentMs
  const client = useQueryClient()
  const queryKey = ['trace-meta', organization, traceId, hereS]
  const { data, error, failureReason, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      apiFetch<RestTraceMeta>(`organizations/${organization}/trace-meta/${traceId}/?timestamp=${hereS}`, { signal }),
    ...(preloaded ? { initialData: preloaded } : {}),
    enabled: Boolean(traceId),
    staleTime: 30_000,
    retry: (tries, failed) => isTemporary(failed) && tries < 1000,
    retryDelay: pollMs,
    refetchInterval: isRecent ? pollMs : false,
  })
  /** Retries at once. Without cancelQueries, refetch would join the retry that is already waiting. */
  const retry = async () => {
    await client.cancelQueries({ queryKey })
    await refetch()
  }
  if (!traceId) return null
  const summary = data && data.segments.length > 0
  const ownSpan = data?.events.find((item) => item.eventID === event.eventID)?.span?.spanID
  return (
    <Section
      id="trace"
      title={t('title')}
      aside={
        <span className="text-ink-3">
          {summary ? `${t('summary', { segments: data.segmentCount, spans: data.span_count })} · ` : null}
          <Link className="link" href={`/o/${organization}/traces/${traceId}${ownSpan ? `?span=${ownSpan}` : ''}`}>
            {t('open')}
          </Link>{' '}
          <code>{traceId.slice(0, 8)}</code>
        </span>
      }
    >
      {data ? (
        <div className={preloaded ? undefined : 'trace-room'}>
          <TraceParts event={event} base={base} trace={data} />
        </div>
      ) : (
        // During automatic retries the query is pending, and only `failureReason` has the error.
        <div className="trace-room">
          <Unread failed={error ?? failureReason} retry={() => void retry()} />
        </div>
      )}
    </Section>
  )
}
