import { getTranslations } from 'next-intl/server'
import { app } from '../../../../../../../handle.ts'
import { type SettingsContext, settingsPage, settingsTitle } from '../settings-page.tsx'
import { OwnershipForm } from './ownership-form.tsx'

/** The rules that determine an issue's owners. */
async function Ownership({ here: { actor, organization, project } }: SettingsContext) {
  const t = await getTranslations('triage.ownership')
  const { auth, meta } = app()
  const mayWrite = (await auth.may(actor, 'project:write', { organization, project })) === 'yes'
  const { text, autoAssign, rev } = await meta.projects.ownershipOf(project.id)
  return (
    <>
      <p className="mb-4 max-w-[72ch] text-ink-2">{mayWrite ? t('note') : t('notAllowed')}</p>
      <OwnershipForm
        place={{ organization: organization.slug, project: project.slug, projectId: String(project.id) }}
        initial={{ text, autoAssign, revision: rev }}
        mayWrite={mayWrite}
      />
    </>
  )
}

export const generateMetadata = settingsTitle('ownership')

export default settingsPage('ownership', [{ id: 'ownership', Component: Ownership }])
