'use client'
import { useTranslations } from 'next-intl'
import { TypedDelete } from '../../ui/forms/typed-delete.tsx'
import { deleteIssueAction } from './delete-actions.ts'

/** Deletes the issue. Collapsed at the foot of its page. */
export function DeleteIssue({
  organization,
  issueId,
  shortId,
}: {
  organization: string
  issueId: string
  shortId: string
}) {
  const t = useTranslations('people')
  return (
    <details className="fold px-5 pb-8">
      <summary>{t('deleteIssue')}</summary>
      <TypedDelete
        action={deleteIssueAction}
        form="delete-issue"
        hidden={{ organization, issue: issueId }}
        typed={shortId}
        title={t('deleteIssue')}
        hint={t('deleteIssueHint')}
      >
        <label className="flex items-center gap-2">
          <input type="checkbox" name="discard" /> {t('discard')}
        </label>
      </TypedDelete>
    </details>
  )
}
