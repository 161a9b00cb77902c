'use client'
import { useQuery } from '@tanstack/react-query'
import {
  ChartNoAxesGantt,
  Circle,
  Database,
  Globe,
  MousePointerClick,
  Navigation,
  Smartphone,
  Terminal,
} from 'lucide-react'
import { useLocale, useTranslations } from 'next-intl'
import { useMemo, useState } from 'react'
import type { RestEvent } from '../../../../contract/events.ts'
import type { RestTraceMoment } from '../../../../contract/explore/logs.ts'
import { apiFetch } from '../../../client/api.ts'
import { entryOf } from '../../../client/event-entries.ts'
import { Section } from '../../../ui/panel-section.tsx'
import { PlainText } from '../../../ui/plain-text.tsx'
import { durationText } from '../../../ui/relative.ts'
import { Segments } from '../../../ui/segments.tsx'
import { SeverityShape } from '../../../ui/severity.tsx'
import { useTimeText } from '../../../ui/time.tsx'
import { MetadataNote } from '../metadata-note.tsx'
import {
  crumbEntries,
  errorEntry,
  type Glyph,
  kindsOf,
  logEntries,
  matching,
  mergedByTime,
  offsetText,
  spanEntries,
  splitAtError,
  type TimelineEntry,
} from './timeline.ts'

const icons = {
  navigation: Navigation,
  request: Globe,
  ui: MousePointerClick,
  query: Database,
  log: Terminal,
  device: Smartphone,
  span: ChartNoAxesGantt,
  other: Circle,
} as const satisfies Record<Glyph, unknown>

/** Rows that are open at first. The cause is usually among the last ones. */
const openMax = 30

/** How a row shows its time. */
type TimeOf = (entry: TimelineEntry) => string

const levelOf = ({ tags }: RestEvent) => {
  const level = tags.find((tag) => tag.key === 'level')?.value
  return level === 'fatal' || level === 'warning' ? level : 'error'
}

/** The log lines and spans of the event's trace around the event. */
function useMoment(organization: string, event: RestEvent, preloaded: RestTraceMoment | undefined) {
  const timestamp = Date.parse(event.dateCreated) / 1000
  return useQuery<RestTraceMoment>({
    queryKey: ['trace-moment', organization, event.traceId, timestamp],
    queryFn: ({ signal }) =>
      apiFetch<RestTraceMoment>(`organizations/${organization}/trace-moment/${event.traceId}/`, {
        query: { timestamp },
        signal,
      }),
    enabled: event.traceId !== null,
    ...(preloaded ? { initialData: preloaded } : {}),
    staleTime: 60_000,
    retry: false,
  }).data
}

/** Breadcrumbs, log lines and spans in one order, with the error. */
function useEntries(event: RestEvent, moment: RestTraceMoment | undefined): TimelineEntry[] {
  const locale = useLocale()
  return useMemo(() => {
    const crumbs = crumbEntries(entryOf(event, 'breadcrumbs')?.data.values ?? [])
    const lines = logEntries(moment?.lines ?? [])
    const spans = spanEntries(moment?.spans ?? [], (ms) => durationText(ms, locale))
    return mergedByTime([spans, crumbs, lines, [errorEntry(event, levelOf(event))]])
  }, [event, moment, locale])
}

/** What happened before the error, newest last, with the error as the last row. */
export function Timeline({
  event,
  organization,
  preloaded,
}: {
  event: RestEvent
  organization: string
  preloaded: RestTraceMoment | undefined
}) {
  const all = useEntries(event, useMoment(organization, event, preloaded))
  return all.length > 1 ? <TimelineSection event={event} all={all} /> : null
}

