'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../../../../../client/form.ts'
import { EndTokens } from '../../../../../../panels/settings/end-tokens.tsx'
import { ActionForm } from '../../../../../../ui/forms/action-form.tsx'
import { Button, TextField } from '../../../../../../ui/forms/controls.tsx'
import { changePasswordAction } from './security-actions.ts'

/** Changes the password. `hasTokens`: offers to revoke API tokens. `isChanged`: confirms a change. */
export function PasswordForm({
  organization,
  email,
  hasTokens,
  isChanged,
}: {
  organization: string
  email: string
  hasTokens: boolean
  isChanged: boolean
}) {
  const t = useTranslations('security')
  return (
    <section className="mb-8" id="password">
      <h2>{t('password')}</h2>
      <p className="mb-3 max-w-[72ch] text-ink-2">{t('passwordIntro')}</p>
      {isChanged ? (
        <p role="status" className="mb-3">
          {t('passwordChanged')}
        </p>
      ) : null}
      <ActionForm
        action={changePasswordAction}
        initial={noState}
        name="change-password"
        className="flex max-w-[460px] flex-col gap-3"
      >
        {(state, pending) => (
          <>
            <input type="hidden" name="organization" value={organization} />
            {/* Tells password managers whose password this is. */}
            <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
            <TextField
              id="current-password"
              name="currentPassword"
              label={t('currentPassword')}
              errors={state.fields.currentPassword}
              type="password"
              autoComplete="current-password"
              required
            />
            <TextField
              id="new-password"
              name="newPassword"
              label={t('newPassword')}
              hint={t('passwordHint')}
              errors={state.fields.newPassword}
              type="password"
              autoComplete="new-password"
              required
            />
            {hasTokens ? <EndTokens /> : null}
            <div>
              <Button type="submit" disabled={pending}>
                {t('changePassword')}
              </Button>
            </div>
          </>
        )}
      </ActionForm>
    </section>
  )
}
