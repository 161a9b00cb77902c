import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../server/session.ts'
import { NewProjectForm } from './new-project-form.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('projects'))('new') }
}

/** The form for a new project. Disabled, with the reason, for people who may not create projects. */
export default async function NewProjectPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor, organization } = await demandOrganization(org, `/o/${org}/projects/new`)
  const t = await getTranslations('projects')
  const may = (await app().auth.may(actor, 'project:create', { organization })) === 'yes'
  return (
    <div className="page max-w-[460px]">
      <h1 className="mb-4">{t('new')}</h1>
      {may ? null : <p className="mb-4 text-ink-2">{t('mayNotCreate')}</p>}
      <NewProjectForm organization={organization.slug} disabled={!may} />
    </div>
  )
}
