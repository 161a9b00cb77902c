'use client'
import { useTranslations } from 'next-intl'
import { noGuardedState } from '../../../../../client/form.ts'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button, TextField } from '../../../../../ui/forms/controls.tsx'
import { Stale } from '../../../../../ui/stale.tsx'
import { saveOrganizationAction } from './actions.ts'

const formName = 'organization'

type Shown = { name: string; slug: string; retentionErrorsDays: number | null; revision: number }

/** Name, slug and retention. Read-only while `disabled`. */
export function OrganizationForm({
  organization,
  daysMax,
  disabled,
}: {
  organization: Shown
  daysMax: number
  disabled: boolean
}) {
  const t = useTranslations('people')
  const fields = [
    { name: 'name', label: t('name'), hint: undefined, value: organization.name, mode: undefined },
    { name: 'slug', label: t('slug'), hint: t('slugHint'), value: organization.slug, mode: undefined },
    {
      name: 'retentionErrorsDays',
      label: t('retentionErrors'),
      hint: t('retentionHint', { days: daysMax }),
      value: String(organization.retentionErrorsDays ?? ''),
      mode: 'numeric',
    },
  ] as const
  return (
    <ActionForm action={saveOrganizationAction} initial={noGuardedState} name={formName} guarded>
      {(state, pending) => (
        <fieldset disabled={disabled} className="flex max-w-[560px] flex-col gap-3">
          <input type="hidden" name="organization" value={organization.slug} />
          <input type="hidden" name="revision" value={organization.revision} />
          {fields.map(({ name, label, hint, value, mode }) => (
            <TextField
              key={name}
              id={`organization-${name}`}
              name={name}
              label={label}
              hint={hint}
              errors={state.fields[name]}
              autoComplete="off"
              inputMode={mode}
              defaultValue={state.values[name] ?? value}
            />
          ))}
          <div className="flex items-center gap-3">
            <Button type="submit" disabled={pending || disabled}>
              {t('saveOrganization')}
            </Button>
            {state.done ? <span role="status">{t('saved')}</span> : null}
          </div>
          {/* After the button, so that Enter in a field does not overwrite the change of somebody else. */}
          {state.stale ? <Stale form={formName} stale={state.stale} pending={pending} /> : null}
        </fieldset>
      )}
    </ActionForm>
  )
}
