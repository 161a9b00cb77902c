import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { app } from '../../../../handle.ts'
import { platformById } from '../../../../platforms.ts'
import { demandOrganization } from '../../../../server/session.ts'
import { buttonClass } from '../../../../ui/controls.tsx'
import { Link } from '../../../../ui/link.tsx'
import { EmptyState } from '../../../../ui/states.tsx'
import { Time } from '../../../../ui/time.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('projects'))('title') }
}

/** All projects of the organization, with links to issues, setup and keys. */
export default async function ProjectsPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor, organization } = await demandOrganization(org, `/o/${org}/projects`)
  const t = await getTranslations('projects')
  const { meta, auth } = app()
  const projects = meta.projectsOf(organization.id)
  const mayCreate = auth.may(actor, 'project:create', { organization }) === 'yes'
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
        <div className="overflow-x-auto">
          <table className="table">
            <thead>
              <tr>
                <th>{t('name')}</th>
                <th>{t('platform')}</th>
                <th>{t('firstEvent')}</th>
                <th>
                  <span className="visually-hidden">{t('actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {projects.map((project) => (
                <tr key={project.id}>
                  <td>
                    <Link href={`${base}/issues?project=${project.slug}`} className="font-[550] hover:underline">
                      {project.name}
                    </Link>
                    <div>
                      <code className="text-ink-3">{project.slug}</code>
                    </div>
                  </td>
                  <td className="text-ink-2">{platformById(project.platform ?? 'other')?.name ?? project.platform}</td>
                  <td className="whitespace-nowrap text-ink-2">
                    {project.firstEventMs === null ? t('waiting') : <Time at={project.firstEventMs} />}
                  </td>
                  <td className="whitespace-nowrap text-right">
                    <Link href={`${base}/projects/${project.slug}/setup`} className="link">
                      {t('setup')}
                    </Link>{' '}
                    <Link href={`${base}/settings/projects/${project.slug}/keys`} className="link ml-3">
                      {t('keys')}
                    </Link>{' '}
                    <Link href={`${base}/settings/projects/${project.slug}`} className="link ml-3">
                      {t('settings')}
                    </Link>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  )
}
