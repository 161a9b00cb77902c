'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../client/form.ts'
import { ActionForm } from '../../ui/forms/action-form.tsx'
import { Button } from '../../ui/forms/controls.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { confirmAddressAction } from './actions.ts'

/** Confirms by a button, because mail programs open links by themselves. */
export function ConfirmForm({
  secret,
  address,
  organization,
  isConfirmed,
}: {
  secret: string
  address: string
  organization: string
  isConfirmed: boolean
}) {
  const t = useTranslations('notifications')
  return (
    <ActionForm action={confirmAddressAction} initial={noState} name="confirm-address">
      {(state, pending) =>
        state.done || isConfirmed ? (
          <p role="status">
            <PlainText text={t('confirmDone', { address, organization })} />
          </p>
        ) : (
          <>
            <p className="text-ink-2">
              <PlainText text={t('confirmIntro', { address, organization })} />
            </p>
            <input type="hidden" name="secret" value={secret} />
            <div>
              <Button type="submit" look="main" disabled={pending}>
                {t('confirmNow')}
              </Button>
            </div>
          </>
        )
      }
    </ActionForm>
  )
}
