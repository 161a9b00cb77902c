'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../client/form.ts'
import { ActionForm } from '../../ui/forms/action-form.tsx'
import { Button, TextField } from '../../ui/forms/controls.tsx'
import { forgotPasswordAction } from './actions.ts'

/** Requests a reset link. The confirmation does not reveal whether the account exists. */
export function ForgotForm() {
  const t = useTranslations('security')
  return (
    <ActionForm action={forgotPasswordAction} initial={noState} name="forgot-password">
      {(state, pending) =>
        state.done ? (
          <p role="status">{t('linkSent')}</p>
        ) : (
          <>
            <p className="text-ink-2">{t('forgotIntro')}</p>
            <TextField
              id="email"
              name="email"
              label={t('email')}
              errors={state.fields.email}
              type="email"
              autoComplete="username"
              required
              defaultValue={state.values.email}
            />
            <div>
              <Button type="submit" look="main" disabled={pending}>
                {t('sendLink')}
              </Button>
            </div>
          </>
        )
      }
    </ActionForm>
  )
}
