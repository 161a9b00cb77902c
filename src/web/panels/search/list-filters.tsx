'use client'
import { useQuery } from '@tanstack/react-query'
import { SlidersHorizontal } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { isRelativeRange, type RelativeRange, relativeRanges } from '../../../domain/time-ranges.ts'
import { apiFetch } from '../../client/api.ts'
import { patientImport } from '../../client/connection.ts'
import { Choices, Popup } from '../../ui/popup.tsx'
import {
  environmentsPeriod,
  type ListParams,
  type ProjectName,
  projectIdsOf,
  projectSlugs,
  type Sort,
  sorts,
} from './list-params.ts'
import { localFieldOf } from './range.ts'
import { otherTerms, withoutKey } from './scope-text.ts'
import type { ParamChange } from './use-list-params.ts'

const periods = Object.keys(relativeRanges).filter((key): key is RelativeRange => isRelativeRange(key))

// Few people choose an absolute range, and every list would load its form.
const RangeForm = dynamic(
  patientImport(() => import('./range-form.tsx').then((module) => module.RangeForm)),
  { ssr: false },
)

/** The time range: relative ranges, and a form for an absolute range. */
export function RangeSelect({
  params,
  change,
}: {
  params: Pick<ListParams, 'range'>
  change: (change: ParamChange) => void
}) {
  const t = useTranslations('issues.range')
  const filters = useTranslations('issues.filters')
  const [isFixed, setFixed] = useState(false)
  const { range } = params
  const fixed = range.kind === 'absolute' ? fixedText(range) : undefined
  const choices = [
    ...periods.map((period) => ({
      value: period,
      text: t(period),
      isChosen: range.kind === 'relative' && range.period === period,
    })),
    { value: 'other', text: t('other'), isChosen: fixed !== undefined },
  ]
  return (
    <Popup
      name="range"
      label={t('label')}
      isLabelHidden
      value={fixed ?? (range.kind === 'relative' ? t(range.period) : '')}
    >
      {(close) => {
        const done = () => {
          setFixed(false)
          close()
        }
        if (isFixed) return <RangeForm params={params} change={change} close={done} />
        return (
          <Choices
            label={t('label')}
            filterLabel={filters('find')}
            choices={choices}
            choose={(value) => {
              if (!isRelativeRange(value)) return setFixed(true)
              change({ t: value, from: null, to: null })
              close()
            }}
          />
        )
      }}
    </Popup>
  )
}

/** The ends of a fixed range, in the reader's zone. The second day is left out where it is the first. */
function fixedText({ fromMs, toMs }: { fromMs: number; toMs: number }): string {
  const [from, to] = [localFieldOf(fromMs).replace('T', ' '), localFieldOf(toMs).replace('T', ' ')]
  return `${from} – ${from.slice(0, 10) === to.slice(0, 10) ? to.slice(11) : to}`
}

/** The first of several values, and how many others. */
function shortened(values: readonly string[]): string {
  const [first = '', ...others] = values
  return others.length ? `${first} + ${others.length}` : first
}

/** Adds a value to a list, or removes it. */
const toggled = (values: readonly string[], value: string): string[] =>
  values.includes(value) ? values.filter((other) => other !== value) : [...values, value]

const partsOf = (text: string): string[] => text.split(',').filter((part) => part !== '')

