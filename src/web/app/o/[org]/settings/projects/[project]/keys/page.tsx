import { getTranslations } from 'next-intl/server'
import { dsnOf } from '../../../../../../../../wire/dsn.ts'
import { sectionPath } from '../../../../../../../client/settings-pages.ts'
import { app } from '../../../../../../../handle.ts'
import { Link } from '../../../../../../../ui/link.tsx'
import { type SettingsContext, settingsPage, settingsTitle } from '../settings-page.tsx'
import { NewKeyForm } from './new-key-form.tsx'
import { ProjectKeyRow } from './project-key-row.tsx'

/** The keys of a project: create, disable, limit. Controls are disabled without permission. */
async function Keys({ here: { actor, organization, project }, place }: SettingsContext) {
  const t = await getTranslations('keys')
  const { auth, meta, config } = app()
  const mayWrite = (await auth.may(actor, 'key:write', { organization, project })) === 'yes'
  return (
    <>
      <p className="mb-4 max-w-[72ch] text-ink-2">{mayWrite ? t('intro') : t('readOnly')}</p>
      <ul className="border-t border-line">
        {(await meta.projects.keysOf(project.id)).map((key) => (
          <ProjectKeyRow
            key={key.id}
            place={place}
            mayWrite={mayWrite}
            projectKey={{
              id: key.id,
              label: key.label,
              dsn: dsnOf(config.url, key),
              active: key.active,
              rateLimit: key.rateLimit,
              revision: key.rev,
              lastUsedMs: key.lastUsedMs,
              createdMs: key.createdMs,
            }}
          />
        ))}
      </ul>
      {mayWrite ? <NewKeyForm place={place} /> : null}
      <p className="mt-8 max-w-[72ch] text-ink-2">
        {t('debug')}{' '}
        <Link className="link" href={sectionPath('ingest', organization.slug, project.slug)}>
          {t('debugLink')}
        </Link>
      </p>
    </>
  )
}

export const generateMetadata = settingsTitle('keys')

export default settingsPage('keys', [{ id: 'keys', Component: Keys }])
