'use client'
import { useTranslations } from 'next-intl'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import type { TraceControls } from './use-trace.ts'

/** The performance issues whose evidence begins with one of these spans. */
export function Findings({
  trace: { model, organization },
  nodes,
}: {
  trace: TraceControls
  nodes: ArrayLike<number>
}) {
  const t = useTranslations('trace')
  const own = new Set(Array.from(nodes))
  const findings = model.view.findings.filter(({ span }) => own.has(span))
  return findings.map((finding) => (
    <p key={finding.eventID} className="tp-message">
      <SeverityShape level="warning" label={t('finding')} /> <PlainText text={finding.title} charactersMax={500} />{' '}
      {finding.groupID ? (
        <Link className="link" href={`/o/${organization}/issues/${finding.groupID}/events/${finding.eventID}`}>
          {t('openIssue', { id: finding.shortId ?? '' })}
        </Link>
      ) : null}
    </p>
  ))
}