/** The environments of the last 90 days, plus those in the URL. `preloaded` came with the document. */
export function EnvironmentSelect({
  organization,
  value,
  preloaded,
  others = [],
  change,
}: {
  organization: string
  value: string
  preloaded: string[] | undefined
  /** Terms of the search text about environments that are no plain choice. */
  others?: readonly string[]
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
  const chosen = partsOf(value)
  const names = [...new Set([...(data ?? []).map((tagValue) => tagValue.name), ...chosen])].sort()
  return (
    <Popup
      name="environment"
      label={t('environment')}
      value={shortened([...chosen, ...others]) || t('allEnvironments')}
    >
      {() => (
        <Choices
          multiple
          label={t('environment')}
          filterLabel={t('find')}
          choices={[
            { value: '', text: t('allEnvironments'), isChosen: chosen.length + others.length === 0 },
            ...names.map((name) => ({ value: name, text: name, isChosen: chosen.includes(name) })),
          ]}
          choose={(name) => change({ env: name === '' ? '' : toggled(chosen, name).join(',') })}
        />
      )}
    </Popup>
  )
}

/** The projects to choose from, and unknown projects in the URL. */
export function ProjectSelect({
  value,
  projects,
  others = [],
  change,
}: {
  value: string
  projects: readonly ProjectName[]
  /** Terms of the search text about projects that are no plain choice. */
  others?: readonly string[]
  change: (change: { project: string }) => void
}) {
  const t = useTranslations('issues.filters')
  const chosen = projectSlugs(projectIdsOf(value, projects), projects)
  const unknown = chosen.filter((slug) => !projects.some((project) => project.slug === slug))
  if (projects.length < 2 && unknown.length + others.length === 0) return null
  const nameOf = (slug: string) => projects.find((project) => project.slug === slug)?.name ?? slug
  return (
    <Popup
      name="project"
      label={t('project')}
      value={shortened([...chosen.map(nameOf), ...others]) || t('allProjects')}
    >
      {() => (
        <Choices
          multiple
          label={t('project')}
          filterLabel={t('find')}
          choices={[
            { value: '', text: t('allProjects'), isChosen: chosen.length + others.length === 0 },
            ...projects.map(({ slug, name }) => ({ value: slug, text: name, isChosen: chosen.includes(slug) })),
            ...unknown.map((slug) => ({ value: slug, text: slug, isChosen: true })),
          ]}
          choose={(slug) => change({ project: slug === '' ? '' : toggled(chosen, slug).join(',') })}
        />
      )}
    </Popup>
  )
}

/**
 * Project, environment and range of the stream. They say the same as the filters of the search box. On a phone one
 * button opens them, together with the sorting; without scripts they are always open.
 */
export function StreamScope({
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
  const [open, setOpen] = useState(false)
  const { range, q } = params
  const fold = range.kind === 'relative' ? t(`range.short.${range.period}`) : t('range.short.absolute')
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape bubbles up from the controls
    <div
      className="scope"
      data-open={open || undefined}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setOpen(false)
      }}
    >
      <button
        type="button"
        className="popup-button scope-fold"
        aria-expanded={open}
        aria-label={t('filters.open', { range: fold })}
        onClick={() => setOpen(!open)}
      >
        <SlidersHorizontal size={14} strokeWidth={1.75} aria-hidden="true" />
        {fold}
      </button>
      <div className="scope-controls">
        <ProjectSelect
          value={params.project}
          projects={projects}
          others={otherTerms(q, 'project')}
          change={({ project }) => change({ project, q: withoutKey(q, 'project') })}
        />
        <EnvironmentSelect
          organization={organization}
          value={params.env}
          preloaded={environments}
          others={otherTerms(q, 'environment')}
          change={({ env = '' }) => change({ env, q: withoutKey(q, 'environment') })}
        />
        <RangeSelect params={params} change={change} />
        <div className="scope-sort">
          <SortSelect sort={params.sort} change={change} />
        </div>
      </div>
    </div>
  )
}

/** The order of the list. */
export function SortSelect({ sort, change }: { sort: Sort; change: (change: ParamChange) => void }) {
  const t = useTranslations('issues')
  return (
    <Popup name="sort" label={t('sort.label')} value={t(`sort.${sort}`)}>
      {(close) => (
        <Choices
          label={t('sort.label')}
          filterLabel={t('filters.find')}
          choices={sorts.map((name) => ({ value: name, text: t(`sort.${name}`), isChosen: name === sort }))}
          choose={(name) => {
            change({ sort: sorts.find((known) => known === name) ?? 'last' })
            close()
          }}
        />
      )}
    </Popup>
  )
}
