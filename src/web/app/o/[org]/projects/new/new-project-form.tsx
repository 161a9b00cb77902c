'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../../../../client/form.ts'
import { platformGroups } from '../../../../../platforms.ts'
import { ShortForm } from '../../../../../ui/forms/short-form.tsx'
import { createProjectAction } from './actions.ts'

/** Name and platform of a new project. */
export function NewProjectForm({ organization, disabled }: { organization: string; disabled: boolean }) {
  const t = useTranslations('projects')
  const groups = useTranslations('platformGroups')
  return (
    <ShortForm
      action={createProjectAction}
      initial={noState}
      form="new-project"
      hidden={{ organization }}
      field={{ id: 'name', label: t('name'), hint: t('nameHint'), errorsOf: ['slug'] }}
      submit={t('create')}
      look="main"
      disabled={disabled}
    >
      {({ values }) => (
        <fieldset>
          <legend className="mb-1 font-[550]">{t('platform')}</legend>
          {platformGroups.map((group) => (
            <fieldset key={group.id} className="mb-4">
              <legend className="mb-1 text-small text-ink-3">{groups(group.id)}</legend>
              <div className="grid grid-cols-2 gap-x-4 gap-y-1 narrow:grid-cols-3">
                {group.platforms.map(({ id, name }) => (
                  <label key={id} className="flex min-h-7 items-center gap-2">
                    <input
                      type="radio"
                      name="platform"
                      value={id}
                      defaultChecked={id === (values.platform ?? 'javascript')}
                      className="checkbox"
                    />
                    {name}
                  </label>
                ))}
              </div>
            </fieldset>
          ))}
        </fieldset>
      )}
    </ShortForm>
  )
}
