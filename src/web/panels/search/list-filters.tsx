'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { systemClock } from '../../../base/clock.ts'
import { apiFetch } from '../../client/api.ts'
import { Button } from '../../ui/controls.tsx'
import { environmentsPeriod, type ListParams, type ProjectName, projectIdsOf, type Sort, sorts } from './list-params.ts'
import { boundsOf, isRelativeRange, localFieldOf, type RelativeRange, relativeRanges } from './range.ts'
import type { ParamChange } from './use-list-params.ts'

const periods = Object.keys(relativeRanges).filter((key): key is RelativeRange => isRelativeRange(key))

function AbsoluteRange({
  params,
  change,
  close,
}: {
  params: Pick<ListParams, 'range'>
  change: (change: ParamChange) => void
  close: () => void
}) {
  const t = useTranslations('issues.range')
  const [bounds] = useState(() => boundsOf(params.range, systemClock.now()))
  const [wrong, setWrong] = useState(false)
  return (
    <form
      className="range-panel"
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        const fromMs = Date.parse(String(form.get('from')))
        const toMs = Date.parse(String(form.get('to')))
        if (!(fromMs < toMs)) return setWrong(true)
        change({ t: null, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() })
        close()
      }}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
      <label>
        {t('from')}
        <input
          className="input"
          type="datetime-local"
          name="from"
          required
          // biome-ignore lint/a11y/noAutofocus: the panel opens on request, and its first field is used next
          autoFocus
          defaultValue={localFieldOf(bounds.fromMs)}
        />
      </label>
      <label>
        {t('to')}
        <input className="input" type="datetime-local" name="to" required defaultValue={localFieldOf(bounds.toMs)} />
      </label>
      {wrong ? (
        <p role="alert" className="text-small text-error">
          {t('wrong')}
        </p>
      ) : null}
      <div className="flex gap-2">
        <Button type="submit" look="main" compact>
          {t('apply')}
        </Button>
        <Button compact look="plain" onClick={close}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  )
}

/** The time range as a menu of relative ranges and a panel for an absolute range. */
export function RangeSelect({
  params,
  change,
}: {
  params: Pick<ListParams, 'range'>
  change: (change: ParamChange) => void
}) {
  const t = useTranslations('issues.range')
  const [open, setOpen] = useState(false)
  const { range } = params
  return (
    <div className="relative">
      <select
        className="input"
        data-range
        aria-label={t('label')}
        value={range.kind === 'relative' ? range.period : 'absolute'}
        onChange={(event) => {
          const value = event.target.value
          if (isRelativeRange(value)) change({ t: value, from: null, to: null })
          else setOpen(true)
        }}
      >
        {periods.map((period) => (
          <option key={period} value={period}>
            {t(period)}
          </option>
        ))}
        {range.kind === 'absolute' ? (
          <option value="absolute">
            {localFieldOf(range.fromMs).replace('T', ' ')} – {localFieldOf(range.toMs).replace('T', ' ')}
          </option>
        ) : null}
        <option value="other">{t('other')}</option>
      </select>
      {open ? <AbsoluteRange params={params} change={change} close={() => setOpen(false)} /> : null}
    </div>
  )
}

/** The environments of the last 90 days, plus the one in the URL. `preloaded` came with the document. */
export function EnvironmentSelect({
  organization,
  value,
  preloaded,
  change,
}: {
  organization: string
  value: string
  preloaded: string[] | undefined
  change: (change: ParamChange) => void
}) {
  const t = useTranslations('issues.filters')
  const { data } = useQuery({
    queryKey: ['environments', organization],
    queryFn: ({ signal }) =>
      apiFetch<{ name: string }[]>(`organizations/${organization}/environments/`, {
        query: { statsPeriod: environmentsPeriod },
        signal,
      }),
    ...(preloaded ? { initialData: preloaded.map((name) => ({ name })) } : {}),
    staleTime: 60_000,
  })
  const names = (data ?? []).map((tagValue) => tagValue.name).sort()
  return (
    <select
      className="input stream-environment"
      aria-label={t('environment')}
      value={value}
      onChange={(event) => change({ env: event.target.value })}
    >
      <option value="">{t('allEnvironments')}</option>
      {value !== '' && !names.includes(value) ? <option value={value}>{value}</option> : null}
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  )
}

/** The projects to choose from. Several projects or an unknown project in the URL are an extra choice. */
export function ProjectSelect({
  value,
  projects,
  change,
}: {
  value: string
  projects: readonly ProjectName[]
  change: (change: { project: string }) => void
}) {
  const t = useTranslations('issues.filters')
  const ids = projectIdsOf(value, projects)
  const named = ids.map((id) => projects.find((project) => project.id === id))
  const only = ids.length === 1 ? named[0] : undefined
  const isOther = ids.length > 0 && !only
  if (projects.length < 2 && !isOther) return null
  return (
    <select
      className="input"
      aria-label={t('project')}
      value={only?.slug ?? value}
      onChange={(event) => change({ project: event.target.value })}
    >
      <option value="">{t('allProjects')}</option>
      {isOther ? <option value={value}>{named.map((option, at) => option?.name ?? ids[at]).join(', ')}</option> : null}
      {projects.map((project) => (
        <option key={project.id} value={project.slug}>
          {project.name}
        </option>
      ))}
    </select>
  )
}

/** Project, environment, range and sorting. Each is part of the URL. */
export function StreamFilters({
  organization,
  params,
  change,
  projects,
  environments,
}: {
  organization: string
  params: ListParams
  change: (change: ParamChange) => void
  projects: readonly ProjectName[]
  /** Loaded with the document. */
  environments: string[] | undefined
}) {
  const t = useTranslations('issues')
  return (
    <div className="stream-filters">
      <ProjectSelect value={params.project} projects={projects} change={change} />
      <EnvironmentSelect organization={organization} value={params.env} preloaded={environments} change={change} />
      <RangeSelect params={params} change={change} />
      <select
        className="input"
        aria-label={t('sort.label')}
        value={params.sort}
        onChange={(event) => change({ sort: event.target.value as Sort })}
      >
        {sorts.map((sort) => (
          <option key={sort} value={sort}>
            {t(`sort.${sort}`)}
          </option>
        ))}
      </select>
    </div>
  )
}
