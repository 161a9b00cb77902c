'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../../client/form.ts'
import { ActionForm } from '../../../ui/forms/action-form.tsx'
import { Button, TextField } from '../../../ui/forms/controls.tsx'
import { joinAction } from './actions.ts'

const inputs = [
  { name: 'name', type: 'text', autoComplete: 'name' },
  { name: 'password', type: 'password', autoComplete: 'new-password' },
] as const

/** One button with a login, else the fields of a new account. */
export function JoinForm({ secret, isSignedIn }: { secret: string; isSignedIn: boolean }) {
  const t = useTranslations('people')
  return (
    <ActionForm action={joinAction} initial={noState} name="join">
      {(state, pending) => (
        <>
          <input type="hidden" name="secret" value={secret} />
          {state.fields.email ? (
            <p role="alert" className="text-error">
              {state.fields.email.join(' ')}
            </p>
          ) : null}
          {isSignedIn
            ? null
            : inputs.map(({ name, ...input }) => (
                <TextField
                  key={name}
                  id={name}
                  name={name}
                  label={t(name)}
                  hint={name === 'password' ? t('passwordHint') : undefined}
                  errors={state.fields[name]}
                  {...input}
                  required
                  defaultValue={state.values[name]}
                />
              ))}
          <div>
            <Button type="submit" look="main" disabled={pending}>
              {isSignedIn ? t('join') : t('joinMake')}
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  )
}
