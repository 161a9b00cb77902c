'use client'
import { useTranslations } from 'next-intl'
import { TypedDelete } from '../../../../../../ui/forms/typed-delete.tsx'
import { deleteProjectAction } from './danger-actions.ts'

/** Deletes a project. */
export function ProjectDanger({
  organization,
  project,
  name,
}: {
  organization: string
  project: string
  name: string
}) {
  const t = useTranslations('people')
  return (
    <section className="mt-10">
      <h2 className="mb-3">{t('dangerTitle')}</h2>
      <TypedDelete
        action={deleteProjectAction}
        form="delete-project"
        hidden={{ organization, project }}
        typed={name}
        title={t('deleteProject')}
        hint={t('deleteProjectHint')}
      />
    </section>
  )
}
