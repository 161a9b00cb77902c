'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { inboundFilters, oldBrowsers, type ProjectFilters } from '../../../../../../../../domain/filters.ts'
import { TextArea } from '../../../../../../../ui/forms/controls.tsx'
import { linesOf } from '../change.ts'
import { GuardedProjectForm } from '../guarded-project-form.tsx'
import { saveFiltersAction } from './actions.ts'
import { browserField, ticked } from './form-filters.ts'

type Dropped = Readonly<Record<string, number>>

/** All filters of a project in one form: switches, old browsers, and three lists with one entry per line. */
export function FilterForm({
  place,
  filters,
  dropped,
  mayWrite,
}: {
  /** `revision`: the project's revision when the form was rendered. */
  place: { organization: string; project: string; revision: number }
  filters: ProjectFilters
  dropped: Dropped
  mayWrite: boolean
}) {
  const t = useTranslations('filters')
  return (
    <GuardedProjectForm
      action={saveFiltersAction}
      name="filters"
      place={place}
      texts={{ save: t('save'), saved: t('saved') }}
      mayWrite={mayWrite}
    >
      {(state) =>
        inboundFilters.map((inboundFilter) => (
          <Row key={inboundFilter.id} id={inboundFilter.id} reason={inboundFilter.reason} dropped={dropped}>
            {inboundFilter.kind === 'switch' ? (
              <label className="flex items-center gap-2">
                <input
                  type="checkbox"
                  className="checkbox"
                  name={inboundFilter.key}
                  defaultChecked={ticked(state.values, filters)(inboundFilter.key)}
                />
                <span className="font-[550]">{t(`${inboundFilter.key}.title`)}</span>
              </label>
            ) : inboundFilter.kind === 'browsers' ? (
              <Browsers isOn={ticked(state.values, filters)} />
            ) : (
              <div className="flex flex-col gap-1">
                <label htmlFor={`${inboundFilter.id}-list`} className="font-[550]">
                  {t(`${inboundFilter.key}.title`)}
                </label>
                <TextArea
                  id={`${inboundFilter.id}-list`}
                  name={inboundFilter.key}
                  rows={3}
                  className="w-full font-mono"
                  spellCheck={false}
                  defaultValue={state.values[inboundFilter.key] ?? linesOf(filters[inboundFilter.key])}
                  aria-describedby={`${inboundFilter.id}-hint`}
                  aria-invalid={state.fields[inboundFilter.key] ? true : undefined}
                />
                {state.fields[inboundFilter.key] ? (
                  <span role="alert" className="text-small text-error">
                    {state.fields[inboundFilter.key]?.join(' ')}
                  </span>
                ) : null}
              </div>
            )}
            <p id={`${inboundFilter.id}-hint`} className="mt-1 max-w-[72ch] text-small text-ink-2">
              {t(`${inboundFilter.key}.hint`)}
            </p>
          </Row>
        ))
      }
    </GuardedProjectForm>
  )
}

/** One filter, with the number of events it dropped in the last week. */
function Row({ id, reason, dropped, children }: { id: string; reason: string; dropped: Dropped; children: ReactNode }) {
  const t = useTranslations('filters')
  const count = new Intl.NumberFormat(useLocale()).format(dropped[reason] ?? 0)
  return (
    <section id={id} className="flex flex-wrap gap-x-6 gap-y-1 border-b border-line py-3">
      <div className="min-w-0 grow basis-[320px]">{children}</div>
      <p className="min-w-[170px] flex-none whitespace-nowrap text-ink-3">
        <b className="text-ink">{count}</b> {t('dropped')}
      </p>
    </section>
  )
}

function Browsers({ isOn }: { isOn: (field: string) => boolean }) {
  const t = useTranslations('filters')
  const all = Object.entries(oldBrowsers) as [keyof typeof oldBrowsers, number][]
  return (
    <fieldset>
      <legend className="mb-1 font-[550]">{t('browsers.title')}</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-1">
        {all.map(([name, version]) => (
          <label key={name} className="flex items-center gap-2">
            <input
              type="checkbox"
              className="checkbox"
              name={browserField(name)}
              defaultChecked={isOn(browserField(name))}
            />
            {t('browser', { name: t(`browsers.${name}`), version })}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
