import { getTranslations } from 'next-intl/server'
import { app } from '../../../../../../../handle.ts'
import { type SettingsContext, settingsPage, settingsTitle } from '../settings-page.tsx'
import { DetectorForm } from './detector-form.tsx'

/** Which detectors of performance issues run in the project, and their thresholds. */
async function Detectors({ here: { actor, organization, project } }: SettingsContext) {
  const t = await getTranslations('detectors')
  const { auth, meta } = app()
  const mayWrite = (await auth.may(actor, 'project:write', { organization, project })) === 'yes'
  return (
    <>
      <p className="mb-4 max-w-[72ch] text-ink-2">{t(mayWrite ? 'intro' : 'readOnly')}</p>
      {/* After saving, the new key resets the form to the saved values. */}
      <DetectorForm
        key={project.rev}
        place={{ organization: organization.slug, project: String(project.id), revision: project.rev }}
        settings={await meta.projects.detectorSettings(project.id)}
        mayWrite={mayWrite}
      />
    </>
  )
}

export const generateMetadata = settingsTitle('detectors')

export default settingsPage('detectors', [{ id: 'detectors', Component: Detectors }])
