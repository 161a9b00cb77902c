'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../client/form.ts'
import { ActionForm } from '../../ui/forms/action-form.tsx'
import { Button, TextField } from '../../ui/forms/controls.tsx'
import { signInAction } from './actions.ts'

/** E-mail and password. `next` is a path of this site. */
export function SignInForm({ next }: { next: string }) {
  const t = useTranslations('login')
  return (
    <ActionForm action={signInAction} initial={noState} name="login">
      {(state, pending) => (
        <>
          <input type="hidden" name="next" value={next} />
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
          <TextField
            id="password"
            name="password"
            label={t('password')}
            errors={state.fields.password}
            type="password"
            autoComplete="current-password"
            required
          />
          <div>
            <Button type="submit" look="main" disabled={pending}>
              {t('submit')}
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  )
}
