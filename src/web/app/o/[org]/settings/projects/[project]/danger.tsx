'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../../../../../form.ts'
import { ActionForm } from '../../../../../../ui/action-form.tsx'
import { Button } from '../../../../../../ui/controls.tsx'
import { TypedDelete } from '../../../../../../ui/typed-delete.tsx'
import { deleteProjectAction, undiscardAction } from './danger-actions.ts'

/** Issues that were deleted for good, with the way to take their events again. */
export function Discarded({
  organization,
  project,
  titles,
}: {
  organization: string
  project: string
  titles: readonly string[]
}) {
  const t = useTranslations('people')
  if (titles.length === 0) return null
  return (
    <section className="mt-10">
      <h2 className="mb-2">{t('discarded')}</h2>
      <p className="mb-3 text-ink-2">{t('discardedHint')}</p>
      <ul>
        {titles.map((title) => (
          <li key={title} className="flex items-center gap-3 border-t border-line py-2">
            <code className="flex-1">{title}</code>
            <ActionForm action={undiscardAction} initial={noState} name={`undiscard-${title}`} className="flex">
              {(_state, pending) => (
                <>
                  <input type="hidden" name="organization" value={organization} />
                  <input type="hidden" name="project" value={project} />
                  <input type="hidden" name="title" value={title} />
                  <Button type="submit" compact disabled={pending}>
                    {t('undiscard')}
                  </Button>
                </>
              )}
            </ActionForm>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What ends a project. */
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
