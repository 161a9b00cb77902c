'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../../../../client/form.ts'
import { type ReleaseStatus, typedName } from '../../../../../panels/releases/params.ts'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button } from '../../../../../ui/forms/controls.tsx'
import { TypedDelete } from '../../../../../ui/forms/typed-delete.tsx'
import { Time } from '../../../../../ui/time.tsx'
import { archiveAction, deleteReleaseAction, finalizeAction } from './actions.ts'

/** Archives the release, or opens it again. */
function Archive({ organization, version, status }: { organization: string; version: string; status: ReleaseStatus }) {
  const t = useTranslations('releases.page')
  const isOpen = status === 'open'
  return (
    <ActionForm
      action={archiveAction}
      initial={noState}
      name="archive-release"
      className="mb-6 flex flex-wrap items-center gap-3"
    >
      {(_state, pending) => (
        <>
          <input type="hidden" name="organization" value={organization} />
          <input type="hidden" name="version" value={version} />
          <input type="hidden" name="to" value={isOpen ? 'archived' : 'open'} />
          <Button type="submit" disabled={pending}>
            {t(isOpen ? 'archive' : 'restore')}
          </Button>
          <span className="text-ink-2">{t(isOpen ? 'archiveHint' : 'restoreHint')}</span>
        </>
      )}
    </ActionForm>
  )
}

/** Finalizes, archives and deletes the release. Shows only a note without permission. */
export function ChangeRelease({
  organization,
  version,
  releasedAt,
  status,
  mayChange,
}: {
  organization: string
  version: string
  /** ISO 8601; null if not finalized. */
  releasedAt: string | null
  status: ReleaseStatus
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
                {t('finalized')} <Time at={releasedAt} />
              </span>
            )}
          </>
        )}
      </ActionForm>
      <Archive organization={organization} version={version} status={status} />
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
