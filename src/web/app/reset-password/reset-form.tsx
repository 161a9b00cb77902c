'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../client/form.ts'
import { EndTokens } from '../../panels/settings/end-tokens.tsx'
import { ActionForm } from '../../ui/forms/action-form.tsx'
import { Button, TextField } from '../../ui/forms/controls.tsx'
import { resetPasswordAction } from './actions.ts'

/** Sets a new password for the account of the link's secret. */
export function ResetForm({ secret, email }: { secret: string; email: string }) {
  const t = useTranslations('security')
  return (
    <ActionForm action={resetPasswordAction} initial={noState} name="reset-password">
      {(state, pending) => (
        <>
          <input type="hidden" name="secret" value={secret} />
          <TextField
            id="email"
            name="email"
            label={t('email')}
            errors={undefined}
            autoComplete="username"
            value={email}
            readOnly
          />
          <TextField
            id="password"
            name="password"
            label={t('newPassword')}
            hint={t('passwordHint')}
            errors={state.fields.password}
            type="password"
            autoComplete="new-password"
            required
          />
          <EndTokens />
          <div>
            <Button type="submit" look="main" disabled={pending}>
              {t('savePassword')}
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  )
}
