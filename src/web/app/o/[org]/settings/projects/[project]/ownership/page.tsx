import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { app } from '../../../../../../../handle.ts'
import { demandProject } from '../../../../../../../server/session.ts'
import { ProjectHead } from '../project-head.tsx'
import { OwnershipForm } from './ownership-form.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('triage'))('ownership.title') }
}

/** Rules that say whose an issue is. */
export default async function OwnershipPage({ params }: { params: Promise<{ org: string; project: string }> }) {
  const { org, project: slug } = await params
  const path = `/o/${org}/settings/projects/${slug}/ownership`
  const { actor, organization, project } = await demandProject(org, slug, path)
  const t = await getTranslations('triage.ownership')
  const { auth, meta } = app()
  const mayWrite = auth.may(actor, 'project:write', { organization, project }) === 'yes'
  const { text, autoAssign, rev } = meta.ownershipOf(project.id)
  return (
    <div className="page max-w-[860px]">
      <ProjectHead base={`/o/${organization.slug}`} project={project} here="ownership" />
      <p className="mb-4 max-w-[72ch] text-ink-2">{mayWrite ? t('note') : t('notAllowed')}</p>
      <OwnershipForm
        place={{ organization: organization.slug, project: project.slug, projectId: String(project.id) }}
        initial={{ text, autoAssign, revision: rev }}
        mayWrite={mayWrite}
      />
    </div>
  )
}
