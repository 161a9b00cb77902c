import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { readableProjects } from '../../../../../auth/allowed-projects.ts'
import { projectStats } from '../../../../../query/project-stats.ts'
import { app } from '../../../../handle.ts'
import { ProjectsTable } from '../../../../panels/projects/projects-table.tsx'
import { platformById } from '../../../../platforms.ts'
import { demandOrganization } from '../../../../server/session.ts'
import { unlessAway } from '../../../../server/unless-away.ts'
import { buttonClass } from '../../../../ui/forms/controls.tsx'
import { Link } from '../../../../ui/link.tsx'
import { EmptyState } from '../../../../ui/states.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('projects'))('title') }
}

/** The projects that the person may read, with their events, open issues and newest release. */
export default async function ProjectsPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor, organization } = await demandOrganization(org, `/o/${org}/projects`)
  const t = await getTranslations('projects')
  const { auth } = app()
  const projects = await readableProjects(app(), actor, organization)
  const stats = await projectStats(app(), projects, unlessAway)
  const mayCreate = (await auth.may(actor, 'project:create', { organization })) === 'yes'
  const base = `/o/${organization.slug}`
  return (
    <div className="page">
      <header className="page-head">
        <h1>{t('title')}</h1>
        <span className="text-ink-3">{t('count', { count: projects.length })}</span>
        <span className="ml-auto">
          {mayCreate ? (
            <Link href={`${base}/projects/new`} className={buttonClass({ look: 'main' })}>
              {t('new')}
            </Link>
          ) : null}
        </span>
      </header>
      {projects.length === 0 ? (
        <EmptyState title={t('none')}>{t('noneTodo')}</EmptyState>
      ) : (
        <>
          {stats.some((row) => row.points === undefined) ? (
            <p role="status" className="stream-away">
              {t('away')}
            </p>
          ) : null}
          <ProjectsTable
            organization={organization.slug}
            projects={projects.map(({ id, slug, name, platform, firstEventMs }) => {
              const { points, events, unresolved = 0, newestRelease } = stats.find((row) => row.projectId === id) ?? {}
              const platformName = platformById(platform ?? 'other')?.name ?? platform ?? ''
              return { slug, name, platform: platformName, firstEventMs, points, events, unresolved, newestRelease }
            })}
          />
        </>
      )}
    </div>
  )
}
