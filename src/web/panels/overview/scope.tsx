'use client'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useTransition } from 'react'
import { searchWith } from '../../client/search-with.ts'
import { RowEnd } from '../../ui/row-end.tsx'
import type { ListParams, ProjectName } from '../search/list-params.ts'
import { ScopeSelects } from '../search/scope-selects.tsx'

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
  const change = (changed: Change) =>
    start(() => router.push(path + searchWith(new URLSearchParams(search), changed), { scroll: false }))
  return (
    <div className="overview-scope" data-pending={isPending || undefined}>
      <ScopeSelects
        organization={organization}
        params={params}
        projects={projects}
        environments={environments}
        change={change}
      />
      <RowEnd />
    </div>
  )
}
