'use client'
import './traces.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestEvent } from '../../../contract/events.ts'
import type { RestEventSpan, RestSegment, RestTraceEvent, RestTraceMeta } from '../../../contract/traces.ts'
import { nearestTo } from '../../../domain/segments.ts'
import { ApiError, apiFetch } from '../../client/api.ts'
import { Button } from '../../ui/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { durationText } from '../../ui/relative.ts'
import { useNow } from '../../ui/time.tsx'
import { hueOf, kindOf, type Lane, laneOf, placeOn } from './lane.ts'

/** Segments to show at first; a person can show all. */
const shownMax = 8
const heightPx = 14
/** A page load ends, and is sent, at most 30 s after its error. Poll while the event is younger than this, ms. */
const youngMs = 90_000
const askEachMs = 5000
const dayMs = 86_400_000

const isAway = (error: unknown) => error instanceof ApiError && (error.status === 0 || error.status === 503)

/** A duration. The text around it tells whether it is before or after the event. */
const length = (ms: number): string => durationText(Math.abs(ms))

/** An error on the lane: its time in seconds, and its span, which determines its segment. */
type Mark = { atS: number; span: RestEventSpan | null }
type Placed = { segment: RestSegment; lane: Lane; here: Mark; others: readonly Mark[] }

/** An error with a known segment is marked there only, any other at its time over all segments. */
const isMarkedAt = ({ spanID, projectID }: RestSegment, { span }: Mark): boolean =>
  !span?.segment || (span.segment.spanID === spanID && span.segment.projectID === projectID)

/** The position of an error as text: its span, or a note that only its time is known. */
function Where({ span }: Pick<Mark, 'span'>) {
  const t = useTranslations('traces')
  if (!span) return t('byTime')
  const name = span.name || span.op || t('noName')
  return <PlainText text={t(span.relation === 'span' ? 'inSpan' : 'belowSpan', { name })} charactersMax={200} />
}

/** The bar of a segment, with its errors marked. */
function Bar({ segment, lane, here, others }: Placed) {
  const { x, width, isOutside } = placeOn(lane, segment.startTimestamp, segment.endTimestamp)
  const times = [...new Set(others.filter((item) => isMarkedAt(segment, item)).map((item) => item.atS))]
  const hereX = placeOn(lane, here.atS).x
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
          x1={`${placeOn(lane, at).x}%`}
          x2={`${placeOn(lane, at).x}%`}
          y1="-3"
          y2={heightPx + 3}
        />
      ))}
      {isMarkedAt(segment, here) ? (
        <line className="here" x1={`${hereX}%`} x2={`${hereX}%`} y1="-3" y2={heightPx + 3} />
      ) : null}
    </svg>
  )
}

const fineStatus = new Set(['', 'ok', 'unset', 'cancelled', 'deadline_exceeded'])

