'use client'
import { useTranslations } from 'next-intl'
import { TypedDelete } from '../../../../../ui/forms/typed-delete.tsx'
import { deleteOrganizationAction } from './danger-actions.ts'

/** Deletes an organization. `successor`: the organization whose owners then control the installation; null: none. */
export function OrganizationDanger({
  organization,
  successor,
}: {
  organization: { slug: string; name: string }
  successor: { name: string } | null | undefined
}) {
  const t = useTranslations('people')
  return (
    <section className="mt-10">
      <h2 className="mb-3">{t('dangerTitle')}</h2>
      <TypedDelete
        action={deleteOrganizationAction}
        form="delete-organization"
        hidden={{ organization: organization.slug }}
        typed={organization.name}
        title={t('deleteOrganization')}
        hint={t('deleteOrganizationHint')}
      >
        {successor === undefined ? null : (
          <p className="font-[550]">
            {successor ? t('deleteOrganizationHeir', { name: successor.name }) : t('deleteOrganizationLast')}
          </p>
        )}
      </TypedDelete>
    </section>
  )
}
