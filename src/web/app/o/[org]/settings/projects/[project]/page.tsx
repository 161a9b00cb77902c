import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { app } from '../../../../../../handle.ts'
import { demandProject } from '../../../../../../server/session.ts'
import { ProjectDanger } from './danger.tsx'
import { ProjectForm } from './project-form.tsx'
import { ProjectHead } from './project-head.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('projectSettings'))('generalTitle') }
}

/** Name, slug, platform, allowed origins and scrubbing of a project. */
export default async function ProjectSettingsPage({ params }: { params: Promise<{ org: string; project: string }> }) {
  const { org, project: slug } = await params
  const { actor, organization, project } = await demandProject(org, slug, `/o/${org}/settings/projects/${slug}`)
  const t = await getTranslations('projectSettings')
  const { auth, meta } = app()
  const mayWrite = auth.may(actor, 'project:write', { organization, project }) === 'yes'
  const scraping = meta.scrapeSettings(project.id)
  return (
    <div className="page max-w-[860px]">
      <ProjectHead base={`/o/${organization.slug}`} project={project} here="general" />
      {mayWrite ? null : <p className="mb-4 max-w-[72ch] text-ink-2">{t('readOnly')}</p>}
      {/* A saved form begins anew with what was saved. */}
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
          scrub: meta.scrubSettings(project.id),
          scraping: { scrape: scraping.on, scrapeTls: scraping.verifyTls, hasToken: scraping.sealedToken !== '' },
        }}
      />
      {auth.may(actor, 'project:delete', { organization, project }) === 'yes' ? (
        <ProjectDanger organization={organization.slug} project={project.slug} name={project.name} />
      ) : null}
    </div>
  )
}
