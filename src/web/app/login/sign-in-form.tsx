'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../form.ts'
import { ActionForm } from '../../ui/action-form.tsx'
import { Button, Field, Input } from '../../ui/controls.tsx'
import { signInAction } from './actions.ts'

/** E-mail and password; `next` is a path of this site. */
export function SignInForm({ next }: { next: string }) {
  const t = useTranslations('login')
  return (
    <ActionForm action={signInAction} initial={noState} name="login">
      {(state, pending) => (
        <>
          <input type="hidden" name="next" value={next} />
          <Field id="email" label={t('email')} errors={state.fields.email}>
            <Input
              id="email"
              name="email"
              type="email"
              autoComplete="username"
              required
              defaultValue={state.values.email}
              aria-invalid={Boolean(state.fields.email)}
              aria-describedby="email-note"
            />
          </Field>
          <Field id="password" label={t('password')} errors={state.fields.password}>
            <Input
              id="password"
              name="password"
              type="password"
              autoComplete="current-password"
              required
              aria-invalid={Boolean(state.fields.password)}
              aria-describedby="password-note"
            />
          </Field>
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
