import { useLocale, useTranslations } from 'next-intl'
import type { RestOverview } from '../../../contract/overview.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'
import { overviewWords, toneOf } from './words.ts'

/** The slowest routes of the range with their change. Nothing without spans. */
export function SlowestRoutes({
  routes,
  places,
}: {
  routes: RestOverview['routes']
  places: Readonly<Record<string, number>>
}) {
  const t = useTranslations('overview.routes')
  const words = overviewWords(useLocale())
  if (routes.length === 0) return null
  return (
    <section aria-labelledby="overview-routes">
      <div className="overview-head">
        <h2 id="overview-routes">{t('title')}</h2>
        <span>{t('measure')}</span>
      </div>
      <ul className="overview-list">
        {routes.map(({ project, route, now, before }) => {
          const growth =
            now.p75Ms !== null && before.p75Ms !== null
              ? words.growth({ now: now.p75Ms, before: before.p75Ms })
              : undefined
          return (
            <li key={`${project.id} ${route}`} className="overview-route">
              <Rail place={places[project.slug] ?? 0} />
              <span className="visually-hidden">{project.slug}</span>
              <code>
                <PlainText text={route} charactersMax={120} />
              </code>
              <b>{now.p75Ms === null ? '–' : words.duration(now.p75Ms)}</b>
              <span
                className="overview-change"
                data-tone={growth ? toneOf((now.p75Ms ?? 0) - (before.p75Ms ?? 0)) : undefined}
              >
                {growth ?? (before.p75Ms === null ? t('new') : '0')}
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
