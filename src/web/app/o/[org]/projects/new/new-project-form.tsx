'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../../../../form.ts'
import { platforms } from '../../../../../platforms.ts'
import { ActionForm } from '../../../../../ui/action-form.tsx'
import { Button, Field, Input } from '../../../../../ui/controls.tsx'
import { createProjectAction } from './actions.ts'

/** Name and platform of a new project. */
export function NewProjectForm({ organization, disabled }: { organization: string; disabled: boolean }) {
  const t = useTranslations('projects')
  return (
    <ActionForm action={createProjectAction} initial={noState} name="new-project">
      {(state, pending) => (
        <fieldset disabled={disabled} className="flex flex-col gap-4">
          <input type="hidden" name="organization" value={organization} />
          <Field id="name" label={t('name')} hint={t('nameHint')} errors={state.fields.name ?? state.fields.slug}>
            <Input
              id="name"
              name="name"
              required
              maxLength={64}
              defaultValue={state.values.name}
              aria-invalid={Boolean(state.fields.name)}
              aria-describedby="name-note"
            />
          </Field>
          <fieldset>
            <legend className="mb-1 font-[550]">{t('platform')}</legend>
            <div className="grid grid-cols-2 gap-x-4 gap-y-1 narrow:grid-cols-3">
              {platforms.map(({ id, name }) => (
                <label key={id} className="flex min-h-7 items-center gap-2">
                  <input
                    type="radio"
                    name="platform"
                    value={id}
                    defaultChecked={id === (state.values.platform ?? 'javascript')}
                    className="checkbox"
                  />
                  {name}
                </label>
              ))}
            </div>
          </fieldset>
          <div>
            <Button type="submit" look="main" disabled={pending || disabled}>
              {t('create')}
            </Button>
          </div>
        </fieldset>
      )}
    </ActionForm>
  )
}