function Row({ segment, lane, here, others }: Placed) {
  const t = useTranslations('traces')
  const { name, op, cut, status } = segment
  const kind = kindOf(op)
  const word = kind ? t(`kind.${kind}`) : op || t('noOp')
  const shown = name || t('noName')
  const sinceMs = (segment.startTimestamp - lane.fromS) * 1000
  const { isOutside } = placeOn(lane, segment.startTimestamp, segment.endTimestamp)
  const duration = length(segment.duration)
  const said = { name: shown.slice(0, 200), op: word, duration, start: length(sinceMs) }
  return (
    <li className="trace-row" title={t(sinceMs < 0 ? 'rowBefore' : 'row', said)}>
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
function Here({ lane, here }: { lane: Lane; here: Mark }) {
  const t = useTranslations('traces')
  const hereS = here.atS
  const { x } = placeOn(lane, hereS)
  const at = length((hereS - lane.fromS) * 1000)
  return (
    <li className="trace-row">
      <div className="trace-name">
        <b className="flex-none">{t('here')}</b>
        <span className="trace-where">
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
function Strip({ trace, here, others }: { trace: RestTraceMeta; here: Mark; others: readonly RestTraceEvent[] }) {
  const t = useTranslations('traces')
  const [isWhole, setWhole] = useState(false)
  const marks = others.map(({ timestamp, span }): Mark => ({ atS: timestamp, span }))
  const lane = laneOf(
    trace.segments,
    here.atS,
    marks.map((mark) => mark.atS),
  )
  if (!lane) return null
  const shown = isWhole ? trace.segments : nearestTo(trace.segments, here.atS, shownMax)
  const unlisted = trace.segmentCount - trace.segments.length
  return (
    <>
      <ol className="trace-strip" aria-label={t('list', { duration: length((lane.toS - lane.fromS) * 1000) })}>
        <Here lane={lane} here={here} />
        {shown.map((segment) => (
          <Row
            key={`${segment.projectID} ${segment.spanID}`}
            segment={segment}
            lane={lane}
            here={here}
            others={marks}
          />
        ))}
      </ol>
      {trace.segments.length > shownMax ? (
        <Button className="button-compact mt-2" onClick={() => setWhole(!isWhole)}>
          {isWhole ? t('less') : t('more', { count: trace.segments.length })}
        </Button>
      ) : null}
      {isWhole && unlisted > 0 ? <p className="part-note">{t('unlisted', { count: unlisted })}</p> : null}
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
  if (others.length === 0) return null
  return (
    <>
      <h3 className="mt-3">{t('others', { count: others.length })}</h3>
      <ul className="trace-others">
        {others.map((item) => (
          <li key={`${item.projectID} ${item.eventID}`}>
            {item.groupID === null ? (
              <span className="text-ink-3">
                <code>{item.eventID.slice(0, 8)}</code> {t('removed')}
              </span>
            ) : (
              <>
                <Link className="link" href={`${base}/${item.groupID}/events/${item.eventID}`}>
                  <PlainText text={item.title || item.eventID.slice(0, 8)} charactersMax={200} />
                </Link>
                <code className="text-ink-3">{item.shortId}</code>
              </>
            )}
            <span className="text-ink-3">
              {t(item.timestamp < hereS ? 'before' : 'after', { at: length((item.timestamp - hereS) * 1000) })}
              {isPlaced ? (
                <>
                  {' · '}
                  <Where span={item.span} />
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
  const others = trace.events.filter((item) => !isThis(item))
  const here: Mark = { atS: hereS, span: trace.events.find(isThis)?.span ?? null }
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
function Unread({ failed, again }: { failed: Error | null; again: () => void }) {
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
        <b>{t('failed')}</b> {isAway(failed) ? t('away') : failed.message}{' '}
        {failed instanceof ApiError ? <code className="text-ink-3">{failed.code}</code> : null}
      </p>
      <Button className="button-compact mt-2" onClick={again}>
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
  const isYoung = now - Date.parse(event.dateReceived) < youngMs
  const client = useQueryClient()
  const queryKey = ['trace-meta', organization, traceId, hereS]
  const { data, error, failureReason, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      apiFetch<RestTraceMeta>(`organizations/${organization}/trace-meta/${traceId}/?timestamp=${hereS}`, { signal }),
    ...(preloaded ? { initialData: preloaded } : {}),
    enabled: Boolean(traceId),
    staleTime: 30_000,
    retry: (tries, failed) => isAway(failed) && tries < 1000,
    retryDelay: askEachMs,
    refetchInterval: isYoung ? askEachMs : false,
  })
  /** Retries at once. Without cancelQueries, refetch would join the retry that is already waiting. */
  const again = async () => {
    await client.cancelQueries({ queryKey })
    await refetch()
  }
  if (!traceId) return null
  const summary = data && data.segments.length > 0
  return (
    <Section
      id="trace"
      title={t('title')}
      aside={
        <span className="text-ink-3">
          {summary ? `${t('summary', { segments: data.segmentCount, spans: data.span_count })} · ` : null}
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
          <Unread failed={error ?? failureReason} again={() => void again()} />
        </div>
      )}
    </Section>
  )
}