function TimelineSection({ event, all }: { event: RestEvent; all: readonly TimelineEntry[] }) {
  const t = useTranslations('parts.timeline')
  const locale = useLocale()
  const { text: clock, zone } = useTimeText()
  const { before, after } = useMemo(() => splitAtError(all), [all])
  const [kind, setKind] = useState('')
  const [text, setText] = useState('')
  // A client whose clock is ahead has every entry after the error. Hiding them all would show nothing.
  const [time, setTime] = useState<'before' | 'clock'>(before.length > 1 ? 'before' : 'clock')
  const kinds = useMemo(() => kindsOf(all), [all])
  const shown = matching(time === 'before' ? before : all, kind, text)
  const errorMs = Date.parse(event.dateCreated)
  const timeOf = useMemo((): TimeOf => {
    const number = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    if (time === 'before')
      return ({ atMs, source }) =>
        source === 'error' ? '0' : atMs === null ? '' : offsetText(atMs - errorMs, (value) => number.format(value))
    return ({ atMs }) => (atMs === null ? '' : clock(atMs, 'clockMs'))
  }, [time, locale, errorMs, clock])
  const isFiltered = kind !== '' || text.trim() !== ''
  const folded = isFiltered ? 0 : Math.max(0, shown.length - openMax)
  return (
    <Section
      id="breadcrumbs"
      title={t('title')}
      note={time === 'before' ? t('count', { count: before.length - 1 }) : zone}
      aside={
        <>
          <select
            className="input input-compact"
            aria-label={t('kind')}
            value={kind}
            onChange={(change) => setKind(change.target.value)}
          >
            <option value="">{t('allKinds')}</option>
            {kinds.map((entryKind) => (
              <option key={entryKind.kind} value={entryKind.kind}>
                {entryKind.kind.slice(0, 40)} ({entryKind.count})
              </option>
            ))}
          </select>
          <input
            className="input input-compact"
            type="search"
            aria-label={t('search')}
            placeholder={t('search')}
            value={text}
            onChange={(change) => setText(change.target.value)}
          />
          <Segments
            label={t('time')}
            value={time}
            onChange={setTime}
            choices={[
              { value: 'before', label: t('before') },
              { value: 'clock', label: t('clock') },
            ]}
          />
        </>
      }
    >
      {folded > 0 ? (
        <details className="timeline-earlier">
          <summary>{t('earlier', { count: folded })}</summary>
          <Rows entries={shown.slice(0, folded)} timeOf={timeOf} />
        </details>
      ) : null}
      <Rows entries={shown.slice(folded)} timeOf={timeOf} />
      {isFiltered && shown.length === 1 ? <p className="part-note">{t('none')}</p> : null}
      {time === 'before' && after.length > 0 ? (
        <p className="part-note">{t('later', { count: after.length })}</p>
      ) : null}
    </Section>
  )
}

function Rows({ entries, timeOf }: { entries: readonly TimelineEntry[]; timeOf: TimeOf }) {
  return (
    <ol className="timeline">
      {entries.map((entry) => (
        <li key={entry.id} data-source={entry.source}>
          {entry.details.length > 0 ? (
            <details>
              <summary className="timeline-row">
                <Row entry={entry} time={timeOf(entry)} />
              </summary>
              <Details entry={entry} />
            </details>
          ) : (
            <div className="timeline-row">
              <Row entry={entry} time={timeOf(entry)} />
            </div>
          )}
        </li>
      ))}
    </ol>
  )
}

/** One line of 25 px. Opening it shows the whole text and the data. */
function Row({ entry, time }: { entry: TimelineEntry; time: string }) {
  const level = useTranslations('level')
  const Icon = icons[entry.glyph]
  const utc = entry.atMs === null ? undefined : new Date(entry.atMs).toISOString()
  return (
    <>
      <time dateTime={utc} title={utc}>
        {time}
      </time>
      {entry.severity ? (
        <SeverityShape level={entry.severity} label={level(entry.severity)} />
      ) : (
        <Icon size={13} strokeWidth={1.75} aria-hidden="true" />
      )}
      <span className="timeline-kind">
        <PlainText text={entry.label} charactersMax={40} />
      </span>
      <span className="timeline-text">
        <PlainText text={entry.text} charactersMax={1000} />
        {entry.path ? <MetadataNote path={entry.path} /> : null}
      </span>
      <span className="timeline-value" data-severity={entry.severity}>
        {entry.value}
      </span>
    </>
  )
}

function Details({ entry }: { entry: TimelineEntry }) {
  return (
    <dl className="timeline-details">
      {entry.details.map((detail) => (
        <div key={detail.path}>
          <dt>
            <PlainText text={detail.name} charactersMax={60} />
          </dt>
          <dd>
            <PlainText text={detail.text} charactersMax={2000} />
            <MetadataNote path={detail.path} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
