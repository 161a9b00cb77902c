'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../client/form.ts'
import { ActionForm } from '../../ui/forms/action-form.tsx'
import { Button, Field, Select, TextField } from '../../ui/forms/controls.tsx'
import { PlatformOptions } from '../../ui/forms/platform-options.tsx'
import { setupAction } from './actions.ts'

const inputs = [
  { name: 'name', type: 'text', autoComplete: 'name' },
  { name: 'email', type: 'email', autoComplete: 'username' },
  { name: 'password', type: 'password', autoComplete: 'new-password' },
  { name: 'organization', type: 'text', autoComplete: 'organization' },
  { name: 'project', type: 'text', autoComplete: 'off' },
] as const

/** Owner, organization and first project in one form. */
export function SetupForm({ secret }: { secret: string }) {
  const t = useTranslations('setup')
  return (
    <ActionForm action={setupAction} initial={noState} name="setup">
      {(state, pending) => (
        <>
          <input type="hidden" name="secret" value={secret} />
          {inputs.map(({ name, ...input }) => (
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
          <Field id="platform" label={t('platform')} errors={state.fields.platform}>
            <Select
              id="platform"
              name="platform"
              defaultValue={state.values.platform ?? 'javascript'}
              aria-describedby="platform-note"
            >
              <PlatformOptions />
            </Select>
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
