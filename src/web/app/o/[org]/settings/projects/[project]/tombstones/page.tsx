import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { tombstonesOf } from '../../../../../../../../query/tombstones.ts'
import { app } from '../../../../../../../handle.ts'
import { demandProject } from '../../../../../../../server/session.ts'
import { EmptyState } from '../../../../../../../ui/states.tsx'
import { ProjectHead } from '../project-head.tsx'
import { TombstoneRow } from './tombstone-row.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('triage'))('tombstones.title') }
}

/** Issues that were deleted for good. */
export default async function TombstonesPage({ params }: { params: Promise<{ org: string; project: string }> }) {
  const { org, project: slug } = await params
  const path = `/o/${org}/settings/projects/${slug}/tombstones`
  const { actor, organization, project } = await demandProject(org, slug, path)
  const t = await getTranslations('triage.tombstones')
  const { auth, meta } = app()
  const mayWrite = auth.may(actor, 'issue:delete', { organization, project }) === 'yes'
  const found = tombstonesOf(meta, project.id)
  const place = { organization: organization.slug, project: String(project.id) }
  return (
    <div className="page max-w-[860px]">
      <ProjectHead base={`/o/${organization.slug}`} project={project} here="tombstones" />
      <p className="mb-4 max-w-[72ch] text-ink-2">{mayWrite ? t('note') : t('notAllowed')}</p>
      {found.length === 0 ? (
        <EmptyState title={t('none')} />
      ) : (
        <ul className="border-t border-line">
          {found.map((item) => (
            <TombstoneRow key={item.id} place={place} tombstone={item} mayWrite={mayWrite} />
          ))}
        </ul>
      )}
    </div>
  )
}
