import './overview.css'
import { useTranslations } from 'next-intl'
import { buttonClass } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { ProjectName } from '../search/list-params.ts'

/** The overview before the first event: the projects, each with the way to connect it. */
export function NoEvents({
  organization,
  projects,
  mayCreate,
}: {
  organization: string
  projects: readonly ProjectName[]
  mayCreate: boolean
}) {
  const t = useTranslations('overview')
  return (
    <div className="overview">
      <header className="overview-bar">
        <h1>{t('title')}</h1>
      </header>
      {projects.length === 0 ? (
        <EmptyState title={t('empty.noProjects')}>
          {mayCreate ? (
            <Link href={`/o/${organization}/projects/new`} className={buttonClass({ look: 'main' })}>
              {t('empty.create')}
            </Link>
          ) : (
            t('empty.ask')
          )}
        </EmptyState>
      ) : (
        <div className="overview-empty">
          <h2>{t('empty.title')}</h2>
          <p>{t('empty.todo')}</p>
          <ul className="overview-list">
            {projects.map(({ id, slug, name }, place) => (
              <li key={id} className="overview-connect">
                <Rail place={place} />
                <span>
                  <PlainText text={name} charactersMax={80} />
                </span>
                <Link
                  href={`/o/${organization}/projects/${slug}/setup`}
                  className={buttonClass({ look: place === 0 ? 'main' : 'plain', compact: true })}
                >
                  {t('empty.connect')}
                  <span className="visually-hidden"> {name}</span>
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
