'use client'
import { EnvironmentSelect, ProjectSelect, RangeSelect } from './list-filters.tsx'
import type { ListParams, ProjectName } from './list-params.ts'

/** Project, environment and range of a page. Each is part of the URL; null removes it. */
export function ScopeSelects({
  organization,
  params,
  projects,
  environments,
  change,
}: {
  organization: string
  params: Pick<ListParams, 'project' | 'env' | 'range'>
  projects: readonly ProjectName[]
  environments: string[] | undefined
  change: (change: Partial<Record<'project' | 'env' | 't' | 'from' | 'to', string | null>>) => void
}) {
  return (
    <>
      <ProjectSelect value={params.project} projects={projects} change={change} />
      <EnvironmentSelect
        organization={organization}
        value={params.env}
        preloaded={environments}
        change={({ env }) => change({ env: env ?? null })}
      />
      <RangeSelect
        params={params}
        change={({ t, from, to }) => change({ t: t ?? null, from: from ?? null, to: to ?? null })}
      />
    </>
  )
}
