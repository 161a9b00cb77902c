import { getTranslations } from 'next-intl/server'
import { app } from '../../../../../../handle.ts'
import { ProjectDanger } from './danger.tsx'
import { ProjectForm } from './project-form.tsx'
import { type SettingsContext, type SettingsPanel, settingsPage, settingsTitle } from './settings-page.tsx'

/** Name, slug, platform, allowed origins and scrubbing of a project. Disabled without permission. */
async function General({ here: { actor, organization, project } }: SettingsContext) {
  const t = await getTranslations('projectSettings')
  const { auth, meta } = app()
  const mayWrite = (await auth.may(actor, 'project:write', { organization, project })) === 'yes'
  const scraping = await meta.artifacts.scrapeSettings(project.id)
  return (
    <>
      {mayWrite ? null : <p className="mb-4 max-w-[72ch] text-ink-2">{t('readOnly')}</p>}
      {/* A new revision creates a new form with the saved values. */}
      <ProjectForm
        key={project.rev}
        organization={organization.slug}
        disabled={!mayWrite}
        project={{
          id: project.id,
          slug: project.slug,
          name: project.name,
          platform: project.platform,
          allowedOrigins: project.allowedOrigins,
          revision: project.rev,
          switches: project.switches,
          metricSeriesMax: project.metricSeriesMax,
          scrub: await meta.projects.scrubSettings(project.id),
          routes: await meta.projects.routeSettings(project.id),
          scraping: { scrape: scraping.on, scrapeTls: scraping.verifyTls, hasToken: scraping.sealedToken !== '' },
        }}
      />
    </>
  )
}

/** Deletes the project. Renders nothing for people who may not. */
async function Danger({ here }: SettingsContext) {
  const { actor, organization, project } = here
  if ((await app().auth.may(actor, 'project:delete', here)) !== 'yes') return null
  return <ProjectDanger organization={organization.slug} project={project.slug} name={project.name} />
}

const panels: readonly SettingsPanel[] = [
  { id: 'general', Component: General },
  { id: 'danger', Component: Danger },
]

export const generateMetadata = settingsTitle('general')

export default settingsPage('general', panels)
