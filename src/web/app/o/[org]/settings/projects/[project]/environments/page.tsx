import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { app } from '../../../../../../../handle.ts'
import { demandProject } from '../../../../../../../server/session.ts'
import { EmptyState } from '../../../../../../../ui/states.tsx'
import { ProjectHead } from '../project-head.tsx'
import { EnvironmentRow } from './environment-row.tsx'

/** Environments that are shown; a program that makes more of them makes new ones for each event. */
const shownMax = 1000

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('projectSettings'))('environmentsTitle') }
}

/** Environments of a project, to be hidden from the lists to choose from. Who may only read sees which are. */
export default async function EnvironmentsPage({ params }: { params: Promise<{ org: string; project: string }> }) {
  const { org, project: slug } = await params
  const { actor, organization, project } = await demandProject(
    org,
    slug,
    `/o/${org}/settings/projects/${slug}/environments`,
  )
  const t = await getTranslations('projectSettings')
  const { auth, meta } = app()
  const mayWrite = auth.may(actor, 'project:write', { organization, project }) === 'yes'
  const environments = meta.projectEnvironments(project.id, { max: shownMax })
  // The id: a form that was loaded before the project got another slug still finds it.
  const place = { organization: organization.slug, project: String(project.id) }
  return (
    <div className="page max-w-[860px]">
      <ProjectHead base={`/o/${organization.slug}`} project={project} here="environments" />
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
    </div>
  )
}
