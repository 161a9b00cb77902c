'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { RestSkew } from '../../../contract/skew.ts'
import { Chart } from '../../ui/chart/chart.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ReleaseLink } from '../../ui/release-link.tsx'
import { useTimeText } from '../../ui/time.tsx'

/** Version skew of one deploy: old tabs with errors over time, how many recovered, and the issues it caused. */
export function SkewPanel({ organization, panel }: { organization: string; panel: RestSkew }) {
  const t = useTranslations('releases.skew')
  const locale = useLocale()
  const { text, zone } = useTimeText()
  const number = new Intl.NumberFormat(locale)
  const [from, to] = [panel.from, panel.to].map((at) => text(Date.parse(at), 'minute'))
  const { people } = panel
  const stats = [
    ['events', panel.events],
    ['people', people.all],
    ['recovered', people.recovered],
    ['stuck', people.stuck],
    ['unknown', people.unknown],
  ] as const
  return (
    <article className="skew-panel">
      <div className="skew-head">
        <h3>
          {panel.environment === null ? (
            t('came')
          ) : (
            <PlainText text={t('deployed', { environment: panel.environment })} charactersMax={120} />
          )}
        </h3>
        <Verdict lasts={panel.lasts} />
        <span className="text-small text-ink-3">
          {t('span', { from: from ?? '', to: to ?? '', zone })}, {t(`until.${panel.until}`)}
        </span>
      </div>
      <dl className="skew-numbers">
        {stats.map(([name, count]) => (
          <div key={name}>
            <dt>{t(name)}</dt>
            <dd>{number.format(count)}</dd>
          </div>
        ))}
      </dl>
      <Chart organization={organization} points={panel.points} annotations={undefined} />
      <Lists organization={organization} panel={panel} number={number} />
      <p className="mt-2 max-w-[88ch] text-small text-ink-3">
        {panel.environment === null ? `${t('cameHint')} ` : ''}
        {t('hint')} {panel.issues.length > 1 ? t('issuesHint') : ''}
      </p>
    </article>
  )
}

function Verdict({ lasts }: { lasts: boolean | null }) {
  const t = useTranslations('releases.skew')
  if (lasts === null) return <span className="chip text-ink-3">{t('early')}</span>
  return lasts ? (
    <span className="chip text-error">{t('lasts')}</span>
  ) : (
    <span className="chip text-ok">{t('decays')}</span>
  )
}

/** Error kinds, issues and releases of the old tabs, each with its number of events. */
function Lists({ organization, panel, number }: { organization: string; panel: RestSkew; number: Intl.NumberFormat }) {
  const t = useTranslations('releases.skew')
  return (
    <div className="skew-lists">
      <section>
        <h4>{t('kinds')}</h4>
        <ul>
          {panel.kinds.map(({ kind, events }) => (
            <li key={kind}>
              <span>{number.format(events)}</span> <span>{t(`kind.${kind}`)}</span>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h4>{t('issues')}</h4>
        <ul>
          {panel.issues.map((issue) => (
            <li key={issue.id}>
              <span>{number.format(issue.events)}</span>
              <Link className="link min-w-0 truncate" href={`/o/${organization}/issues/${issue.id}`}>
                <code>{issue.shortId}</code> <PlainText text={issue.title} charactersMax={120} />
              </Link>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h4>{t('releases')}</h4>
        <ul>
          {panel.releases.map(({ release, events }) => (
            <li key={release}>
              <span>{number.format(events)}</span>
              {release === '' ? (
                <span className="text-ink-3">{t('unnamed')}</span>
              ) : (
                <ReleaseLink organization={organization} version={release} />
              )}
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}
