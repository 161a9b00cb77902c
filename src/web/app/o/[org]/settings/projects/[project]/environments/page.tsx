import { getTranslations } from 'next-intl/server'
import { app } from '../../../../../../../handle.ts'
import { EmptyState } from '../../../../../../../ui/states.tsx'
import { type SettingsContext, settingsPage, settingsTitle } from '../settings-page.tsx'
import { EnvironmentRow } from './environment-row.tsx'

/** Maximum environments to show. Only a program that creates one per event has more. */
const shownMax = 1000

/** Environments of a project, to hide from selection lists. Read-only without permission. */
async function Environments({ here: { actor, organization, project }, place }: SettingsContext) {
  const t = await getTranslations('projectSettings')
  const { auth, meta } = app()
  const mayWrite = (await auth.may(actor, 'project:write', { organization, project })) === 'yes'
  const environments = await meta.projects.projectEnvironments(project.id, { max: shownMax })
  return (
    <>
      <p className="mb-4 max-w-[72ch] text-ink-2">{mayWrite ? t('environmentsIntro') : t('readOnly')}</p>
      {environments.length === 0 ? (
        <EmptyState title={t('environmentsNone')}>{t('environmentsNoneTodo')}</EmptyState>
      ) : (
        <ul className="border-t border-line">
          {environments.map((environment) => (
            <EnvironmentRow key={environment.name} place={place} environment={environment} mayWrite={mayWrite} />
          ))}
        </ul>
      )}
      {environments.length === shownMax ? (
        <p className="mt-3 text-ink-2">{t('environmentsMore', { count: shownMax })}</p>
      ) : null}
    </>
  )
}

export const generateMetadata = settingsTitle('environments')

export default settingsPage('environments', [{ id: 'environments', Component: Environments }])
