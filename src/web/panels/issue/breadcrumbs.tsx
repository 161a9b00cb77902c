'use client'
import { useTranslations } from 'next-intl'
import { useMemo, useState } from 'react'
import type { RestBreadcrumb } from '../../../contract/events.ts'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Segments } from '../../ui/segments.tsx'
import { type Severity, SeverityShape } from '../../ui/severity.tsx'
import { crumbsOf, kindOf, kindsOf, offsetText } from './breadcrumb-filter.ts'
import { MetadataNote } from './metadata-note.tsx'

const levels: Record<string, Severity> = {
  fatal: 'fatal',
  critical: 'fatal',
  error: 'error',
  warning: 'warning',
  info: 'info',
  log: 'info',
  debug: 'debug',
}

/** All breadcrumbs, newest last, with a filter by kind, a search, and relative or absolute times. */
export function Breadcrumbs({ crumbs, eventAt }: { crumbs: readonly RestBreadcrumb[]; eventAt: string }) {
  const t = useTranslations('issues.crumbs')
  const [kind, setKind] = useState('')
  const [text, setText] = useState('')
  const [time, setTime] = useState<'relative' | 'absolute'>('relative')
  const kinds = useMemo(() => kindsOf(crumbs), [crumbs])
  const shown = crumbsOf(crumbs, kind, text)
  return (
    <Section
      id="breadcrumbs"
      title={t('title', { count: crumbs.length })}
      aside={
        <>
          <select
            className="input input-compact"
            aria-label={t('kind')}
            value={kind}
            onChange={(event) => setKind(event.target.value)}
          >
            <option value="">{t('allKinds')}</option>
            {kinds.map((crumbKind) => (
              <option key={crumbKind.kind} value={crumbKind.kind}>
                {crumbKind.kind.slice(0, 40)} ({crumbKind.count})
              </option>
            ))}
          </select>
          <input
            className="input input-compact"
            type="search"
            aria-label={t('search')}
            placeholder={t('search')}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Segments
            label={t('time')}
            value={time}
            onChange={setTime}
            choices={[
              { value: 'relative', label: t('relative') },
              { value: 'absolute', label: t('absolute') },
            ]}
          />
        </>
      }
    >
      {shown.length === 0 ? <p className="part-note">{t('none')}</p> : null}
      <ol className="crumbs">
        {shown.map(({ crumb, index }) => (
          <Crumb
            key={index}
            crumb={crumb}
            index={index}
            time={time === 'relative' ? offsetText(crumb.timestamp, eventAt) : (crumb.timestamp?.slice(11, 23) ?? '')}
          />
        ))}
      </ol>
    </Section>
  )
}

function Crumb({ crumb, index, time }: { crumb: RestBreadcrumb; index: number; time: string }) {
  const level = levels[crumb.level] ?? 'info'
  const path = `breadcrumbs.values.${index}`
  const data = Object.entries(crumb.data ?? {})
  return (
    <li className="crumb">
      <SeverityShape level={level} label={crumb.level} />
      <span className="crumb-kind">
        <PlainText text={crumb.category ?? kindOf(crumb)} charactersMax={40} />
      </span>
      <span className="crumb-text">
        {crumb.message ? <PlainText text={crumb.message} charactersMax={1000} /> : null}
        <MetadataNote path={`${path}.message`} />
        {data.length ? (
          <span className="crumb-data">
            {data.slice(0, 30).map(([name, value]) => (
              <span key={name}>
                <span className="text-ink-3">
                  <PlainText text={name} charactersMax={60} />=
                </span>
                <PlainText text={typeof value === 'string' ? value : JSON.stringify(value)} charactersMax={400} />
                <MetadataNote path={`${path}.data.${name}`} />
              </span>
            ))}
          </span>
        ) : null}
      </span>
      <time className="crumb-time" dateTime={crumb.timestamp ?? undefined} title={crumb.timestamp ?? undefined}>
        {time}
      </time>
    </li>
  )
}
