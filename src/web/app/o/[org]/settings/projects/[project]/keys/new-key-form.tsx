'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../../../../../../form.ts'
import { ActionForm } from '../../../../../../../ui/action-form.tsx'
import { Button, Field, Input } from '../../../../../../../ui/controls.tsx'
import { createKeyAction } from './actions.ts'

/** One more key, with a label. */
export function NewKeyForm({ place }: { place: { organization: string; project: string } }) {
  const t = useTranslations('keys')
  return (
    <ActionForm
      action={createKeyAction}
      initial={noState}
      name="new-key"
      className="mt-6 flex max-w-[460px] flex-col gap-3"
    >
      {(state, pending) => (
        <>
          <input type="hidden" name="organization" value={place.organization} />
          <input type="hidden" name="project" value={place.project} />
          <Field id="label" label={t('newLabel')} errors={state.fields.label ?? state.fields.name}>
            <Input
              id="label"
              name="label"
              required
              maxLength={64}
              defaultValue={state.values.label}
              aria-invalid={Boolean(state.fields.label)}
              aria-describedby="label-note"
            />
          </Field>
          <div>
            <Button type="submit" disabled={pending}>
              {t('create')}
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  )
}
