'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useId } from 'react'
import { Choices, Popup } from '../../ui/popup.tsx'
import type { ProjectName } from '../search/list-params.ts'
import { ScopeSelects } from '../search/scope-selects.tsx'
import { type BoardParams, refreshChoices } from './params.ts'

/** Changes of the URL. Null removes a parameter, a list repeats it. */
export type BoardChange = Record<string, string | null | readonly string[]>

/** A field whose comma-separated values apply to all tiles. Enter and leaving the field apply them. */
function ValuesField({
  label,
  values,
  change,
}: {
  label: string
  values: readonly string[]
  change: (values: string[]) => void
}) {
  const id = useId()
  const shown = values.join(', ')
  function apply(text: string): void {
    const next = text
      .split(',')
      .map((value) => value.trim())
      .filter((value) => value !== '')
    if (next.join(',') !== values.join(',')) change(next)
  }
  return (
    <form
      className="board-values"
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault()
        apply(String(new FormData(event.currentTarget).get('values') ?? ''))
      }}
    >
      <label htmlFor={id}>{label}</label>
      {/* The key renews the field when the URL changes. */}
      <input
        key={shown}
        id={id}
        name="values"
        className="input"
        defaultValue={shown}
        autoComplete="off"
        onBlur={(event) => apply(event.target.value)}
      />
    </form>
  )
}

/** The variables of a dashboard: project, environment, range, release and a free attribute. All are in the URL. */
export function BoardScope({
  organization,
  params,
  attribute,
  projects,
  environments,
  change,
}: {
  organization: string
  params: BoardParams
  attribute: string
  projects: readonly ProjectName[]
  environments: string[] | undefined
  change: (change: BoardChange) => void
}) {
  const t = useTranslations('boards.scope')
  const words = (seconds: number) => (seconds === 0 ? t('never') : t('every', { seconds }))
  return (
    <div className="board-scope">
      <ScopeSelects
        organization={organization}
        params={params}
        projects={projects}
        environments={environments}
        change={change}
      />
      <ValuesField label={t('release')} values={params.releases} change={(release) => change({ release })} />
      {attribute === '' ? null : (
        <ValuesField label={attribute} values={params.values} change={(value) => change({ value })} />
      )}
      <Popup name="refresh" label={t('refresh')} value={words(params.refreshS)}>
        {(close) => (
          <Choices
            label={t('refresh')}
            filterLabel={t('refresh')}
            choices={refreshChoices.map((choice) => ({
              value: String(choice),
              text: words(choice),
              isChosen: choice === params.refreshS,
            }))}
            choose={(value) => {
              change({ refresh: value === '60' ? null : value })
              close()
            }}
          />
        )}
      </Popup>
    </div>
  )
}
