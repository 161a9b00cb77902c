'use client'
import { useTranslations } from 'next-intl'
import type { Role } from '../../../../../../auth/auth.ts'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button } from '../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { takeBackAction } from './actions.ts'
import { startState } from './state.ts'

/** An invitation that nobody has accepted yet. */
export function InvitationRow({
  organization,
  invitation,
  mayTakeBack,
}: {
  organization: string
  invitation: { id: number; email: string; role: Role; by: string; isExpired: boolean }
  mayTakeBack: boolean
}) {
  const t = useTranslations('people')
  return (
    <li className="flex flex-wrap items-center gap-3 border-t border-line py-3">
      <div className="min-w-0 flex-1">
        <PlainText text={invitation.email} charactersMax={254} />{' '}
        <span className="text-ink-3">
          {t(`role_${invitation.role}`)} {invitation.by ? t('invitedBy', { name: invitation.by }) : ''}
        </span>{' '}
        {invitation.isExpired ? <span className="chip text-ink-3">{t('expired')}</span> : null}
      </div>
      {mayTakeBack ? (
        <ActionForm action={takeBackAction} initial={startState} name={`back-${invitation.id}`} className="flex">
          {(_state, pending) => (
            <>
              <input type="hidden" name="organization" value={organization} />
              <input type="hidden" name="invitation" value={invitation.id} />
              <Button type="submit" compact disabled={pending}>
                {t('takeBack')}
              </Button>
            </>
          )}
        </ActionForm>
      ) : null}
    </li>
  )
}
