'use client'
import './evidence.css'
import { useLocale, useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { RestOccurrence } from '../../../contract/events.ts'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { durationText } from '../../ui/relative.ts'

/** Spans that the waterfall shows. A loop looks the same after the first of them. */
const shownMax = 20

type Span = RestOccurrence['spans'][number]

/** The evidence of a performance issue. */
export function Evidence({ occurrence, organization }: { occurrence: RestOccurrence; organization: string }) {
  const t = useTranslations('evidence')
  const locale = useLocale()
  const { detector, statements, spans, traceId, storedSpans } = occurrence
  const trace = `/o/${organization}/traces/${traceId}`
  const isGone = storedSpans === 0
  const hrefOf = (spanId: string) => (isGone ? undefined : `${trace}?span=${spanId}`)
  return (
    <Section id="evidence" title={t('title')} note={t(`names.${detector}`)}>
      <p className="mt-2 max-w-[80ch]">{t(`what.${detector}`)}</p>
      <Facts occurrence={occurrence} parentHref={hrefOf(occurrence.parentSpanId)} />
      <ul className="evidence-statements">
        {statements.map((statement) => (
          <li key={statement}>
            <code>
              <PlainText text={statement} charactersMax={2000} />
            </code>
          </li>
        ))}
      </ul>
      <Waterfall spans={spans.slice(0, shownMax)} hrefOf={hrefOf} />
      {occurrence.count > shownMax ? (
        <p className="part-note">{t('more', { count: occurrence.count - Math.min(shownMax, spans.length) })}</p>
      ) : null}
      {storedSpans !== null && storedSpans < spans.length ? (
        <p className="part-note">{t(isGone ? 'gone' : 'partlyGone', { stored: storedSpans, count: spans.length })}</p>
      ) : null}
      <p className="mt-2">
        <Link className="link" href={`${trace}${isGone || !spans[0] ? '' : `?span=${spans[0].spanId}`}`}>
          {t('trace')}
        </Link>
      </p>
      <h3 className="part-sub">{t('todo')}</h3>
      <p className="max-w-[80ch]">{t(`fix.${detector}`, { saved: durationText(occurrence.savedDuration, locale) })}</p>
    </Section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Facts({ occurrence, parentHref }: { occurrence: RestOccurrence; parentHref: string | undefined }) {
  const t = useTranslations('evidence')
  const locale = useLocale()
  const { count, totalDuration, savedDuration, segmentDuration, paint, op, route, parentSpanId } = occurrence
  const text = (ms: number) => durationText(ms, locale)
  return (
    <dl className="evidence-facts">
      <Fact name={t('count')}>{new Intl.NumberFormat(locale).format(count)}</Fact>
      <Fact name={t('total')}>{text(totalDuration)}</Fact>
      <Fact name={t('saved')}>{text(savedDuration)}</Fact>
      {paint === null ? null : <Fact name={t('paint')}>{text(paint)}</Fact>}
      <Fact name={t('segment')}>
        <PlainText text={`${op} ${route}`} charactersMax={200} /> ({text(segmentDuration)})
      </Fact>
      <Fact name={t('parent')}>
        {parentHref ? (
          <Link className="link" href={parentHref}>
            <code>{parentSpanId}</code>
          </Link>
        ) : (
          <code>{parentSpanId}</code>
        )}
      </Fact>
    </dl>
  )
}

/** The spans in the order of time, on one scale. */
function Waterfall({ spans, hrefOf }: { spans: readonly Span[]; hrefOf(spanId: string): string | undefined }) {
  const t = useTranslations('evidence')
  const locale = useLocale()
  const from = Math.min(...spans.map(({ start }) => start))
  const to = Math.max(...spans.map(({ start, duration }) => start + duration))
  const share = (ms: number) => (to > from ? (ms / (to - from)) * 100 : 0)
  return (
    <ol className="evidence-spans" aria-label={t('spans')}>
      {spans.map((span) => {
        const href = hrefOf(span.spanId)
        const name = <PlainText text={span.statement || span.op} charactersMax={200} />
        return (
          <li key={`${span.spanId} ${span.start}`}>
            <span className="evidence-name">
              {href ? (
                <Link className="link" href={href} title={span.statement.slice(0, 200)}>
                  {name}
                </Link>
              ) : (
                name
              )}
            </span>
            <svg className="evidence-lane" width="100%" height="10" aria-hidden="true">
              <rect className="ground" width="100%" height="10" />
              <rect
                className="span"
                x={`${share(span.start - from)}%`}
                width={`${Math.max(0.5, share(span.duration))}%`}
                height="10"
              />
            </svg>
            <span className="evidence-length">{durationText(span.duration, locale)}</span>
          </li>
        )
      })}
    </ol>
  )
}
