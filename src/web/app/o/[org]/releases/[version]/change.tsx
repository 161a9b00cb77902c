'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../../../../form.ts'
import { typedName } from '../../../../../releases/params.ts'
import { ActionForm } from '../../../../../ui/action-form.tsx'
import { Button } from '../../../../../ui/controls.tsx'
import { RelativeTime } from '../../../../../ui/time.tsx'
import { TypedDelete } from '../../../../../ui/typed-delete.tsx'
import { deleteReleaseAction, finalizeAction } from './actions.ts'

/** Finalizing and deleting; both are off for who may only read. */
export function ChangeRelease({
  organization,
  version,
  releasedAt,
  mayChange,
}: {
  organization: string
  version: string
  /** ISO 8601; null: not finalized. */
  releasedAt: string | null
  mayChange: boolean
}) {
  const t = useTranslations('releases.page')
  if (!mayChange) return <p className="text-ink-2">{t('mayNotChange')}</p>
  return (
    <>
      <ActionForm
        action={finalizeAction}
        initial={noState}
        name="finalize-release"
        className="mb-6 flex flex-wrap items-center gap-3"
      >
        {(_state, pending) => (
          <>
            <input type="hidden" name="organization" value={organization} />
            <input type="hidden" name="version" value={version} />
            {releasedAt === null ? (
              <>
                <Button type="submit" disabled={pending}>
                  {t('finalize')}
                </Button>
                <span className="text-ink-2">{t('finalizeHint')}</span>
              </>
            ) : (
              <span className="text-ink-2">
                {t('finalized')} <RelativeTime at={releasedAt} />
              </span>
            )}
          </>
        )}
      </ActionForm>
      <details className="fold">
        <summary>{t('delete')}</summary>
        <TypedDelete
          action={deleteReleaseAction}
          form="delete-release"
          hidden={{ organization, version }}
          typed={typedName(version)}
          title={t('delete')}
          hint={t('deleteHint')}
        />
      </details>
    </>
  )
}
