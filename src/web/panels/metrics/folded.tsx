import { useLocale, useTranslations } from 'next-intl'
import type { FoldedProject, MetricDetails } from '../../../query/metrics/metrics.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'

/** Distinct values from which on an attribute is named as the likely cause. */
const manyValues = 100

/** What was folded, why, and where the limit is changed. `details`: the open metric, which may show the cause. */
export function Folded({
  organization,
  folded,
  details,
}: {
  organization: string
  folded: readonly FoldedProject[]
  details: MetricDetails | undefined
}) {
  const t = useTranslations('metrics.folded')
  const number = new Intl.NumberFormat(useLocale())
  if (folded.length === 0) return null
  const cause = details?.attributes.filter(({ unique }) => unique >= manyValues).sort((a, b) => b.unique - a.unique)[0]
  return (
    <div className="metric-folded" role="note">
      {folded.map(({ project, max, points, sinceMs, names }) => (
        <p key={project}>
          <strong>{t('title', { points, project })}</strong> {t('since')} <Time at={sinceMs} form="minute" />
          {'. '}
          {t('why', { max: number.format(max) })} {t('metrics')}{' '}
          <code>
            <PlainText text={names.join(', ')} charactersMax={120} />
          </code>
          {'. '}
          <Link className="link" href={`/o/${organization}/settings/projects/${project}#metricSeriesMax`}>
            {t('change')}
          </Link>
        </p>
      ))}
      {cause ? (
        <p>
          {t('cause')}{' '}
          <code>
            <PlainText text={cause.key} charactersMax={60} />
          </code>{' '}
          {t('causeValues', { count: cause.unique })}
        </p>
      ) : null}
    </div>
  )
}
