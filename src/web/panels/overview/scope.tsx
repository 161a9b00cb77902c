'use client'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useTransition } from 'react'
import { RowEnd } from '../../ui/row-end.tsx'
import { EnvironmentSelect, ProjectSelect, RangeSelect } from '../search/list-filters.tsx'
import type { ListParams, ProjectName } from '../search/list-params.ts'

type Change = Partial<Record<'project' | 'env' | 't' | 'from' | 'to', string | null>>

/** Project, environment and range of the overview. Each is part of the URL, and the server reads it again. */
export function OverviewScope({
  organization,
  params,
  projects,
  environments,
}: {
  organization: string
  params: Pick<ListParams, 'project' | 'env' | 'range'>
  projects: readonly ProjectName[]
  environments: string[] | undefined
}) {
  const router = useRouter()
  const path = usePathname()
  const search = useSearchParams()
  const [isPending, start] = useTransition()
  const change = (changed: Change) => {
    const next = new URLSearchParams(search)
    for (const [key, value] of Object.entries(changed)) {
      if (value) next.set(key, value)
      else next.delete(key)
    }
    start(() => router.push(`${path}${next.size > 0 ? `?${next}` : ''}`, { scroll: false }))
  }
  return (
    <div className="overview-scope" data-pending={isPending || undefined}>
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
      <RowEnd />
    </div>
  )
}
