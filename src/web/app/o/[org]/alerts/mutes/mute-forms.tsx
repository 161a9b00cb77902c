'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../../../../client/form.ts'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button, Field, Input, NameField, Select } from '../../../../../ui/forms/controls.tsx'
import { createMuteAction, endMuteAction } from './actions.ts'

type Named = { id: string; name: string }

/** Ends one mute. */
export function EndMute({ organization, id }: { organization: string; id: string }) {
  const t = useTranslations('incidents.mutes')
  return (
    <ActionForm action={endMuteAction} initial={noState} name={`mute-${id}`} className="inline">
      {(_state, pending) => (
        <>
          <input type="hidden" name="organization" value={organization} />
          <input type="hidden" name="mute" value={id} />
          <Button type="submit" compact disabled={pending}>
            {t('end')}
          </Button>
        </>
      )}
    </ActionForm>
  )
}

/** The form for a mute or maintenance window. */
export function NewMute({
  organization,
  projects,
  rules,
  zone,
}: {
  organization: string
  projects: readonly Named[]
  rules: readonly Named[]
  /** The zone of the reader, in which the times are. */
  zone: string
}) {
  const t = useTranslations('incidents.mutes')
  return (
    <section className="mt-8">
      <h2 className="mb-3">{t('newTitle')}</h2>
      <ActionForm
        action={createMuteAction}
        initial={noState}
        name="new-mute"
        className="flex max-w-[560px] flex-col gap-3"
      >
        {(state, pending) => (
          <>
            <input type="hidden" name="organization" value={organization} />
            <NameField id="mute-name" label={t('name')} errors={state.fields.name} defaultValue={state.values.name} />
            <Field id="mute-what" label={t('what')} errors={state.fields.target}>
              <Select
                id="mute-what"
                name="what"
                defaultValue={state.values.what ?? 'organization'}
                aria-describedby="mute-what-note"
              >
                <option value="organization">{t('organization')}</option>
                {projects.map(({ id, name }) => (
                  <option key={`project:${id}`} value={`project:${id}`}>
                    {t('project', { name })}
                  </option>
                ))}
                {rules.map(({ id, name }) => (
                  <option key={`rule:${id}`} value={`rule:${id}`}>
                    {t('rule', { name })}
                  </option>
                ))}
              </Select>
            </Field>
            {(['start', 'end'] as const).map((name) => (
              <Field
                key={name}
                id={`mute-${name}`}
                label={t(name === 'start' ? 'start' : 'until', { zone })}
                hint={t(name === 'start' ? 'startHint' : 'untilHint')}
                errors={state.fields[name]}
              >
                <Input
                  id={`mute-${name}`}
                  name={name}
                  type="datetime-local"
                  defaultValue={state.values[name]}
                  aria-describedby={`mute-${name}-note`}
                />
              </Field>
            ))}
            <div>
              <Button type="submit" disabled={pending}>
                {t('create')}
              </Button>
            </div>
          </>
        )}
      </ActionForm>
    </section>
  )
}
